//! The output of `status` and `status --metrics`, for the kept output of `tc -s` under `tests/status/`. Every awk prints
//! the same. The documents and the dashboard name the metrics that the script has.

#![cfg(test)]

use crate::exposition::samples;
use crate::golden;
use crate::tools;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// Each kept output with the file that the script was made from.
const KEPT: [(&str, &str); 3] = [
    ("vdsl2-home", "examples/vdsl2-home.yaml"),
    ("htb", "tests/status/htb.yaml"),
    ("cake", "tests/status/cake.yaml"),
];

/// The awks, each with its arguments. The last two are built by `scripts/openwrt-busybox` and `scripts/mipsel-busybox`,
/// and are left out if they are missing. On the MIPS, an integer has 32 bits.
fn awks() -> Vec<Vec<String>> {
    let mut awks = vec![vec!["mawk".to_owned()], vec!["busybox".to_owned(), "awk".to_owned()]];
    let mut add = |before: &[&str], name: &str| {
        if tools::found(&[&[name], before].concat()) {
            let busybox = tools::kept(name).join("busybox").display().to_string();
            let before = before.iter().map(|word| (*word).to_owned());
            awks.push(before.chain([busybox, "awk".to_owned()]).collect());
        }
    };
    add(&[], "openwrt-busybox");
    add(&["qemu-mipsel-static"], "mipsel-busybox");
    awks
}

/// The awk program of `status`.
fn program() -> String {
    ["tins", "metrics", "status"].map(|name| read(&format!("templates/runtime/{name}.awk"))).concat()
}

/// The text that a script made from this file holds in a variable.
fn text_of(script: &str, name: &str) -> String {
    let Some((_, rest)) = script.split_once(&format!("\n{name}='\n")) else { return String::new() };
    rest.split_once("\n'\n").unwrap().0.replace(r"'\''", "'") + "\n"
}

/// The text that `status` gives to awk.
fn input(yaml: &str, shown: &str) -> String {
    let compiled =
        Command::new(env!("CARGO_BIN_EXE_qosc")).arg("compile").arg(root().join(yaml)).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let script = String::from_utf8(compiled.stdout).unwrap();
    format!(
        "== said\nhome: in place at rate 6.5mbit up and 25mbit down\n  on trial: it goes back in 20 s\n  \
         ppp0, from {yaml}; 30 bytes above IP on the line, the kernel counts 0\n\
         == objects\n{}== tins\n{}== policers\n{}== shown\n{shown}",
        text_of(&script, "objects"),
        text_of(&script, "tin_list"),
        text_of(&script, "police_list"),
    )
}

/// What an awk prints, with `metrics` set to `yes` or `no`.
fn printed(awk: &[String], metrics: &str, code: u8, input: &str) -> String {
    let mut child = Command::new(&awk[0])
        .args(&awk[1..])
        .args(["-v", &format!("metrics={metrics}"), "-v", "link=home", "-v", &format!("code={code}")])
        .args(["-v", if code == 3 { "started=" } else { "started=1795611957" }, "-v", "ingress_pref=3077"])
        .args(["-v", if code == 3 { "ran=" } else { "ran=3f0c2a9d81b7e654" }])
        .args(["-v", "hook_pref_end=11269", "-v", "hook_bank=16384", &program()])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{awk:?}: {error}; scripts/test installs it"));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{awk:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_awk_prints_the_golden_status() {
    if !tools::found(&["mawk", "busybox"]) {
        return;
    }
    for (name, yaml) in KEPT {
        let input = input(yaml, &read(&format!("tests/status/{name}.tc")));
        for (what, metrics) in [("table", "no"), ("metrics", "yes")] {
            let mut all = awks().into_iter().map(|awk| (printed(&awk, metrics, 0, &input), awk));
            let (first, _) = all.next().unwrap();
            golden::assert_golden!(format!("{name}-{what}"), first);
            for (other, awk) in all {
                assert_eq!(other, first, "{awk:?}");
            }
            if metrics == "yes" {
                assert!(samples(&first).len() > 20);
            } else {
                assert!(first.lines().all(|line| line.chars().count() <= 80), "{first}");
            }
        }
    }
}

#[test]
fn a_class_that_only_borrows_has_no_guarantee() {
    if !tools::found(&["mawk", "busybox"]) {
        return;
    }
    let shown = read("tests/status/htb.tc")
        .replace("leaf ae77: prio 0 rate 653328bit", "leaf ae77: prio 0 rate 100bit");
    for awk in awks() {
        let table = printed(&awk, "no", 0, &input("tests/status/htb.yaml", &shown));
        let row = "    a \"b\" \\ c            borrows only  1.96mbit  34.6KiB ";
        assert!(table.contains(row), "{awk:?}: {table}");
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    }
}

