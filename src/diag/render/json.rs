//! Findings for programs. Their form is that of [`Format::Json`](super::Format::Json) and stays stable.

use super::clean;
use super::told::Told;
use serde::Serialize;
use std::fmt::Write as _;

/// Prints an array of findings on several lines.
pub(super) fn render(found: &[&Told]) -> String {
    printed(&found)
}

/// Prints JSON on several lines. Characters that could harm a terminal are escaped.
pub(super) fn printed(value: &impl Serialize) -> String {
    // every map has string keys and every number is finite, so JSON can hold all values
    let mut json = serde_json::to_string_pretty(value).unwrap_or_default();
    let harmless = |c: char| c == '\n' || clean::shown(c) == c;
    if json.chars().all(harmless) {
        json.push('\n');
        return json;
    }
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if harmless(c) {
            out.push(c);
        } else {
            // such characters occur only in strings, where an escape has the same meaning
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _infallible = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push('\n');
    out
}
