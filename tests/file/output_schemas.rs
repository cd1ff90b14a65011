//! The page that lists the fields of the JSON outputs, made from their schemas in `docs/reference/schema/`. `QOSC_BLESS=1
//! cargo test --lib schema` writes the schemas, then `QOSC_BLESS=1 cargo test --test file output_schemas` writes the page.
//! The output of the program has these fields and no others.

#![cfg(test)]

use crate::made_files::assert_made;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const HEAD: &str = "\
# Fields of the JSON outputs

This page is made from the types that the program prints. [Formats](../formats.md) explains the
outputs with examples. Each table has a [JSON Schema](schema/) (draft 2020-12).

A dot stands between an object and its key, and `[]` stands for each element of a list. A key that
may be missing is left out if it has no value. SARIF and JUnit have the form of their standards.
";

/// Outputs by the names of their schemas, each with the command that prints it.
const OUTPUTS: [(&str, &str); 13] = [
    ("check", "qosc check --format json"),
    ("explain", "qosc explain --format json"),
    ("explain-packet", "qosc explain --packet PACKET --format json"),
    ("plan", "qosc plan --format json"),
    ("plan-fleet", "qosc plan FOLDER --format json"),
    ("diff", "qosc diff --format json"),
    ("diff-fleet", "qosc diff FOLDER FOLDER --format json"),
    ("rule", "qosc rule CODE --format json"),
    ("rules", "qosc rule --format json"),
    ("fit", "qosc fit --format json"),
    ("ping", "qosc ping --format json"),
    ("lab", "qosc lab --format json"),
    ("lab-trace", "qosc lab --trace TRACE --format json"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// A field of an output.
struct Field {
    kind: String,
    about: String,
}

/// The fields of an output by their paths, in the order of the output.
struct Fields {
    schema: Value,
    paths: Vec<String>,
    fields: BTreeMap<String, Field>,
}

impl Fields {
    /// Reads the schema of an output.
    fn of(output: &str) -> Fields {
        let file = root().join(format!("docs/reference/schema/{output}.schema.json"));
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let mut fields = Fields { schema: schema.clone(), paths: Vec::new(), fields: BTreeMap::new() };
        fields.walk(&schema, "");
        fields
    }

    /// The schema that a reference stands for.
    fn resolved<'a>(&'a self, node: &'a Value) -> &'a Value {
        match node["$ref"].as_str() {
            Some(at) => self.resolved(self.schema.pointer(at.trim_start_matches('#')).unwrap()),
            None => node,
        }
    }

    /// The variants of a node; without any, the node itself.
    fn variants(node: &Value) -> Vec<&Value> {
        ["oneOf", "anyOf", "allOf"].iter().filter_map(|key| node[key].as_array()).flatten().collect()
    }

    fn walk(&mut self, node: &Value, path: &str) {
        let node = self.resolved(node).clone();
        if node["items"].is_object() {
            self.walk(&node["items"], &format!("{path}[]"));
        }
        for part in node["prefixItems"].as_array().into_iter().flatten() {
            self.walk(part, &format!("{path}[]"));
        }
        let required: Vec<&str> =
            node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, below) in node["properties"].as_object().into_iter().flatten() {
            let own = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let kind = self.kind(below);
            if let Some(field) = self.fields.get_mut(&own) {
                if !field.kind.contains(&kind) {
                    field.kind = format!("{} or {kind}", field.kind);
                }
            } else {
                // The words about a variant stand beside its only key.
                let variant = node["properties"].as_object().filter(|all| all.len() == 1).map(|_| &node);
                let places = [Some(below), Some(self.resolved(below)), variant];
                let about = places.into_iter().flatten().find_map(|place| place["description"].as_str());
                let mut about = match below["const"].as_str() {
                    Some(_) => format!("Kind of `{path}`."),
                    None => about.unwrap_or_default().replace('|', "\\|"),
                };
                if !required.contains(&key.as_str()) {
                    about.push_str(" It may be missing.");
                }
                self.paths.push(own.clone());
                self.fields.insert(own.clone(), Field { kind, about });
            }
            self.walk(below, &own);
        }
        for variant in Self::variants(&node) {
            self.walk(variant, path);
        }
    }

    /// The type of a node in words.
    fn kind(&self, node: &Value) -> String {
        let node = self.resolved(node);
        let variants = Self::variants(node);
        if !variants.is_empty() {
            let mut kinds: Vec<String> = Vec::new();
            for kind in variants.into_iter().map(|variant| self.kind(variant)) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            return kinds.join(" or ");
        }
        if let Some(only) = node["const"].as_str() {
            return format!("`{only}`");
        }
        if let Some(all) = node["enum"].as_array() {
            let all: Vec<String> =
                all.iter().filter_map(Value::as_str).map(|one| format!("`{one}`")).collect();
            return all.join(" or ");
        }
        if node["prefixItems"].is_array() {
            let parts: Vec<String> =
                node["prefixItems"].as_array().unwrap().iter().map(|part| self.kind(part)).collect();
            return format!("[{}]", parts.join(", "));
        }
        let kinds = match &node["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            Value::String(kind) => vec![kind.as_str()],
            _ => Vec::new(),
        };
        let kinds = kinds.into_iter().map(|kind| match kind {
            "array" => format!("list of {}", self.kind(&node["items"])),
            kind => kind.to_owned(),
        });
        kinds.collect::<Vec<_>>().join(" or ")
    }

    /// The table of the page.
    fn table(&self) -> String {
        let mut text = "| field | type | meaning |\n|---|---|---|\n".to_owned();
        for path in &self.paths {
            let Field { kind, about } = &self.fields[path];
            let _ = writeln!(text, "| `{path}` | {kind} | {} |", about.trim());
        }
        text
    }
}

#[test]
fn the_page_is_up_to_date() {
    let mut page = HEAD.to_owned();
    for (name, command) in OUTPUTS {
        let fields = Fields::of(name);
        for path in &fields.paths {
            let Field { kind, about } = &fields.fields[path];
            assert!(!kind.is_empty(), "{name}: {path} has no type");
            assert!(!about.trim().is_empty() && !about.starts_with(" It"), "{name}: {path} has no words");
        }
        let what = if fields.schema["type"] == "array" { "A list of objects" } else { "An object" };
        let _ = write!(
            page,
            "\n## `{command}`\n\n{what}; its schema is [{name}.schema.json](schema/{name}.schema.json).\n\n{}",
            fields.table()
        );
    }
    assert_made("docs/reference/json.md", &page, "cargo test --test file output_schemas");
}

/// The paths of all fields of a value.
fn paths(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| paths(item, &format!("{path}[]"), all)),
        Value::Object(fields) => {
            for (key, below) in fields {
                let own = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                paths(below, &own, all);
                all.insert(own);
            }
        }
        _ => {}
    }
}

