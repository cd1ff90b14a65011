//! Findings for programs. Their form is that of [`Format::Json`](super::Format::Json) and stays stable.

use super::clean::PLACE;
use super::printed::Printed;
use crate::harmless;
use serde::Serialize;

/// Prints an array of findings on several lines.
pub(super) fn render(found: &[&Printed]) -> String {
    printed(&found)
}

/// Prints JSON on several lines. Characters that could harm a terminal are escaped.
pub(super) fn printed(value: &impl Serialize) -> String {
    // every map has string keys and every number is finite, so JSON can hold all values
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = harmless::json(json);
    if out.contains(PLACE) {
        out = out.replace(PLACE, "\\ue000");
    }
    out.push('\n');
    out
}
