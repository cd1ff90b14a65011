//! Findings in SARIF 2.1.0, the format of code scanning: one run for all files.

use super::json::printed;
use super::told::{Change, Cure, Location, Report, Told};
use crate::diag::Code;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Function that returns the page on a code, in Markdown.
pub type Pages = fn(Code) -> Option<&'static str>;

/// Renders one log with one run. `pages` returns the help on a code, in Markdown.
pub(super) fn render(files: &[Report], pages: Pages) -> String {
    let codes: BTreeSet<Code> = files.iter().flat_map(|file| &file.found).map(|told| told.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(*code, pages)).collect();
    let unread: Vec<Value> = files.iter().filter_map(notification).collect();
    let mut invocation = Map::new();
    invocation.insert("executionSuccessful".to_owned(), json!(unread.is_empty()));
    if !unread.is_empty() {
        invocation.insert("toolExecutionNotifications".to_owned(), json!(unread));
    }
    let run = Run {
        tool: json!({ "driver": {
            "name": "qosc",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }}),
        invocations: [invocation],
        column_kind: "unicodeCodePoints",
        results: Results { files, codes: &codes },
    };
    printed(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Value,
    invocations: [Map<String, Value>; 1],
    column_kind: &'static str,
    results: Results<'a>,
}

/// Results of all files. Each is made when it is printed, because all of them together would fill the memory.
struct Results<'a> {
    files: &'a [Report],
    codes: &'a [Code],
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = self.files.iter().flat_map(|file| file.found.iter().map(move |told| (told, file)));
        serializer.collect_seq(found.map(|(told, file)| result(told, file, self.codes)))
    }
}

fn rule(code: Code, pages: Pages) -> Value {
    let mut rule = json!({
        "id": code,
        "shortDescription": { "text": code.title() },
        "defaultConfiguration": { "level": code.severity() },
    });
    if let (Some(page), Some(rule)) = (pages(code), rule.as_object_mut()) {
        // Markdown is readable as plain text, too.
        rule.insert("help".to_owned(), json!({ "text": page, "markdown": page }));
    }
    rule
}

fn result(told: &Told, file: &Report, codes: &[Code]) -> Value {
    // A finding without a place in the user's text is about the file.
    let own = told.labels.first().filter(|label| label.own);
    let place = own.map_or_else(|| json!({ "physicalLocation": physical(&file.file) }), location);
    let mut result = json!({
        "ruleId": told.code,
        "ruleIndex": codes.iter().position(|code| *code == told.code),
        "level": told.severity,
        "message": { "text": told.with_help() },
        "locations": [place],
    });
    let others: Vec<Value> = told
        .labels
        .iter()
        .skip(usize::from(own.is_some()))
        .zip(1_u32..)
        .map(|(label, id)| related(label, id))
        .collect();
    if let (Some(result), false) = (result.as_object_mut(), others.is_empty()) {
        result.insert("relatedLocations".to_owned(), json!(others));
    }
    if let (Some(result), Some(cure)) = (result.as_object_mut(), &told.fix) {
        result.insert("fixes".to_owned(), json!([fix(cure, &file.file)]));
    }
    result
}

/// Fix object with the certain cure.
fn fix(cure: &Cure, file: &str) -> Value {
    let replacement = |change: &Change| {
        json!({
            "deletedRegion": {
                "startLine": change.start.line,
                "startColumn": change.start.column,
                "endLine": change.end.line,
                "endColumn": change.end.column,
            },
            "insertedContent": { "text": change.text },
        })
    };
    let replacements: Vec<Value> = cure.edits.iter().map(replacement).collect();
    json!({
        "description": { "text": cure.title },
        "artifactChanges": [{ "artifactLocation": { "uri": uri(file) }, "replacements": replacements }],
    })
}

/// Location in the user's file, with the text beside it.
fn location(place: &Location) -> Value {
    let mut physical = physical(place.file.as_deref().unwrap_or_default());
    if let Some(physical) = physical.as_object_mut() {
        let region = json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end.line,
            "endColumn": place.end.column,
        });
        physical.insert("region".to_owned(), region);
    }
    let mut location = json!({ "physicalLocation": physical });
    if let (Some(location), false) = (location.as_object_mut(), place.text.is_empty()) {
        location.insert("message".to_owned(), json!({ "text": place.text }));
    }
    location
}

/// Location that explains a finding. A built-in file has only a name.
fn related(place: &Location, id: u32) -> Value {
    let mut location = match &place.file {
        Some(file) if place.built_in => {
            let text = format!("{file}, line {}: {}", place.line, place.text);
            json!({ "message": { "text": text } })
        }
        _ => location(place),
    };
    if let Some(location) = location.as_object_mut() {
        location.insert("id".to_owned(), json!(id));
    }
    location
}

fn physical(file: &str) -> Value {
    json!({ "artifactLocation": { "uri": uri(file) } })
}

/// Notification that a file could not be read.
fn notification(file: &Report) -> Option<Value> {
    let words = file.unread.as_deref()?;
    let place = json!({ "physicalLocation": physical(&file.file) });
    Some(json!({ "level": "error", "message": { "text": words }, "locations": [place] }))
}

/// Converts a path into a reference (RFC 3986): a relative path as the user gave it, an absolute one as a `file` URI.
fn uri(path: &str) -> String {
    let relative = path.strip_prefix("./").filter(|rest| !rest.is_empty()).unwrap_or(path);
    let mut out = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in relative.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("./a/b.yaml"), "a/b.yaml");
        assert_eq!(uri("/etc/qosc/home.yaml"), "file:///etc/qosc/home.yaml");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("C:x/é %.yaml"), "C%3Ax/%C3%A9%20%25.yaml");
    }
}
