//! The schemas of the JSON that commands print.

use super::diff_report::{FileReport, Report};
use super::plan::Router;
use super::rule::RuleReport;
use crate::{diag, explain};
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The JSON of a command.
pub struct Output {
    /// Name of the output, such as `check`.
    pub name: &'static str,
    /// Command that prints it.
    pub command: &'static str,
    /// Schema of the output (draft 2020-12).
    pub schema: Schema,
}

/// Returns the outputs whose form a type of this program determines.
#[must_use]
pub fn outputs() -> Vec<Output> {
    vec![
        output::<Vec<diag::Printed>>("check", "qosc check --format json"),
        output::<explain::Explanation>("explain", "qosc explain --format json"),
        output::<Vec<explain::packet::Meeting>>(
            "explain-packet",
            "qosc explain --packet PACKET --format json",
        ),
        output::<crate::plan::Plan>("plan", "qosc plan --format json"),
        output::<Vec<Router>>("plan-fleet", "qosc plan FOLDER --format json"),
        output::<Report<'_>>("diff", "qosc diff --format json"),
        output::<Vec<FileReport<'_>>>("diff-fleet", "qosc diff FOLDER FOLDER --format json"),
        output::<RuleReport>("rule", "qosc rule CODE --format json"),
        output::<Vec<RuleReport>>("rules", "qosc rule --format json"),
        output::<crate::fit::Report>("fit", "qosc fit --format json"),
        output::<crate::probe::Run>("ping", "qosc ping --format json"),
        output::<crate::lab::Report>("lab", "qosc lab --format json"),
        output::<crate::lab::VaryingReport>("lab-trace", "qosc lab --trace TRACE --format json"),
    ]
}

/// Derives the schema of an output.
fn output<T: JsonSchema>(name: &'static str, command: &'static str) -> Output {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    WordsOfJson.transform(&mut schema);
    Output { name, command, schema }
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
