//! Fuzz tests of the readers besides that of YAML: dumps, scripts, tables, results and packets.
//!
//! Each begins with good texts and with the inputs `tests/fuzz/corpus/NAME-*` that earlier runs found worth keeping.
//! `fuzz.rs` says how to start a long run.

use super::fuzz::fuzz;
use qosc_compiler::compile::Options;
use qosc_compiler::emit;
use qosc_compiler::model::Model;
use qosc_compiler::tc::Program;
use qosc_import::{Import, Wanted, fireqos, sqm, tc};
use qosc_measure::fit;
use qosc_measure::plot::{self, Look, Style};
use qosc_measure::probe::{Asker, Run, Version, answered, request};
use qosc_preview::explain::packet::{self, Packet};
use qosc_preview::live::Dump;
use qosc_preview::plan::{Call, plan};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A configuration with hosts, a tunnel, classes and a policer.
const HOME: &str = "examples/vdsl2-home.yaml";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).expect("a file")
}

fn compiled(file: &str) -> (Model, Program) {
    let compiled = qosc_compiler::compile(text(file), &Options::of(file));
    compiled.into_finished().expect("a program")
}

/// The files of a folder whose names begin and end like this.
fn files(folder: &str, begin: &str, end: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = (std::fs::read_dir(root().join(folder)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(begin) && name.ends_with(end)
        })
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

/// These texts, and what earlier runs of this target have kept.
fn with_corpus(name: &str, mut seeds: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    seeds.extend(files("tests/fuzz/corpus", &format!("{name}-"), ""));
    seeds
}

/// A message without its quotations, which may contain backticks, and without numbers.
fn kind(message: &str) -> String {
    let first = message.split('`').next().unwrap_or_default();
    let last = message.rsplit('`').next().unwrap_or_default();
    format!("{first} {last}").chars().filter(|c| !c.is_ascii_digit()).take(60).collect()
}

/// The words that each line of a report begins with.
fn kinds_of_lines(text: &str) -> BTreeSet<String> {
    text.lines().filter_map(|line| line.split_whitespace().next()).map(kind).collect()
}

#[test]
fn the_reader_of_dumps_survives_mutated_dumps() {
    let programs = ["class", "drift", "settings"].map(|name| compiled(&format!("tests/plan/{name}.yaml")).1);
    let mut turn = 0;
    fuzz("dump", "txt", with_corpus("dump", files("tests/plan", "", ".dump")), |bytes, extra| {
        let text = String::from_utf8_lossy(bytes);
        let dump = match Dump::read(&text) {
            Ok(dump) => dump,
            Err(error) => return BTreeSet::from([kind(&error.to_string())]),
        };
        turn = (turn + 1) % programs.len();
        match plan(&programs[turn], "home.yaml", &dump, Call::default()) {
            Ok(plan) => {
                extra.accepted += 1;
                assert!(!serde_json::to_string(&plan).expect("JSON").is_empty());
                let costs = plan.items.iter().map(|item| format!("{:?}", item.price.cost));
                let commands = plan.commands();
                let verbs = commands.iter().filter_map(|line| line.split(' ').nth(2));
                costs.chain(verbs.map(str::to_owned)).collect()
            }
            Err(error) => BTreeSet::from([kind(&error)]),
        }
    });
}

#[test]
fn the_reader_of_replies_survives_mutated_replies() {
    let asker = Asker { ident: 7, key: 0x0102_0304_0506_0708 };
    let reply = |version: Version, header: &[u8], size: usize| {
        let mut bytes = request(version, asker, 513, size);
        bytes[0] = if version == Version::V4 { 0 } else { 129 };
        [header, &bytes].concat()
    };
    let seeds = vec![
        reply(Version::V4, &[], 64),
        reply(Version::V6, &[], 64),
        reply(Version::V4, &[0x45; 20], 64),
        reply(Version::V4, &[0x4f; 60], 64),
        request(Version::V4, asker, 513, 64),
    ];
    fuzz("reply", "bin", with_corpus("reply", seeds), |bytes, extra| {
        let mut kinds = BTreeSet::new();
        for (version, kind) in [(Version::V4, 0), (Version::V6, 129)] {
            for with_header in [false, true] {
                let number = answered(version, asker, bytes, with_header);
                // The same, written as the RFCs draw it.
                let start = if with_header {
                    bytes.first().map_or(0, |first| usize::from(first % 16) * 4)
                } else {
                    0
                };
                let at = |from: usize, to: usize| bytes.get(start + from..start + to);
                let ours = at(0, 2) == Some(&[kind, 0]) && at(8, 16) == Some(&asker.key.to_be_bytes());
                let expected = at(16, 24).filter(|_| ours);
                assert_eq!(number.map(u64::to_be_bytes).as_ref().map(<[u8; 8]>::as_slice), expected);
                extra.accepted += usize::from(number.is_some());
                kinds.insert(format!("{kind} {with_header} {}", number.is_some()));
            }
        }
        kinds
    });
}

/// The first words of an error. The others may quote the input.
fn beginning(message: &str) -> String {
    message.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

/// Leaves few samples in a report of the lab.
fn short(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(list) => {
            list.truncate(3);
            list.iter_mut().for_each(short);
        }
        serde_json::Value::Object(members) => members.values_mut().for_each(short),
        _ => {}
    }
}

#[test]
fn the_reader_of_lab_results_survives_mutated_results() {
    use qosc_measure::lab::protocol::Records;
    use qosc_measure::lab::{LabReport, Times, Window, human, page};

    let mut report: serde_json::Value =
        serde_json::from_str(&text("tests/measure/page/lab.json")).expect("JSON");
    short(&mut report);
    let records = r#"{"records":[{"name":"ping","samples":[{"at":0,"took":20149},{"at":900000,"took":null},
{"at":1000000,"took":7,"open":9}],"bytes":[0,150000,18446744073709551615],"sent":3,"came":2}]}"#;
    let seeds = vec![serde_json::to_vec_pretty(&report).expect("JSON"), records.as_bytes().to_vec()];
    fuzz("lab", "json", with_corpus("lab", seeds), |bytes, extra| {
        let mut kinds = BTreeSet::new();
        match serde_json::from_slice::<LabReport>(bytes) {
            Ok(report) => {
                extra.accepted += 1;
                kinds.insert(format!("{} lines", human(&report, false).lines().count()));
                let page = page(&report).expect("a page");
                kinds.insert(format!("a page of {} sections", page.matches("<section").count()));
            }
            Err(error) => drop(kinds.insert(beginning(&error.to_string()))),
        }
        match serde_json::from_slice::<Records>(bytes) {
            Ok(records) => {
                extra.accepted += 1;
                let window = Window { from: 0, to: 2000 };
                for record in &records.records {
                    let times = Times::of(&record.samples, window);
                    let p99 = Times::of_all(&record.samples, window, 99);
                    kinds.insert(format!(
                        "{} {} {}",
                        times.p50.is_some(),
                        p99.is_some(),
                        times.loss().is_some()
                    ));
                }
            }
            Err(error) => drop(kinds.insert(beginning(&error.to_string()))),
        }
        kinds
    });
}

