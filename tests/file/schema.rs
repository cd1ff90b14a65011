//! The schema for editors: it accepts all that `check` accepts, and `check` refuses all that it refuses.
//!
//! `QOSC_BLESS=1 cargo test --lib schema` writes it. `tests/schema/` lists the files that `check` refuses and a schema
//! cannot.

#![cfg(test)]

use crate::blocks::blocks;
use crate::golden;
use jsonschema::Validator;
use qosc_compiler::compile::{Options, Stage};
use qosc_compiler::diag::{Code, Sink, Sources};
use qosc_compiler::rules::{self, Page};
use qosc_compiler::{schema, syntax};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The schema that the program contains.
fn schema() -> Value {
    serde_json::from_str(schema::text()).expect("JSON")
}

fn validator() -> Validator {
    jsonschema::draft7::new(&schema()).expect("a schema")
}

/// A document as an editor's validator sees it: merged, then as JSON. `None` if it is not YAML, or JSON cannot
/// represent it.
fn as_json(yaml: &str) -> Option<Value> {
    // libyaml takes this character for a line break, even in a comment.
    let yaml = yaml.replace('\u{2028}', "");
    let mut value: serde_yaml::Value = serde_yaml::from_str(&yaml).ok()?;
    value.apply_merge().ok()?;
    serde_json::to_value(value).ok()
}

/// The YAML files below one of our folders, by their path in the repository.
fn files(below: &str) -> BTreeMap<String, String> {
    let mut folders = vec![root().join(below)];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                let bytes = std::fs::read(&path).unwrap();
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    found
}

/// The examples on the rules' pages, bad and good, as if they were files.
fn pages() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (code, page) in Code::ALL.iter().filter_map(|code| Some((code, rules::page(*code)?))) {
        for heading in ["Bad", "Good"] {
            for block in blocks(Page::read(page).section(heading).unwrap().text) {
                if block.language == "yaml" {
                    found.insert(format!("{heading} of {code}"), block.text.to_owned());
                }
            }
        }
    }
    found
}

/// The codes of the errors that `check` reports for each of these texts.
fn errors(texts: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let dir = tempfile::tempdir().unwrap();
    // Each text has a folder of its own, so that equal names of links do not matter.
    let paths: BTreeMap<PathBuf, &String> = texts
        .keys()
        .enumerate()
        .map(|(n, name)| (dir.path().join(n.to_string()).join("home.yaml"), name))
        .collect();
    for (path, name) in &paths {
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        std::fs::write(path, &texts[*name]).unwrap();
    }
    let mut found: BTreeMap<String, BTreeSet<String>> =
        texts.keys().map(|name| (name.clone(), BTreeSet::new())).collect();
    // Some of these texts take much of the budget of a run.
    let all: Vec<&PathBuf> = paths.keys().collect();
    let findings = all.chunks(20).flat_map(|paths| {
        let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
        let output = qosc.args(["check", "--format", "json"]).args(paths).output().unwrap();
        serde_json::from_slice::<Vec<Value>>(&output.stdout).expect("findings")
    });
    for finding in findings.collect::<Vec<_>>().iter().filter(|finding| finding["severity"] == "error") {
        let file = finding["file"].as_str().expect("a file");
        let name = paths[Path::new(file)];
        found.get_mut(name).unwrap().insert(finding["code"].as_str().unwrap().to_owned());
    }
    found
}

#[test]
fn the_schema_is_valid_for_draft_07() {
    let schema = schema();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    jsonschema::draft7::meta::validate(&schema).expect("a schema");
}

#[test]
fn the_program_prints_the_checked_in_schema() {
    let printed = Command::new(env!("CARGO_BIN_EXE_qosc")).arg("schema").output().unwrap();
    let there = std::fs::read_to_string(root().join("schema/qosc.schema.json")).unwrap();
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), there);
}

#[test]
fn every_preset_is_valid_for_the_schema() {
    let validator = validator();
    for (name, text) in files("profiles/classes") {
        let mut document = as_json(&text).unwrap();
        document["link"] = json!({ "device": "ppp0", "up": "6mbit", "down": "25mbit" });
        let wrong: Vec<String> =
            validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    }
}

