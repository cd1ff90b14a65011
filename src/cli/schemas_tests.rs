//! The schemas of the JSON that commands print, in `docs/reference/schema/`. They are derived from the types that are
//! printed. `QOSC_BLESS=1 cargo test --lib schema` writes them. `tests/file/output_schemas.rs` compares them with outputs.

use super::diff_report::{DiffReport, FileReport};
use super::plan::Router;
use super::rule::RuleReport;
use crate::made_files::assert_made;
use qosc_compiler::diag;
use qosc_measure::{fit, lab, probe};
use qosc_preview::{explain, plan};
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn the_checked_in_schemas_of_outputs_are_up_to_date() {
    let all = [
        ("check", derived::<Vec<diag::Printed>>()),
        ("explain", derived::<explain::Explanation>()),
        ("explain-packet", derived::<Vec<explain::packet::Meeting>>()),
        ("plan", derived::<plan::Plan>()),
        ("plan-fleet", derived::<Vec<Router>>()),
        ("diff", derived::<DiffReport<'_>>()),
        ("diff-fleet", derived::<Vec<FileReport<'_>>>()),
        ("rule", derived::<RuleReport>()),
        ("rules", derived::<Vec<RuleReport>>()),
        ("fit", derived::<fit::FitReport>()),
        ("ping", derived::<probe::Run>()),
        ("lab", derived::<lab::LabReport>()),
        ("lab-trace", derived::<lab::VaryingReport>()),
    ];
    let folder = "docs/reference/schema";
    let name = |name: &str| format!("{name}.schema.json");
    for (output, schema) in &all {
        let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
        assert_made(&format!("{folder}/{}", name(output)), &text, "cargo test --lib schema");
    }
    let there = std::fs::read_dir(format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let there: BTreeSet<String> =
        there.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(there, all.iter().map(|(output, _)| name(output)).collect());
}

/// Derives the schema of an output (draft 2020-12).
fn derived<T: JsonSchema>() -> Schema {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    WordsOfJson.transform(&mut schema);
    schema
}

/// Puts the words of JSON in place of those of Rust, and removes the widths of integers.
struct WordsOfJson;

impl Transform for WordsOfJson {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("format");
        if let Some(Value::String(words)) = object.get_mut("description") {
            *words =
                words.replace("`None`", "`null`").replace("[`", "`").replace("`]", "`").replace('\n', " ");
        }
    }
}