#[test]
fn the_reader_of_scripts_survives_mutated_scripts() {
    let whole = |file: &str| {
        let compiled = qosc_compiler::compile(text(file), &Options::of(file));
        compiled.script().expect("a script")
    };
    // The runtime is left out, because no reader looks at it.
    let seeds = [HOME, "examples/fibre.yaml", "examples/tenants.yaml"].map(|file| {
        let script = whole(file);
        let (objects, rest) = script.split_once("# ==== runtime").expect("a runtime");
        let (mark, _) = rest.split_once('\n').expect("a line");
        let carried = &script[script.rfind("\n# --- the YAML").expect("the YAML")..];
        format!("{objects}# ==== runtime{mark}\n{carried}")
    });
    let other = seeds[0].clone();
    let seeds = seeds.map(String::into_bytes).to_vec();
    fuzz("script", "txt", with_corpus("script", seeds), |bytes, extra| {
        let text = String::from_utf8_lossy(bytes);
        let mut kinds = BTreeSet::from([format!("script {}", emit::made_by(&text).is_some())]);
        kinds.insert(format!("the same objects {}", emit::same_objects(&text, &other)));
        if let Some(made) = emit::made_by(&text) {
            kinds.insert(format!("{} parts", format!("{made:?}").matches(',').count()));
        }
        if let Some(carried) = emit::carried(&text) {
            extra.accepted += 1;
            let compiled = qosc_compiler::compile(&carried.yaml, &Options::of("home.yaml"));
            kinds.extend(compiled.findings.iter().map(|finding| finding.code.as_str().to_owned()));
        }
        kinds
    });
}