/// Compares in both directions. A text that `check` accepts must be valid. The snapshot lists texts that are valid but
/// refused.
#[test]
fn check_rejects_all_that_the_schema_rejects() {
    let mut texts = files("examples");
    texts.extend(files("tests"));
    texts.extend(pages());
    let errors = errors(&texts);
    let validator = validator();
    let (mut taken, mut refused, mut beyond) = (0, 0, String::new());
    for (name, text) in &texts {
        let codes = &errors[name];
        let Some(document) = as_json(text) else {
            assert!(!codes.is_empty(), "{name} is no YAML to serde_yaml");
            continue;
        };
        let wrong: Vec<String> =
            validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
        match (codes.is_empty(), wrong.is_empty()) {
            (true, valid) => {
                assert!(valid, "{name} is fine, and invalid: {wrong:#?}");
                taken += 1;
            }
            (false, false) => refused += 1,
            (false, true) => {
                let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
                beyond += &format!("{name}: {}\n", codes.join(" "));
            }
        }
    }
    assert!(taken > 100 && refused > 30, "{taken} {refused}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../schema");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| golden::assert_golden!("beyond", beyond));
}

/// A file with every key.
const EVERYTHING: &str = r#"
name: home
include: [common.yaml, more/other.yaml]
link:
  device: ppp0
  devices: { eth1.8: { up: 100kbit } }
  profile: vdsl2-pppoe
  up: 6.5mbit
  down: 25mbit
  overhead: 30
  mpu: 64
  layer: ptm
  shaped: { up: 6mbit }
  vary: { down: [10mbit, 60mbit], probe: [192.0.2.1], delay: 20ms }
  margin: { down: 5% }
  mtu: 1492
  ingress: shape
  engine: { up: htb, down: htb }
  frames: auto
  trust_dscp: false
  wash: up
lan: { device: br-lan, networks: [192.168.1.0/24], nat: { ipv4: true, ipv6: false }, shaped: true }
hosts:
  router: { self: true }
  ata: { address: 192.168.1.5, mac: "02:00:5e:10:00:01", class: voice, guarantee: { up: 10% }, ceiling: 1mbit }
  guests: { address: 192.168.9.0/28, each: { guarantee: { up: 1% }, ceiling: { up: 1mbit, down: 4mbit } } }
tunnels:
  vps: { kind: vxlan, device: vxlan0, remote: 198.51.100.7, port: 4789, mtu: 1400, inner: match, nat: false }
classes:
  voice:
    id: 77
    before: tree
    priority: 0
    guarantee: { up: 20%, down: 1mbit }
    ceiling: 90%
    share: per-flow
    queue: { kind: fq_codel, target: 5ms, interval: 100ms, limit: 1000, quantum: 300, flows: 128, ecn: { up: true, down: false }, memory: 4MiB }
    set_dscp: ef
    match:
      - { host: ata, local: 192.168.1.5, remote: 198.51.100.9, protocol: udp, local_port: 5060, remote_port: 5061 }
      - { port: 53, protocol: [udp, tcp], family: ipv4, direction: up, length: "<128" }
      - { dscp: cs5, mark: 0x10/0xff, direction: up }
      - { tunnel: vps, tcp: ack, ecn: [ect1, ce] }
      - { device: eth1.8 }
      - { app: sip }
  tree:
    classes:
      left: { queue: { up: cake, down: { cake: { rtt: 40ms, diffserv: besteffort, ack_filter: true, wash: false } } }, match: { protocol: 17 } }
      right: { queue: { kind: fifo, limit: 100 } }
  rest: { default: true, share: { up: per-flow, down: per-host }, queue: { up: fq_codel, down: cake } }
  work: { template: office }
templates:
  office: { classes: { calls: { guarantee: 20% }, others: {} } }
police:
  guests: { direction: down, match: [{ remote: 203.0.113.0/24 }], rate: 4mbit, burst: 64KiB, exceed: drop, bypass: false }
tuning: { offloads: auto, txqueuelen: 100, bql: 6000, tcp: { rtt: 40ms }, ecn: true, mark_mask: 0xff000000 }
script: { calls: [rate, metrics] }
expect:
  - { load: upload, from: ata, class: voice, measure: stream, on: ata, of: voice, p99: 25ms }
  - { measure: ping, p50: 5ms, max: 40ms, jitter: 1ms, loss: 0.5%, share: 45%, rate: 2mbit }
variants:
  night: { when: "23:00-06:00", days: [mon-fri], set: { link: { up: 6mbit }, classes: { rest: { priority: 4 } } } }
"#;

