//! Values of the model, read from the JSON that `--emit model` prints, with the labels of the report.

use qosc_compiler::units::Bytes;
use serde_json::Value;

/// Labels of sizes, which JSON has as numbers and the report with a unit.
const BYTES: [&str; 7] =
    ["bql", "burst", "cburst", "policer burst", "queue.memory", "tcp send buffer", "tcp receive buffer"];

/// A value of one object, and its origin if the model keeps one.
#[derive(Debug, Clone)]
pub(super) struct Fact<'a> {
    /// Label without the direction, such as `guarantee` or `queue.flows`.
    pub(super) label: String,
    /// `up` or `down`; empty if the value holds for both.
    pub(super) direction: &'a str,
    value: &'a Value,
}

/// Returns the values of a view: an object with labels as keys, which may hold directions and further objects. Each
/// value becomes one fact, and a missing one is `null`.
pub(super) fn facts(view: &Value) -> Vec<Fact<'_>> {
    let mut facts = Vec::new();
    collect(view, "", "", &mut facts);
    facts
}

fn collect<'a>(value: &'a Value, label: &str, direction: &'a str, facts: &mut Vec<Fact<'a>>) {
    let Some(fields) = value.as_object().filter(|fields| !fields.contains_key("value")) else {
        return facts.push(Fact { label: label.to_owned(), direction, value });
    };
    for (key, value) in fields {
        match key.as_str() {
            "up" | "down" => collect(value, label, key, facts),
            "" => collect(value, label, direction, facts),
            _ if label.is_empty() => collect(value, key, direction, facts),
            _ => collect(value, &format!("{label}.{key}"), direction, facts),
        }
    }
}

impl Fact<'_> {
    /// Returns the value as the YAML has it; `None` if there is none.
    pub(super) fn text(&self) -> Option<String> {
        let text = text(self.value)?;
        let bytes = BYTES.contains(&self.label.as_str()).then(|| text.parse().ok()).flatten();
        Some(bytes.map_or(text, |bytes| Bytes::new(bytes).to_string()))
    }

    /// Returns the text that somebody wrote, or that the model has without an origin.
    pub(super) fn written(&self) -> Option<String> {
        match (self.value.get("asked"), self.value.get("origin")) {
            (Some(asked), _) => text(asked),
            (None, Some(origin)) => origin.get("given").and(self.text()),
            (None, None) => self.text(),
        }
    }

    /// Returns the reason for a default.
    pub(super) fn reason(&self) -> Option<&str> {
        self.value.pointer("/origin/default/why")?.as_str()
    }

    /// Returns the line of the user's own file that the value comes from.
    pub(super) fn line(&self) -> Option<u32> {
        let given = self.value.pointer("/origin/given");
        let place = given.or_else(|| self.value.pointer("/origin/derived/from"))?;
        let is_own = place.get("file")?.as_u64() == Some(0);
        is_own.then(|| place.get("line")?.as_u64()?.try_into().ok()).flatten()
    }
}

/// Returns a value as text: a list in a fixed order, and of an object its `value` or its only field.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => {
            let mut texts: Vec<String> = list.iter().filter_map(text).collect();
            texts.sort_unstable();
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        Value::Object(fields) => fields.get("value").or_else(|| fields.values().next()).and_then(text),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
    }
}
