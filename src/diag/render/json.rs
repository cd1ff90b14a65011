//! For programs: the shape is that of [`Format::Json`](super::Format::Json), and keeps.

use super::clean;
use super::told::Told;
use serde::Serialize;
use std::fmt::Write as _;

/// An array of findings on several lines.
pub(super) fn render(found: &[&Told]) -> String {
    printed(&found)
}

/// JSON on several lines, in ASCII where a terminal could take harm.
pub(super) fn printed(value: &impl Serialize) -> String {
    // no map has keys that are not strings, and no number is not finite: nothing that JSON cannot hold
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if c == '\n' || clean::shown(c) == c {
            out.push(c);
        } else {
            // such characters stand in strings only, where an escape means the same
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _infallible = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push('\n');
    out
}
