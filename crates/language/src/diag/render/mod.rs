//! Renderers of findings, one for each format.
//!
//! Findings repeat text from a file, including its name, and this text may come from anyone. Every renderer replaces
//! characters that could control a terminal or change the order of letters.

mod clean;
mod excerpt;
mod github;
mod human;
mod json;
mod junit;
mod printed;
mod sarif;
mod short;
mod summary;

pub use clean::for_terminal;
pub use printed::{CheckedFile, Printed};
pub use sarif::Pages;
pub use summary::counts;

use super::{Diagnostic, Sources};

/// Format of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text with underlined places, and the number of errors and warnings in the last line.
    Human {
        /// True for coloured output.
        colour: bool,
    },
    /// One line each: `file:line:column: error[Q0102]: message (label); help: help; help: help`. The label in brackets is left
    /// out where the place has none, and each line of help follows a `; help: `.
    Short,
    /// A JSON array with an object for each finding. Its form is stable:
    ///
    /// - `code`, such as `"Q0102"`; `severity`: `"error"`, `"warning"` or `"note"`; `message`;
    /// - `file`, `line`, `column`, `end`: the place of the problem; `null` if there is no text to point at;
    /// - `labels`: objects with `file`, `line`, `column`, `end`, `text` (may be empty) and `primary` (true or false);
    /// - `help`: strings;
    /// - `fix`: the certain cure or `null`. It is an object with `title` and `edits`. Each edit has `start` and `end`
    ///   (with `line`, `column` and `offset`, in bytes from 0) and the new `text` for that range.
    ///
    /// Lines and columns are numbers from 1. Columns count characters. `end` is an object with the `line` and `column`
    /// after the last character.
    Json,
}

/// Renders findings as text that ends with a newline. Without findings, JSON is an empty array and other formats are
/// empty.
#[must_use]
pub fn render(found: &[Diagnostic], sources: &Sources, format: Format) -> String {
    match format {
        Format::Human { colour } => human::render(found, sources, colour),
        Format::Short => short::render(found, sources),
        Format::Json => json::render(&Printed::all(found, sources).iter().collect::<Vec<_>>()),
    }
}

/// Format for the findings of all files together.
#[derive(Debug, Clone, Copy)]
pub enum Together {
    /// One array as in [`Format::Json`].
    Json,
    /// SARIF 2.1.0: one run, with the rules of its findings.
    Sarif(Pages),
    /// Workflow commands of GitHub.
    Github,
    /// XML of JUnit: a suite for each file.
    Junit,
}

/// Renders the findings of several files as one text that ends with a newline. Without findings, GitHub's text is
/// empty.
#[must_use]
pub fn render_together(files: &[CheckedFile], format: Together) -> String {
    match format {
        Together::Json => json::render(&files.iter().flat_map(|file| &file.found).collect::<Vec<_>>()),
        Together::Sarif(pages) => sarif::render(files, pages),
        Together::Github => github::render(files),
        Together::Junit => junit::render(files),
    }
}

#[cfg(test)]
mod tests;
