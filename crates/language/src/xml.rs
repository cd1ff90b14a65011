//! Text in XML, for SVG pictures and HTML pages.

use crate::harmless::is_hidden;

/// Returns the text with XML's special characters escaped. U+FFFD replaces each hidden character, and each that XML 1.0
/// cannot contain.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Some CI systems obey lines with `##[`.
            '#' if out.ends_with('#') => out.push_str("&#35;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c if is_hidden(c) && c != '\n' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