/// Returns the JSON that the program prints.
fn printed(arguments: &[&str]) -> Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(root()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{text}"))
}

fn files(folder: &str, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let of_kind = entries.filter(|path| path.extension().is_some_and(|found| found == extension));
    of_kind.map(|path| path.display().to_string()).collect()
}

/// Outputs of the program, by the names of their schemas.
fn samples() -> Vec<(&'static str, Value)> {
    let json = ["--format", "json"];
    let run = |arguments: &[&str]| printed(&[arguments, &json].concat());
    let file =
        |path: &str| serde_json::from_str(&std::fs::read_to_string(root().join(path)).unwrap()).unwrap();
    let mut all = vec![
        ("diff", run(&["diff", "examples/vdsl2-home.yaml", "examples/uk-fttc.yaml"])),
        ("diff-fleet", run(&["diff", "tests/diff/margin", "tests/diff/added"])),
        ("diff-fleet", run(&["diff", "tests/bad", "tests/bad"])),
        ("rule", run(&["rule", "Q0101"])),
        ("rules", run(&["rule"])),
        ("plan-fleet", run(&["plan", "tests/plan"])),
        ("ping", file("docs/ping/with.json")),
        ("lab", file("tests/measure/page/lab.json")),
        ("lab-trace", file("tests/measure/page/lab-trace.json")),
    ];
    all.extend(files("tests/bad", "yaml").iter().map(|path| ("check", run(&["check", path]))));
    for path in files("examples", "yaml") {
        all.push(("explain", run(&["explain", &path])));
        for packet in [
            "up udp 192.168.1.5:5060 > 198.51.100.9:5060 dscp ef",
            "up tcp 192.168.1.5:50000 > 198.51.100.9:443",
        ] {
            all.push(("explain-packet", run(&["explain", &path, "--packet", packet])));
        }
    }
    for dump in files("tests/plan", "dump") {
        let yaml = dump.replace(".dump", ".yaml");
        if Path::new(&yaml).exists() {
            all.push(("plan", run(&["plan", &yaml, "--dump", &dump])));
        }
    }
    all.push(("fit", run(&["fit", "--size", "udp", "--rate", "6.5mbit", "docs/fit/vdsl2.csv"])));
    all
}

#[test]
fn outputs_fit_their_schemas() {
    let mut seen = BTreeSet::new();
    for (name, value) in samples() {
        let fields = Fields::of(name);
        let validator = jsonschema::validator_for(&fields.schema).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{name}: {error} at {}", error.instance_path());
        }
        let mut found = BTreeSet::new();
        paths(&value, "", &mut found);
        let unknown: Vec<&String> = found.iter().filter(|path| !fields.fields.contains_key(*path)).collect();
        assert!(unknown.is_empty(), "{name} has fields that its schema lacks: {unknown:?}");
        seen.insert(name);
    }
    assert_eq!(seen, OUTPUTS.map(|(name, _)| name).into(), "every output was checked");
    let there = files("docs/reference/schema", "json");
    assert_eq!(there.len(), OUTPUTS.len(), "the page lists each of {there:?}");
}