/// Replacements that are put in place of each value.
const DAMAGE: &[&str] = &[
    "~",
    "0",
    "8",
    "257",
    "65536",
    "1000001",
    "1.5",
    "true",
    "10ms",
    "6mbit",
    "20%",
    "4MiB",
    "192.168.1.9",
    "192.168.1.256",
    "2001:db8::7",
    "ef",
    "x-y z",
    "up",
    "auto",
    "cake",
    "<100",
    "0x10/0xff",
    "53-54",
    "[]",
    "{}",
    "{ up: 1mbit }",
    "{ zzz: 1 }",
    "[53, 99]",
];

/// The path of every value in a document: the keys and numbers that lead to it.
fn places(value: &serde_yaml::Value, at: &str, found: &mut Vec<String>) {
    match value {
        serde_yaml::Value::Mapping(entries) => {
            for (key, value) in entries {
                let at = format!("{at}/{}", key.as_str().unwrap());
                places(value, &at, found);
                found.push(at);
            }
        }
        serde_yaml::Value::Sequence(items) => {
            for (n, item) in items.iter().enumerate() {
                let at = format!("{at}/{n}");
                places(item, &at, found);
                found.push(at);
            }
        }
        _ => {}
    }
}

/// Returns the value at a path.
fn place<'v>(value: &'v mut serde_yaml::Value, at: &str) -> &'v mut serde_yaml::Value {
    at.split('/').skip(1).fold(value, |value, key| match value {
        serde_yaml::Value::Sequence(items) => &mut items[key.parse::<usize>().unwrap()],
        _ => &mut value[key],
    })
}

/// Returns true if the text can be read. This concerns its shape, not its meaning.
fn reads(yaml: &str) -> bool {
    let (mut sources, mut sink) = (Sources::default(), Sink::default());
    let file = sources.add("home.yaml", yaml);
    let _ = syntax::read(&sources, file, &mut sink);
    !sink.has_errors() && (!yaml.contains("variants:") || reads_variant(yaml))
}

/// Returns true if what the variant sets can be read in its own configuration.
fn reads_variant(yaml: &str) -> bool {
    let options =
        Options { variant: Some("night".to_owned()), last: Stage::Model, ..Options::of("home.yaml") };
    let compiled = qosc_compiler::compile(yaml, &options);
    // Codes of the shape: an unknown or missing key, a wrong type, and values.
    let shape = |code: &str| code.starts_with("Q02") || ("Q0102".."Q0108").contains(&code);
    let is_wrong = compiled.errors().any(|error| shape(error.code.as_str()));
    !is_wrong
}

/// True where `null` can remove what another layer of the file defines. The reader sees one layer.
fn can_be_removed(at: &str, damage: &str) -> bool {
    let mut keys = at.rsplit('/').skip(1);
    let named = ["hosts", "tunnels", "classes", "templates", "police", "variants"];
    damage == "~" && keys.next().is_some_and(|key| named.contains(&key))
}

/// True for the names of built-in files. The reader accepts one that nothing can have, because the lookup comes later.
fn is_looked_up(at: &str) -> bool {
    at == "/link/profile" || at.ends_with("/app")
}

/// Replaces every value of a file with every key by everything else. The schema and the reader must agree, except for
/// known differences.
#[test]
fn schema_and_reader_agree_on_damaged_values() {
    let whole: serde_yaml::Value = serde_yaml::from_str(EVERYTHING).unwrap();
    let validator = validator();
    assert!(reads(EVERYTHING) && validator.is_valid(&as_json(EVERYTHING).unwrap()));
    let mut all = Vec::new();
    places(&whole, "", &mut all);
    let (mut beyond, mut stricter, mut tried) = (String::new(), String::new(), 0);
    for at in all {
        // Other sections make no difference, and take time.
        let section = at.split('/').nth(1).unwrap();
        let mut around = whole.clone();
        around.as_mapping_mut().unwrap().retain(|key, _| key == section || key == "link");
        if section != "link" {
            around["link"]
                .as_mapping_mut()
                .unwrap()
                .retain(|key, _| key == "device" || key == "up" || key == "down");
        }
        for damage in DAMAGE {
            let mut document = around.clone();
            *place(&mut document, &at) = serde_yaml::from_str(damage).unwrap();
            let yaml = serde_yaml::to_string(&document).unwrap();
            let (read, valid) = (reads(&yaml), validator.is_valid(&as_json(&yaml).unwrap()));
            tried += 1;
            match (read, valid) {
                (true, false) if is_looked_up(&at) => {}
                (false, true) if can_be_removed(&at, damage) => {}
                (true, false) => stricter += &format!("{at}: {damage}\n"),
                (false, true) => beyond += &format!("{at}: {damage}\n"),
                _ => {}
            }
        }
    }
    assert!(tried > 2500, "{tried}");
    assert_eq!(stricter, "", "read, and refused by the schema");
    assert_eq!(beyond, "", "valid, and not read");
}