/// A browser adds a number in parentheses to the name of a second file.
#[test]
fn the_name_of_the_file_is_no_part_of_a_class() {
    if !tools::found(&["mawk", "busybox"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for name in ["htb (1).yaml", "a (b) (c.yaml", "( # (.yaml"] {
        let odd = dir.path().join(name);
        std::fs::copy(root().join("tests/status/htb.yaml"), &odd).unwrap();
        let shown = read("tests/status/htb.tc");
        for awk in awks() {
            let of = |yaml: &str| printed(&awk, "yes", 0, &input(yaml, &shown));
            assert_eq!(of(odd.to_str().unwrap()), of("tests/status/htb.yaml"), "{awk:?} {name}");
        }
    }
}

/// The Python library of Prometheus reads the same samples. `scripts/test` installs it.
#[test]
fn the_library_of_prometheus_reads_the_metrics() {
    if !tools::found(&["mawk", "busybox", "prometheus_client"]) {
        return;
    }
    let reader = "import json, sys\n\
        from prometheus_client.parser import text_string_to_metric_families as families\n\
        for family in families(sys.stdin.read()):\n  \
            assert family.documentation and family.type in ('counter', 'gauge'), family\n  \
            for sample in family.samples:\n    \
                print(json.dumps([sample.name, sample.labels, sample.value], sort_keys=True))\n";
    for (name, yaml) in KEPT {
        let input = input(yaml, &read(&format!("tests/status/{name}.tc")));
        let text = printed(&awks()[0], "yes", 0, &input);
        let mut python = Command::new("/usr/bin/python3")
            .args(["-c", reader])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = python.wait_with_output().unwrap();
        assert!(output.status.success(), "python3-prometheus-client is missing, or refuses {text}");
        let theirs: BTreeSet<String> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap().to_string())
            .collect();
        let ours: BTreeSet<String> = samples(&text)
            .into_iter()
            .map(|((name, labels), value)| json!([name, labels, value.parse::<f64>().unwrap()]).to_string())
            .collect();
        assert_eq!(ours, theirs);
    }
}

#[test]
fn counters_keep_all_digits() {
    if !tools::found(&["mawk", "busybox"]) {
        return;
    }
    let shown = read("tests/status/vdsl2-home.tc");
    let sent = shown.lines().find(|line| line.trim_start().starts_with("Sent ")).unwrap();
    let most = " Sent 18446744073709551615 bytes 4294967297 pkt (dropped 9007199254740993, overlimits 1 requeues 0) ";
    let input = input("examples/vdsl2-home.yaml", &shown.replacen(sent, most, 1));
    for awk in awks() {
        let text = printed(&awk, "yes", 0, &input);
        for (name, value) in [
            ("sent_bytes", "18446744073709551615"),
            ("sent_packets", "4294967297"),
            ("dropped_packets", "9007199254740993"),
        ] {
            let line = format!("qosc_link_{name}_total{{link=\"home\",direction=\"up\"}} {value}\n");
            assert!(text.contains(&line), "{awk:?}: {line}{text}");
        }
        let table = printed(&awk, "no", 0, &input);
        assert!(
            table.contains("  uploads                             6.272mbit    16EiB  4.295G  9.007P "),
            "{table}"
        );
    }
}

#[test]
fn without_a_start_the_only_metric_is_0() {
    if !tools::found(&["mawk", "busybox"]) {
        return;
    }
    for awk in awks() {
        let text = printed(&awk, "yes", 3, "== said\nhome: not started\n");
        assert!(text.ends_with("\nqosc_in_place{link=\"home\"} 0\n"), "{text}");
        assert_eq!(samples(&text).len(), 1);
        assert_eq!(printed(&awk, "no", 3, "== said\nhome: not started\n"), "home: not started\n");
    }
}

/// `compile --emit digest` prints what the script records at a start, and any change of the file changes it.
#[test]
fn the_repository_has_the_digest_of_the_script() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("home.yaml");
    let compile = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_qosc"))
            .arg("compile")
            .args(arguments)
            .arg("home.yaml")
            .current_dir(dir.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let text = read("examples/vdsl2-home.yaml");
    let mut seen = BTreeSet::new();
    for text in [text.clone(), text.clone() + "# A comment.\n", text.replacen("25mbit", "26mbit", 1)] {
        std::fs::write(&file, text).unwrap();
        let (code, digest) = compile(&["--emit", "digest"]);
        assert!(code == Some(0) && digest.len() == 17, "{digest}");
        let (_, script) = compile(&[]);
        assert!(script.contains(&format!("\ndigest='{}'\n", digest.trim_end())), "{digest}");
        assert!(seen.insert(digest), "the digest is that of another file");
    }
    std::fs::write(&file, "link: 5\n").unwrap();
    assert_eq!(compile(&["--emit", "digest"]), (Some(1), String::new()));
}

/// A removed filter shifts the order of the others, so no policer has a number.
#[test]
fn no_policer_gets_the_counters_of_another() {
    let shown = read("tests/status/htb.tc");
    let (before, rest) = shown.split_once("action order 1:  police").unwrap();
    let input = input("tests/status/htb.yaml", &format!("{before}action order 1:  gact{rest}"));
    let text = printed(&awks()[0], "yes", 1, &input);
    assert!(!text.contains("qosc_policer") && text.contains("qosc_class_sent_bytes_total"), "{text}");
}

/// The names of all metrics, from the calls of `print_metric`.
fn names() -> BTreeSet<String> {
    let program = program();
    let calls = program.split("print_metric(\"").skip(1);
    calls
        .map(|call| {
            let mut words = call.split('"');
            format!("qosc_{}{}", words.next().unwrap(), words.nth(1).unwrap())
        })
        .collect()
}

/// The words of a text that begin with `qosc_`.
fn mentioned(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("qosc_")).map(str::to_owned).collect()
}

