//! Compiles every example and every case, with one named test per file.
//!
//! Snapshots hold the generated section of the script and the kernel objects. The rest of the script is the runtime
//! from `templates/runtime/` and the YAML. Both are compared with their source. The shells and shellcheck read the whole
//! script.

#![cfg(test)]

use crate::golden::assert_golden;
use crate::objects;
use crate::runtime;
use crate::shellcheck::assert_sound;
use crate::tools;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use test_each_file::test_each_path;

/// Runs `qosc compile` on a file and returns its standard output.
fn compile(file: &Path, emit: &str) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_qosc")).args(["compile", "--emit", emit]).arg(file).output();
    let run = run.expect("qosc starts");
    assert!(
        run.status.success(),
        "{} does not compile:\n{}",
        file.display(),
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).expect("text")
}

/// Returns true for an example that needs a feature that is not built yet. Its first line says so; such a file is only
/// checked.
fn waits(file: &Path) -> bool {
    std::fs::read_to_string(file).expect("readable").starts_with("# needs:")
}

/// Splits a script into the part about its line and its runtime. The YAML is left out.
fn split(script: &str) -> (&str, &str) {
    let (generated, rest) = script.split_at(script.find("# ==== runtime ").expect("a runtime"));
    let (runtime, _) = rest.split_once("\n# --- the YAML that this was made from").expect("carried YAML");
    let (heading, runtime) = runtime.split_once('\n').expect("a heading");
    assert!(heading.ends_with(": the code of the calls, and below it your YAML ===="), "{heading}");
    (generated.trim_end(), runtime)
}

/// The parts of a runtime with their headings, by name. Each heading says which scripts have the part.
fn runtime_parts(runtime: &str) -> BTreeMap<&str, &str> {
    let (before, code) = runtime.split_once(PART).expect("a part");
    assert_eq!(before, "\n");
    let (code, end) = code.rsplit_once(END).expect("the call");
    assert_eq!(end, "");
    let named = |part| {
        let (name, _) = str::split_once(part, ' ').expect("a name");
        let (heading, _) = part.split_once('\n').expect("a heading");
        let whose = if name == "base" {
            ": identical in every script ===="
        } else {
            ": identical in every script that has it ===="
        };
        assert!(heading.ends_with(whose), "{heading}");
        (name, part)
    };
    code.split(PART).map(named).collect()
}

const PART: &str = "# ==== part ";
const END: &str = "\n# A shell parses this line as a whole before it runs it. Then it reads no more of a file that may be replaced meanwhile.\n{ trap - EXIT; main \"$@\"; exit; }\n";

/// The files of the parts that only some scripts have.
fn optional() -> BTreeMap<&'static str, &'static [&'static str]> {
    let own: [(_, &[_]); 7] = [
        ("tunnels", &["tunnels.sh"]),
        ("marks", &["mark_rules.sh"]),
        ("tins", &["tins.sh"]),
        ("rate", &["rate.sh"]),
        ("follow", &["follow.sh"]),
        ("variants", &["variants.sh"]),
        ("metrics", &["metrics.sh"]),
    ];
    own.into_iter().collect()
}

/// Every file of the runtime, or of a part.
fn runtime_sources() -> Vec<String> {
    source_names().iter().map(|name| runtime::source(name)).collect()
}

fn source_names() -> Vec<String> {
    let files = std::fs::read_dir(runtime::folder()).expect("a folder");
    let mut names: Vec<String> = files
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .filter(|name| name.ends_with(".sh"))
        .collect();
    names.sort_unstable();
    names
}

/// The code of a part, in the order of its files' names.
fn source_of(part: &str) -> String {
    let optional = optional();
    let is_of = |name: &&String| match optional.get(part) {
        Some(files) => files.contains(&name.as_str()),
        None => !optional.values().any(|files| files.contains(&name.as_str())),
    };
    source_names().iter().filter(is_of).map(|name| runtime::source(name)).collect::<Vec<_>>().join("\n")
}

/// The functions in a text with the comments above them, and all other lines.
fn parts(text: &str) -> (BTreeSet<String>, BTreeSet<&str>) {
    let (mut functions, mut others) = (BTreeSet::new(), BTreeSet::new());
    let (mut comment, mut open) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let begins = line.starts_with("function ")
            || line.split_once("() {").is_some_and(|(name, _)| !name.contains(' '));
        if begins || !open.is_empty() {
            open.append(&mut comment);
            open.push(line);
            if line == "}" || (begins && line.ends_with('}')) {
                functions.insert(std::mem::take(&mut open).join("\n"));
            }
        } else if line.starts_with('#') {
            comment.push(line);
        } else {
            others.extend(comment.drain(..).chain([line]));
        }
    }
    others.extend(comment);
    (functions, others)
}