/// Spellings of a value: `@` stands for the value itself. `true` if YAML readers disagree about the spelling, or if a
/// schema cannot see it, so that only the reader refuses some values.
const SPELLINGS: &[(&str, bool)] = &[
    ("@", false),
    ("\"@\"", false),
    ("'@'", false),
    ("!!str @", false),
    ("!!str \"@\"", false),
    ("\" @ \"", false),
    ("\"+@\"", false),
    ("\"-@\"", false),
    ("\"0@\"", false),
    ("\"@.0\"", false),
    ("\"@e0\"", false),
    ("\"0x@\"", false),
    ("!!int @", true),
    ("!!int \"@\"", true),
    ("!own @", true),
    ("+@", true),
    ("-@", true),
    ("0@", true),
    ("00@", true),
    ("@.0", true),
    ("@e0", true),
    ("@_0", true),
    ("0x@", true),
    ("0X@", true),
    ("0o@", true),
    ("0b@", true),
    ("-0x@", true),
];

/// Writes every scalar of a file with every key, and a number in its place, in all spellings.
#[test]
fn schema_and_reader_agree_on_every_spelling() {
    const MARK: &str = "a-value-to-replace";
    // Only arithmetic rejects some texts of these, such as a size below the least one.
    const ARITHMETIC: [&str; 2] = ["/tuning/bql", "/classes/voice/match/2/mark"];
    let whole: serde_yaml::Value = serde_yaml::from_str(EVERYTHING).unwrap();
    let validator = validator();
    let mut all = Vec::new();
    places(&whole, "", &mut all);
    let (mut beyond, mut stricter, mut accepted) = (String::new(), String::new(), 0);
    for at in all {
        let mut document = whole.clone();
        let section = at.split('/').nth(1).unwrap();
        document.as_mapping_mut().unwrap().retain(|key, _| key == section || key == "link");
        let value = std::mem::replace(place(&mut document, &at), MARK.into());
        let own = match value {
            serde_yaml::Value::String(text) => text,
            serde_yaml::Value::Number(number) => number.to_string(),
            serde_yaml::Value::Bool(value) => value.to_string(),
            _ => continue,
        };
        let marked = serde_yaml::to_string(&document).unwrap();
        for value in [own.as_str(), "8"] {
            for (spelling, is_disputed) in SPELLINGS {
                let written = spelling.replace('@', value);
                let yaml = marked.replace(MARK, &written);
                let read = reads(&yaml);
                let valid = as_json(&yaml).is_some_and(|document| validator.is_valid(&document));
                accepted += usize::from(read && valid);
                if read && !valid && !is_looked_up(&at) {
                    stricter += &format!("{at}: {written}\n");
                } else if valid && !read && !is_disputed && !ARITHMETIC.contains(&at.as_str()) {
                    beyond += &format!("{at}: {written}\n");
                }
            }
        }
    }
    assert!(accepted > 300, "{accepted}");
    assert_eq!(stricter, "", "read, and refused by the schema");
    assert_eq!(beyond, "", "valid, and not read");
}

/// The keys of all mappings in a schema.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    if let Some(Value::Object(properties)) = value.get("properties") {
        found.extend(properties.keys().cloned());
    }
    match value {
        Value::Object(object) => object.values().for_each(|value| keys(value, found)),
        Value::Array(items) => items.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_of_the_schema_occurs_in_a_test_file() {
    let (mut known, mut written) = (BTreeSet::new(), Vec::new());
    keys(&schema(), &mut known);
    places(&serde_yaml::from_str(EVERYTHING).unwrap(), "", &mut written);
    let written: BTreeSet<&str> = written.iter().map(|at| at.rsplit('/').next().unwrap()).collect();
    let elsewhere: Vec<&String> = known.iter().filter(|key| !written.contains(key.as_str())).collect();
    let others = ["fifo", "fq_codel", "links", "new", "preset", "reclassify"];
    assert_eq!(elsewhere, others, "and those are tried by other files");
}
