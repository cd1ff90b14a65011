//! Findings as text, one renderer per format.
//!
//! What a finding repeats of a file, its name included, comes from anyone: every renderer replaces what could steer a
//! terminal or turn the order of letters.

mod clean;
mod excerpt;
mod human;
mod json;
mod short;

pub use clean::line as for_terminal;

use super::{Diagnostic, Severity, Sources, count};

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With the text underlined, and the number of errors and warnings in a last line.
    Human {
        /// Whether to colour.
        colour: bool,
    },
    /// One line each: `file:line:column: error[Q0102]: message`.
    Short,
    /// A JSON array with an object for each finding, in a shape that keeps:
    ///
    /// - `code`, such as `"Q0102"`; `severity`: `"error"`, `"warning"` or `"note"`; `message`;
    /// - `file`, `line`, `column`, `end`: the place that is wrong; `null` where there is no text to point at;
    /// - `labels`: objects with `file`, `line`, `column`, `end`, `text` (may be empty) and `primary` (true or false);
    /// - `help`: strings.
    ///
    /// Lines and columns are numbers from 1, columns in characters; `end` is an object with the `line` and `column`
    /// behind the last character.
    Json,
}

/// Findings as text, ending with a newline. Without findings, JSON is an empty array and the others are empty.
#[must_use]
pub fn render(found: &[Diagnostic], sources: &Sources, format: Format) -> String {
    match format {
        Format::Human { colour } => human::render(found, sources, colour),
        Format::Short => short::render(found, sources),
        Format::Json => json::render(found, sources),
    }
}

/// `2 errors, 1 warning`; nothing for no findings.
fn summary(found: &[Diagnostic]) -> String {
    let of = |severity| {
        let n = found.iter().filter(|d| d.severity == severity).count();
        (n > 0).then(|| count(n, severity.as_str()))
    };
    let parts: Vec<String> =
        [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(of).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests;