fn script_snapshot(name: &str, file: &Path) {
    let script = compile(file, "script");
    let (generated, runtime) = split(&script);
    for (name, part) in runtime_parts(runtime) {
        let (_, code) = part.split_once('\n').expect("a heading");
        assert_eq!(parts(code), parts(&source_of(name)), "{name} of {}", file.display());
    }
    let yaml = std::fs::read_to_string(file).expect("readable");
    assert_eq!(qosc_compiler::emit::carried(&script).map(|carried| carried.yaml), Some(yaml));

    // The digest also covers the runtime and the YAML, so the snapshot leaves it out.
    let is_digest = |line: &&str| line.starts_with("digest='") && line.len() == "digest=''".len() + 16;
    let (digest, lines): (Vec<&str>, Vec<&str>) = generated.lines().partition(is_digest);
    let [digest] = digest[..] else { panic!("not one digest: {digest:?}") };
    let undigested = qosc_compiler::units::fnv1a64(script.replacen(digest, "digest=''", 1).as_bytes());
    assert_eq!(digest, format!("digest='{undigested:016x}'"));
    assert_golden!(format!("{name}-script"), lines.join("\n"));
}

fn ir_snapshot(name: &str, file: &Path) {
    let printed = compile(file, "ir");
    let ir: Value = serde_json::from_str(&printed).expect("JSON");
    // Each object has a line of its own.
    let lines: Vec<Value> =
        printed.lines().filter_map(|line| serde_json::from_str(line.trim_end_matches(',')).ok()).collect();
    for list in ["qdiscs", "classes", "filters"] {
        for object in ir[list].as_array().expect("a list") {
            assert!(lines.contains(object), "{}: {object}", file.display());
        }
    }
    let text = objects::print(&ir);
    assert_eq!(objects::read(&text), objects::pruned(&ir), "the text loses something:\n{text}");
    assert_golden!(format!("{name}-ir"), text);
}

fn snapshots(name: &str, file: &Path) {
    script_snapshot(name, file);
    ir_snapshot(name, file);
}

fn example([file]: [&Path; 1]) {
    if waits(file) {
        let run =
            Command::new(env!("CARGO_BIN_EXE_qosc")).args(["check", "--format", "short"]).arg(file).output();
        let run = run.expect("qosc starts");
        let said = String::from_utf8(run.stdout).expect("text");
        assert_eq!(
            run.status.code(),
            Some(1),
            "an example that needs what is not built compiles: drop its first line"
        );
        for line in said.lines() {
            let innocent = line.contains("Q0901") || line.contains(": note[") || line.contains(": warning[");
            assert!(innocent, "an example has an error of its own: {line}");
        }
    } else {
        let stem = file.file_stem().expect("a name").to_string_lossy();
        snapshots(&format!("example-{stem}"), file);
    }
}

fn case([file]: [&Path; 1]) {
    let dir = file.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
    snapshots(&format!("case-{dir}"), file);
}

/// Checks that the shells and shellcheck find no fault in the whole script, nor in the plain one.
fn is_sound([file]: [&Path; 1]) {
    if !tools::found(&["dash", "bash", "busybox", "shellcheck"]) {
        return;
    }
    if waits(file) {
        return;
    }
    expect_sound(file, &compile(file, "script"));
    let run = |emit: &str| {
        let flags = ["compile", "--emit", emit, "--assume", "ethernet"];
        let run = Command::new(env!("CARGO_BIN_EXE_qosc")).args(flags).arg(file).output();
        String::from_utf8(run.expect("qosc starts").stdout).expect("text")
    };
    let plain = run("plain");
    expect_sound(file, &plain);
    let plain = without_marks(&plain);
    let (objects, others): (Vec<&str>, Vec<&str>) = plain.lines().partition(|line| is_object(line));
    let batch = run("batch");
    let mut wanted: Vec<&str> = batch.lines().skip(1).collect();
    // Without the filters of tunnels, which the plain script leaves out.
    wanted.retain(|line| objects.contains(line) || !line.contains("wg"));
    assert_eq!(objects, wanted, "{}", file.display());
    assert!(others.len() <= 60, "{} lines around the objects of {}", others.len(), file.display());
}

/// Returns a plain script without the lines that nft reads.
fn without_marks(plain: &str) -> String {
    let Some((before, rest)) = plain.split_once("nft -f - <<'END'\n") else { return plain.to_owned() };
    let (_, after) = rest.split_once("\nEND\n").expect("the end of the table");
    format!("{before}{after}")
}

/// Returns true for a line that `tc -batch` reads.
fn is_object(line: &str) -> bool {
    ["qdisc ", "class ", "filter "].iter().any(|kind| line.starts_with(kind))
}

