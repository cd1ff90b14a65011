//! Findings on a configuration as values: code, place, cause and cure. Other modules make them; renderers print them.

mod allow;
mod code;
mod fix;
mod levels;
mod render;
mod span;
mod suggest;
mod undefined;
mod words;

pub use allow::{Allows, MARK as ALLOW_MARK};
pub use code::{Code, Severity};
pub use fix::{Edit, Fix, edited};
pub use levels::{Group, Level, Levels};
pub use render::{CheckedFile, Format, Printed, Together, counts, for_terminal, render, render_together};
pub use span::{FileId, Source, Sources, Span, Spanned};
pub use suggest::{did_you_mean, nearest, respelt, surely};
pub use undefined::undefined;
pub use words::{and_ticked, count, folded, or_ticked, ticked, wrap_at, wrapped};

use serde::Serialize;

/// A piece of text that a finding points at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Label {
    /// Place of the text.
    pub span: Span,
    /// Text beside the place; may be empty.
    pub text: String,
    /// True for the place of the problem; other places explain it.
    pub primary: bool,
}

/// One finding. The message begins in lower case, has no final period, and puts user input in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable code of the finding.
    pub code: Code,
    /// Severity of the finding.
    pub severity: Severity,
    /// Cause in one line.
    pub message: String,
    /// Places, the primary label first; empty only if there is no text to point at.
    pub labels: Vec<Label>,
    /// Advice on the cure, in one or several lines.
    pub help: Vec<String>,
    /// Certain cure, if there is one.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// Returns a finding with the severity of its code, which points at `span`.
    #[must_use]
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        let label = Label { span, text: String::new(), primary: true };
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            labels: vec![label],
            help: Vec::new(),
            fix: None,
        }
    }

    /// Returns the same finding with words beside the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// Returns the same finding with another place that explains it.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Returns the same finding with any number of other places.
    #[must_use]
    pub fn also_at<T: Into<String>>(self, places: impl IntoIterator<Item = (Span, T)>) -> Self {
        places.into_iter().fold(self, |finding, (span, text)| finding.also(span, text))
    }

    /// Returns the same finding with a line of advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Returns the same finding with the certain cure.
    #[must_use]
    pub fn fix(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }
}

/// Largest number of errors of one file. More would take more than 300 MB as SARIF.
const MOST_ERRORS: usize = 50_000;

/// Collector of findings. Every stage adds its findings and continues, so one run reports all of them. Errors beyond
/// `MOST_ERRORS` are only counted.
#[derive(Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
    errors: usize,
    first_beyond: Option<Span>,
}

impl From<Vec<Diagnostic>> for Sink {
    fn from(found: Vec<Diagnostic>) -> Self {
        Sink { found, ..Sink::default() }
    }
}

impl Sink {
    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            if self.errors > MOST_ERRORS {
                self.first_beyond = self.first_beyond.or(diagnostic.labels.first().map(|label| label.span));
                return;
            }
        }
        self.found.push(diagnostic);
    }

    /// Adds several findings.
    pub fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// True if there is an error, so that nothing may be compiled.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|d| d.severity == Severity::Error)
    }

    /// Returns all findings so far, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter()
    }

    /// Returns all findings in the order of the text that they point at.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        if let Some(span) = self.first_beyond {
            let message = format!("{} more errors from here on are not shown", self.errors - MOST_ERRORS);
            let help = format!("correct the first {MOST_ERRORS} errors and check the file again");
            self.found.push(Diagnostic::new(Code::TooLarge, span, message).help(help));
        }
        self.found.sort_by_key(|d| d.labels.first().map(|l| (l.span.file, l.span.start)));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Diagnostic, FileId, MOST_ERRORS, Severity, Sink, Span};

    fn at(file: u16, start: usize) -> Span {
        Span { file: FileId(file), start, end: start, line: 1, column: 1 }
    }

    #[test]
    fn findings_are_sorted_by_position() {
        let mut sink = Sink::default();
        sink.push(Diagnostic::new(Code::BadRate, at(1, 0), "third"));
        sink.push(Diagnostic::new(Code::BadRate, at(0, 9), "second"));
        sink.push(Diagnostic::new(Code::BadTime, at(0, 3), "first"));
        sink.push(Diagnostic::new(Code::BadSize, at(0, 9), "second, found later"));
        let mut nowhere = Diagnostic::new(Code::TooLarge, at(0, 0), "nowhere");
        nowhere.labels.clear();
        sink.push(nowhere);
        let messages: Vec<String> = sink.into_sorted().into_iter().map(|d| d.message).collect();
        assert_eq!(messages, ["nowhere", "first", "second", "second, found later", "third"]);
    }

    #[test]
    fn errors_beyond_the_limit_are_counted() {
        let mut sink = Sink::default();
        for start in 0..MOST_ERRORS + 3 {
            sink.push(Diagnostic::new(Code::BadRate, at(0, start), "an error"));
            sink.push(Diagnostic::new(Code::GuessedOverhead, at(0, start), "a warning"));
        }
        let found = sink.into_sorted();
        assert_eq!(found.len(), 2 * MOST_ERRORS + 4);
        let messages: Vec<&str> = found[2 * MOST_ERRORS..].iter().map(|d| d.message.as_str()).collect();
        let more = "3 more errors from here on are not shown";
        assert_eq!(messages, ["a warning", more, "a warning", "a warning"]);
    }

    #[test]
    fn warnings_do_not_count_as_errors() {
        let mut sink = Sink::default();
        sink.push(Diagnostic::new(Code::GuessedOverhead, at(0, 0), "a warning"));
        assert!(!sink.has_errors());
        sink.push(Diagnostic::new(Code::BadRate, at(0, 0), "an error"));
        assert!(sink.has_errors());
    }

    #[test]
    fn the_primary_label_comes_first() {
        let diagnostic =
            Diagnostic::new(Code::DuplicateKey, at(0, 5), "twice").also(at(0, 1), "first").label("again");
        let labels: Vec<(&str, bool)> =
            diagnostic.labels.iter().map(|l| (l.text.as_str(), l.primary)).collect();
        assert_eq!(labels, [("again", true), ("first", false)]);
        assert_eq!(diagnostic.severity, Severity::Error);
    }
}