#[test]
fn the_golden_outputs_have_every_metric() {
    let mut found = BTreeSet::new();
    for (name, yaml) in KEPT {
        let input = input(yaml, &read(&format!("tests/status/{name}.tc")));
        found.extend(samples(&printed(&awks()[0], "yes", 0, &input)).into_keys().map(|(name, _)| name));
    }
    assert_eq!(found, names());
}

#[test]
fn the_dashboard_shows_every_metric() {
    let dashboard: serde_json::Value = serde_json::from_str(&read("docs/monitoring/grafana.json")).unwrap();
    let mut shown = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            shown.extend(mentioned(target["expr"].as_str().unwrap()));
        }
    }
    assert_eq!(shown, names());
}

#[test]
fn the_document_explains_every_metric() {
    let text = read("docs/monitoring.md");
    let rows: BTreeSet<String> = text
        .lines()
        .filter(|line| line.starts_with("| `qosc_"))
        .flat_map(|line| mentioned(line.split('|').nth(1).unwrap()))
        .collect();
    assert_eq!(rows, names());
    for name in mentioned(&text) {
        assert!(names().contains(&name), "{name}");
    }
}

/// The document shows the beginning of the golden outputs.
#[test]
fn documented_outputs_equal_the_golden_ones() {
    let text = read("docs/monitoring.md");
    let input = input("examples/vdsl2-home.yaml", &read("tests/status/vdsl2-home.tc"));
    for (metrics, command) in [("no", "$ ./home.sh status\n"), ("yes", "$ ./home.sh status --metrics\n")] {
        let (_, shown) = text.split_once(command).expect(command);
        let shown = shown.split_once("```").unwrap().0;
        let printed = printed(&awks()[0], metrics, 0, &input);
        let mut left = printed.as_str();
        for piece in shown
            .split("...\n")
            .map(|piece| piece.split_once("line, the kernel counts 0\n").map_or(piece, |(_, p)| p))
        {
            left = left.split_once(piece).unwrap_or_else(|| panic!("no\n{piece}in\n{printed}")).1;
        }
    }
}

/// The documented script replaces the file at once, and keeps it if there are no metrics.
#[test]
fn the_documented_script_replaces_the_whole_file() {
    let text = read("docs/monitoring.md");
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().display().to_string();
    let script = text.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let script = script.replace("/var/lib/prometheus/node-exporter", &folder);
    let script = script.replace("/etc/qosc/home.sh", &format!("sh {folder}/home.sh"));
    let prom = dir.path().join("qosc-home.prom");
    for (home, expected) in [
        ("echo first", "first\n"),
        ("echo second; exit 3", "second\n"),
        ("echo error >&2; exit 1", "second\n"),
        ("echo third; exit 1", "third\n"),
    ] {
        std::fs::write(dir.path().join("home.sh"), home).unwrap();
        let run = Command::new("dash").args(["-c", &script]).output().unwrap();
        assert!(run.status.success(), "{home}: {run:?}");
        assert_eq!(std::fs::read_to_string(&prom).unwrap(), expected, "{home}");
        let proms = std::fs::read_dir(dir.path()).unwrap().filter(|entry| {
            entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "prom")
        });
        assert_eq!(proms.count(), 1, "the collector would read more files");
    }
}