fn expect_sound(file: &Path, text: &str) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let script = dir.path().join("qosc.sh");
    std::fs::write(&script, text).expect("a file");
    assert_sound(text);
    for check in [&["dash", "-n"][..], &["busybox", "ash", "-n"], &["bash", "-n"]] {
        let run = Command::new(check[0]).args(&check[1..]).arg(&script).output();
        let run = run.unwrap_or_else(|e| panic!("cannot run `{0}`: {e}; install the package {0}", check[0]));
        let said = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success() && said.is_empty(), "{check:?} on {}:\n{said}", file.display());
    }
}

test_each_path! { for ["yaml"] in "./examples" as examples => example }
test_each_path! { for ["yaml"] in "./tests/cases" as cases => case }
test_each_path! { for ["yaml"] in "./examples" as shells_on_examples => is_sound }
test_each_path! { for ["yaml"] in "./tests/cases" as shells_on_cases => is_sound }

/// Lines and bytes of a text.
fn size(text: &str) -> (usize, usize) {
    (text.lines().count(), text.len())
}

/// The part of a script that describes its line is short enough to read. The runtime is the same in every script.
#[test]
#[expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]
fn the_first_layer_of_a_script_is_short() {
    let sizes = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
        let script = compile(&path, "script");
        let (generated, runtime) = split(&script);
        (size(generated), size(runtime))
    };
    for (example, most) in [("smallest.yaml", 270), ("vdsl2-home.yaml", 230)] {
        let (generated, runtime) = sizes(example);
        eprintln!("{example}: lines and bytes of the first layer {generated:?}, of the runtime {runtime:?}");
        assert!(generated.0 <= most, "{example}: {generated:?}");
    }
}

/// The runtime has some numbers of the compiler as its own, because they are the same for every line.
#[test]
fn the_runtime_has_the_preferences_of_the_compiler() {
    let begin = runtime::source("begin.sh");
    let numbers = format!(
        "\ningress_pref={} egress_pref={} hook_pref_end={} hook_bank={}\n",
        qosc_compiler::tc::INGRESS_PREF,
        qosc_compiler::tc::EGRESS_PREF,
        qosc_compiler::tc::EGRESS_END_PREF,
        qosc_compiler::tc::HOOK_BANK
    );
    assert!(begin.contains(&numbers), "{numbers}");
}

#[test]
fn each_runtime_function_has_one_source() {
    let sources = runtime_sources();
    let lines = sources.iter().flat_map(|source| source.lines());
    let mut names: Vec<&str> =
        lines.filter_map(|line| line.split_once("() {").map(|(name, _)| name)).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// Every file that compiles.
fn compiled() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = |folder: &str| {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let cases = entries("tests/cases").into_iter().map(|case| case.join("home.yaml"));
    entries("examples").into_iter().chain(cases).filter(|file| !waits(file)).collect()
}

/// The base is the same text in every script, and so is each other part in those that have it. Where it is missing, none
/// of its functions is there.
#[test]
fn each_part_is_one_text() {
    let files = compiled();
    let scripts: Vec<String> = files.iter().map(|file| compile(file, "script")).collect();
    let mut texts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (script, file) in scripts.iter().zip(&files) {
        let own = runtime_parts(split(script).1);
        let lacking = optional().into_keys().filter(|name| !own.contains_key(name));
        for function in lacking.flat_map(|name| parts(&source_of(name)).0) {
            assert!(!script.contains(&function), "{}: {function}", file.display());
        }
        for (name, text) in own {
            *texts.entry(name).or_default().entry(text.trim_end()).or_default() += 1;
        }
    }
    assert!(texts.values().all(|texts| texts.len() == 1), "{:?}", texts.keys());
    let with = |name: &str| texts[name].values().sum::<usize>();
    assert_eq!(with("base"), scripts.len());
    for name in optional().into_keys() {
        assert!((1..scripts.len()).contains(&with(name)), "{name}");
    }
}

/// Runs a script without root rights, which it needs for no more than its usage and its messages.
fn said(yaml: &str, call: &[&str]) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (file, script) = (dir.path().join("home.yaml"), dir.path().join("home.sh"));
    let text = format!("link: {{ device: eth0, profile: docsis, up: 10mbit, down: 50mbit }}\n{yaml}");
    std::fs::write(&file, text).expect("a file");
    std::fs::write(&script, compile(&file, "script")).expect("a file");
    let run = Command::new("sh").arg(&script).args(call).output().expect("a shell");
    (run.status.code(), String::from_utf8([run.stdout, run.stderr].concat()).expect("text"))
}

