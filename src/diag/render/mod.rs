//! Findings as text, one renderer per format.
//!
//! What a finding repeats of a file, its name included, comes from anyone: every renderer replaces what could steer a
//! terminal or turn the order of letters.

mod clean;
mod excerpt;
mod github;
mod human;
mod json;
mod junit;
mod sarif;
mod short;
mod told;

pub use clean::line as for_terminal;
pub use told::{Report, Told};

use super::{Code, Diagnostic, Severity, Sources, count};

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
    /// - `help`: strings;
    /// - `fix`: `null`, or the cure that is certain: an object with `title` and `edits`, objects with `start`, `end` (each with
    ///   `line`, `column` and `offset`, in bytes from 0) and the `text` to be put there.
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
        Format::Json => json::render(&Told::all(found, sources).iter().collect::<Vec<_>>()),
    }
}

/// The page that explains a code, in Markdown.
pub type Pages = fn(Code) -> Option<&'static str>;

/// How the findings of all files together are printed.
#[derive(Debug, Clone, Copy)]
pub enum Together {
    /// One array as of [`Format::Json`].
    Json,
    /// SARIF 2.1.0: one run, with the rules that were broken.
    Sarif(Pages),
    /// Commands of GitHub's workflows.
    Github,
    /// JUnit's XML: a suite for each file.
    Junit,
}

/// The findings of several files as one text, ending with a newline; of none, GitHub's is empty.
#[must_use]
pub fn render_together(files: &[Report], format: Together) -> String {
    match format {
        Together::Json => json::render(&files.iter().flat_map(|file| &file.found).collect::<Vec<_>>()),
        Together::Sarif(pages) => sarif::render(files, pages),
        Together::Github => github::render(files),
        Together::Junit => junit::render(files),
    }
}

/// `2 errors, 1 warning`; nothing for no findings.
fn summary(found: &[Diagnostic]) -> String {
    counts(|severity| found.iter().filter(|d| d.severity == severity).count())
}

/// `2 errors, 1 warning`: of each severity as many as there are.
#[must_use]
pub fn counts(number: impl Fn(Severity) -> usize) -> String {
    let of = |severity: Severity| {
        let n = number(severity);
        (n > 0).then(|| count(n, severity.as_str()))
    };
    let parts: Vec<String> =
        [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(of).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests;