#[test]
fn the_reader_of_tables_survives_mutated_tables() {
    let seeds = with_corpus("table", files("docs/fit", "", ".csv"));
    fuzz("table", "csv", seeds, |bytes, extra| {
        let text = String::from_utf8_lossy(bytes);
        let data = match fit::read(&text, fit::Size::Ip) {
            Ok(data) => data,
            Err(slips) => {
                assert!(!slips.is_empty());
                return slips.iter().map(|slip| kind(&slip.message)).collect();
            }
        };
        match fit::fit(&data, None) {
            Ok(fitted) => {
                extra.accepted += 1;
                kinds_of_lines(&fit::human(&fit::report(&data, &fitted, None)))
            }
            Err(words) => BTreeSet::from([kind(&words)]),
        }
    });
}

#[test]
fn the_reader_of_results_survives_mutated_results() {
    let seeds = with_corpus("result", files("docs/ping", "", ".json"));
    fuzz("result", "json", seeds, |bytes, extra| {
        let text = String::from_utf8_lossy(bytes);
        let run = match Run::read(&text) {
            Ok(run) => run,
            Err(error) => return BTreeSet::from([kind(&error)]),
        };
        extra.accepted += 1;
        let runs = [("one".to_owned(), run)];
        let mut kinds = BTreeSet::new();
        for look in [Look::Scatter, Look::Lines, Look::Cdf] {
            for is_log in [false, true] {
                let svg = plot::picture(&runs, Style { look, is_log, most_us: None });
                assert!(!svg.contains("\"NaN") && !svg.contains("\"inf"), "{svg}");
                kinds.insert(format!("{look:?} {} texts", svg.matches("<text").count()));
            }
        }
        kinds
    });
}

#[test]
fn the_reader_of_packets_survives_mutated_packets() {
    let (model, program) = compiled(HOME);
    let good = [
        "up udp 192.168.1.5:5060 > 198.51.100.9:5060 dscp ef",
        "down tcp 198.51.100.9:443 > 192.168.1.30:40000 ack length 52 mark 0x10",
        "up tcp [2001:db8::5]:1 > [2001:db8::9]:443 syn",
        "down udp 198.51.100.9 > ata mac 02:00:5e:10:00:01 sent cs1",
        "up icmp 192.168.1.5 -> 1.1.1.1",
    ];
    let seeds = with_corpus("packet", good.map(|text| text.as_bytes().to_vec()).to_vec());
    fuzz("packet", "txt", seeds, |bytes, extra| {
        let text = String::from_utf8_lossy(bytes);
        match Packet::read(&text, &model) {
            Ok(packet) => {
                extra.accepted += 1;
                let mut kinds = BTreeSet::new();
                for packet in [packet.clone(), packet::answer(&packet)] {
                    kinds.extend(kinds_of_lines(&packet::human(
                        &packet::meet(&model, &program, &packet),
                        "a packet",
                    )));
                }
                kinds
            }
            Err(error) => BTreeSet::from([kind(&error)]),
        }
    });
}

/// Runs an import on mutated files. The form of a result is always right: only its numbers can be wrong.
fn import(name: &str, ending: &str, run: impl Fn(&str) -> Import) {
    let seeds = files(&format!("tests/import/{name}"), "", ending);
    fuzz(name, "txt", with_corpus(name, seeds), |bytes, extra| {
        let text = String::from_utf8_lossy(bytes);
        let import = run(&text);
        for span in import.findings.iter().flat_map(|finding| &finding.labels).map(|label| label.span) {
            assert!(text.get(span.start..span.end).is_some(), "{span:?}");
        }
        for result in &import.results {
            let compiled = qosc_compiler::compile(&result.yaml, &Options::of("imported.yaml"));
            let form = compiled.errors().find(|error| error.code.as_str() < "Q0201");
            assert!(form.is_none(), "{form:?}\n{}", result.yaml);
            extra.accepted += usize::from(!compiled.has_errors());
        }
        import.findings.iter().map(|finding| kind(&finding.message)).collect()
    });
}

#[test]
fn the_import_of_sqm_survives_mutated_files() {
    import("sqm", ".sqm", |text| sqm(text, Wanted::All, None));
}

#[test]
fn the_import_of_fireqos_survives_mutated_files() {
    import("fireqos", ".conf", |text| fireqos(text, Wanted::All));
}

#[test]
fn the_import_of_tc_survives_mutated_dumps() {
    import("tc", ".dump", |text| tc(text, Wanted::All, None));
}
