//! Findings in SARIF 2.1.0, the format of code scanning: one run for all files.

use super::json::printed;
use super::printed::{Change, CheckedFile, Cure, Location, Printed};
use crate::diag::Code;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Function that returns the page on a code, in Markdown.
pub type Pages = fn(Code) -> Option<&'static str>;

/// Renders one log with one run. `pages` returns the help on a code, in Markdown.
pub(super) fn render(files: &[CheckedFile], pages: Pages) -> String {
    let codes: BTreeSet<Code> = files.iter().flat_map(|file| &file.found).map(|one| one.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(*code, pages)).collect();
    let unread: Vec<Value> = files.iter().filter_map(notification).collect();
    let run = Run {
        tool: json!({ "driver": {
            "name": "qosc",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }}),
        invocations: [object(json!({
            "executionSuccessful": unread.is_empty(),
            "toolExecutionNotifications": some(unread),
        }))],
        column_kind: "unicodeCodePoints",
        results: Results { files, codes: &codes },
    };
    printed(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

/// Returns an object without its keys that are `null`.
fn object(mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.retain(|_, value| !value.is_null());
    }
    value
}

/// Returns a list, or `None` if it is empty.
fn some(list: Vec<Value>) -> Option<Vec<Value>> {
    Some(list).filter(|list| !list.is_empty())
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
    invocations: [Value; 1],
    column_kind: &'static str,
    results: Results<'a>,
}

/// Results of all files. Each is made when it is printed, because all of them together would fill the memory.
struct Results<'a> {
    files: &'a [CheckedFile],
    codes: &'a [Code],
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = self.files.iter().flat_map(|file| file.found.iter().map(move |one| (one, file)));
        serializer.collect_seq(found.map(|(one, file)| result(one, file, self.codes)))
    }
}

fn rule(code: Code, pages: Pages) -> Value {
    object(json!({
        "id": code,
        "shortDescription": { "text": code.title() },
        "defaultConfiguration": { "level": code.severity() },
        // Markdown is readable as plain text, too.
        "help": pages(code).map(|page| json!({ "text": page, "markdown": page })),
    }))
}

fn result(one: &Printed, file: &CheckedFile, codes: &[Code]) -> Value {
    // A finding without a place in the user's text is about the file.
    let own = one.own_place();
    let place = own.map_or_else(|| json!({ "physicalLocation": physical(&file.file, None) }), location);
    let others = one.labels.iter().skip(usize::from(own.is_some())).zip(1_u32..);
    object(json!({
        "ruleId": one.code,
        "ruleIndex": codes.iter().position(|code| *code == one.code),
        "level": one.severity,
        "message": { "text": one.with_help() },
        "locations": [place],
        "relatedLocations": some(others.map(|(label, id)| related(label, id)).collect()),
        "fixes": one.fix.as_ref().map(|cure| [fix(cure, &file.file)]),
    }))
}

/// Fix object with the certain cure.
fn fix(cure: &Cure, file: &str) -> Value {
    let replacement = |change: &Change| {
        let region = region((change.start.line, change.start.column), (change.end.line, change.end.column));
        json!({ "deletedRegion": region, "insertedContent": { "text": change.text } })
    };
    let replacements: Vec<Value> = cure.edits.iter().map(replacement).collect();
    json!({
        "description": { "text": cure.title },
        "artifactChanges": [{ "artifactLocation": { "uri": uri(file) }, "replacements": replacements }],
    })
}

fn region(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({ "startLine": start.0, "startColumn": start.1, "endLine": end.0, "endColumn": end.1 })
}

/// Location in the user's file, with the text beside it.
fn location(place: &Location) -> Value {
    let region = region((place.line, place.column), (place.end.line, place.end.column));
    let text = Some(&place.text).filter(|text| !text.is_empty());
    object(json!({
        "physicalLocation": physical(place.file.as_deref().unwrap_or_default(), Some(region)),
        "message": text.map(|text| json!({ "text": text })),
    }))
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

fn physical(file: &str, region: Option<Value>) -> Value {
    object(json!({ "artifactLocation": { "uri": uri(file) }, "region": region }))
}

/// Notification that a file could not be read.
fn notification(file: &CheckedFile) -> Option<Value> {
    let words = file.unread.as_deref()?;
    let place = json!({ "physicalLocation": physical(&file.file, None) });
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