/// Who makes a call that the script does not have learns what to write. The usage names the calls that it has.
#[test]
fn a_missing_call_says_what_to_write() {
    for (call, name, part) in [
        (&["rate", "5mbit", "25mbit"][..], "rate", "rate"),
        (&["status", "--metrics"], "status --metrics", "metrics"),
    ] {
        let cure = format!("script: {{ calls: [{part}] }}");
        let words = format!(
            "home: error: this script has no call {name}: write `{cure}` in the YAML, and compile again\n"
        );
        assert_eq!(said("", call), (Some(2), words));
        let without = said("", &["--help"]).1;
        let with = said(&cure, &["--help"]).1;
        let row = |usage: &str| usage.contains(&format!("\n  {name}"));
        assert!(!row(&without) && row(&with), "{with}");
    }
    let (code, words) = said("", &["rate"]);
    assert_eq!(code, Some(2), "{words}");
    let variants = "variants: { night: { when: \"23:00-06:00\", set: { link: { up: 9mbit } } } }";
    assert!(said(variants, &["--help"]).1.contains("\n  switch "));
    let (code, words) = said("", &["--help"]);
    assert!(code == Some(0) && !words.contains("switch") && !words.contains("follow"), "{words}");
}

/// Collects, by path, the forms of each field that the text of the intermediate representation leaves out.
fn left_out<'a>(path: &str, values: &[&'a Value], forms: &mut BTreeMap<String, BTreeSet<&'static str>>) {
    let objects: Vec<_> = values.iter().filter_map(|value| value.as_object()).collect();
    let keys: BTreeSet<&String> = objects.iter().flat_map(|object| object.keys()).collect();
    for key in keys {
        let path = format!("{path}.{key}");
        let fields: Vec<&'a Value> = objects.iter().filter_map(|object| object.get(key)).collect();
        let mut empty: BTreeSet<_> = fields
            .iter()
            .filter(|field| objects::is_empty(field))
            .map(|field| match field {
                Value::Null => "null",
                Value::Array(_) => "[]",
                _ => "{}",
            })
            .collect();
        if !empty.is_empty() {
            empty.extend((fields.len() < objects.len()).then_some("missing"));
            forms.insert(path.clone(), empty);
        }
        left_out(&path, &fields, forms);
    }
    let elements: Vec<&'a Value> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
    if !elements.is_empty() {
        left_out(&format!("{path}[]"), &elements, forms);
    }
}

#[test]
fn fields_left_out_of_ir_snapshots_are_unambiguous() {
    let all: Vec<Value> =
        compiled().iter().map(|file| serde_json::from_str(&compile(file, "ir")).expect("JSON")).collect();
    assert_eq!(all.len(), 43);
    let mut forms = BTreeMap::new();
    left_out("", &all.iter().collect::<Vec<_>>(), &mut forms);
    assert!(forms.contains_key(".filters[].flowid"), "{forms:?}");
    let ambiguous: Vec<_> = forms.iter().filter(|(_, forms)| forms.len() > 1).collect();
    assert!(ambiguous.is_empty(), "{ambiguous:?}");
}

/// The devices that the script of a link makes.
fn own_devices(link: &str) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("home.yaml");
    let text = format!("name: {link}\nlink: {{ device: eth0, profile: docsis, up: 10mbit, down: 50mbit }}\n");
    std::fs::write(&file, text).expect("a file");
    let script = compile(&file, "script");
    let begin = script.split_once("\nsysctls() ").expect("the begin of the runtime").0;
    let all = dir.path().join("begin.sh");
    std::fs::write(&all, format!("{begin}\nprintf '%s\\n' \"$ifb1\" \"$ifb2\" \"$probe\" \"$ifbu\"\n"))
        .expect("a file");
    let run = Command::new("sh").arg(&all).output().expect("a shell");
    String::from_utf8(run.stdout).expect("text").lines().map(str::to_owned).collect()
}

/// Names of devices have at most 15 bytes, as many as the kernel takes. They hold a link name of up to 10 characters as a whole.
#[test]
fn our_device_names_have_at_most_15_bytes() {
    let short = own_devices("abcdefghij");
    assert_eq!(short, ["ifb-abcdefghij", "ifb2-abcdefghij", "ifbp-abcdefghij", "ifbu-abcdefghij"]);
    let long = own_devices("berlin-office-3");
    assert_eq!(long, ["ifb-berli_fec8", "ifb2-berli_fec8", "ifbp-berli_fec8", "ifbu-berli_fec8"]);
    let dash = own_devices("work-in-the-north");
    assert!(dash[0].starts_with("ifb-work_"), "{dash:?}");
    let longest = own_devices(&"a".repeat(32));
    assert!([short, long, dash, longest].iter().flatten().all(|name| name.len() <= 15));
}
