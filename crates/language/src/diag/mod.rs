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
pub use words::{and_ticked, count, folded, or_ticked, some_ticked, ticked, wrap_at, wrapped};

use crate::budget::{self, Budget, Work};
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

    /// Returns the size of its texts in bytes.
    fn size(&self) -> usize {
        let labels = self.labels.iter().map(|label| label.text.len() + size_of::<Label>());
        let help = self.help.iter().map(String::len);
        self.message.len() + labels.chain(help).sum::<usize>()
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

/// Largest size of the texts of the findings in one file, in bytes. More would take more than 300 MB as SARIF.
const MOST_TEXT: usize = 16 << 20;
/// Bytes that each finding counts beside its texts.
const EACH: usize = 300;
/// Largest number of findings on the form of a file that people read. More are not caused by typing errors alone.
pub const FINDINGS: usize = 200;
/// Number of missing names that get a suggestion.
const SUGGESTED: usize = 50;

/// Collector of findings. Every stage adds its findings and continues, so one run reports all of them. Findings beyond
/// `MOST_TEXT`, and those on the form beyond [`FINDINGS`], are only counted. It also passes the budget on to every stage.
#[derive(Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
    budget: Budget,
    has_errors: bool,
    text: usize,
    of_form: usize,
    most_of_form: Option<usize>,
    missed: usize,
    beyond: usize,
    first_beyond: Option<Span>,
}

impl From<Vec<Diagnostic>> for Sink {
    fn from(found: Vec<Diagnostic>) -> Self {
        Sink { has_errors: found.iter().any(|d| d.severity == Severity::Error), found, ..Sink::default() }
    }
}

impl Sink {
    /// Returns an empty collector with this budget.
    #[must_use]
    pub fn within(budget: &Budget) -> Self {
        Sink { budget: budget.clone(), ..Sink::default() }
    }

    /// Sets another largest number of findings on the form of a file.
    #[must_use]
    pub fn up_to(self, most: usize) -> Self {
        Sink { most_of_form: Some(most), ..self }
    }

    /// Returns the budget, for another collector.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Charges work that a stage is about to do `times`. Returns false if it may not be done.
    pub fn charge(&self, times: usize, work: Work) -> bool {
        self.budget.charge(times, work)
    }

    /// Returns true if a missing name may be compared with known names. Nobody would read suggestions for thousands of
    /// names.
    pub fn may_suggest<'n>(&mut self, name: &str, known: impl Iterator<Item = &'n str>) -> bool {
        // Names of other lengths are not compared.
        let near = |known: &&str| known.len().abs_diff(name.len()) <= (name.len() / 3).max(1);
        let steps = known.filter(near).map(|known| 15 + known.len().saturating_mul(name.len()) / 16);
        self.missed += 1;
        self.missed <= SUGGESTED && self.charge(steps.sum(), budget::COMPARISON)
    }

    /// Returns the known name that a missing one probably means, if the names may still be compared.
    pub fn near<'n>(&mut self, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
        self.may_suggest(name, known.clone()).then(|| did_you_mean(name, known)).flatten()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.has_errors |= diagnostic.severity == Severity::Error;
        let text = diagnostic.size() + EACH;
        self.text += text;
        let fits = self.charge(1, budget::FINDING) && self.charge(text / 16, budget::TEXT);
        // The finding on a limit is the last one.
        if (!fits || self.text > MOST_TEXT) && diagnostic.code != Code::TooLarge {
            return self.leave_out(diagnostic.labels.first().map(|label| label.span));
        }
        self.found.push(diagnostic);
    }

    /// Counts a finding that is not shown.
    pub(crate) fn leave_out(&mut self, span: Option<Span>) {
        self.beyond += 1;
        self.first_beyond = self.first_beyond.or(span);
    }

    /// True if further findings on the form are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.of_form >= self.most_of_form.unwrap_or(FINDINGS)
    }

    /// Adds a finding on the form of the file.
    pub(crate) fn push_form(&mut self, diagnostic: Diagnostic) {
        self.of_form += 1;
        self.push(diagnostic);
    }

    /// Adds several findings.
    pub fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// True if there is an error, so that nothing may be compiled.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.has_errors || self.budget.is_used_up()
    }

    /// Returns all findings so far, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter()
    }

    /// Returns all findings in the order of the text that they point at.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        if let Some(span) = self.first_beyond {
            let message = format!("{} from here on are not shown", count(self.beyond, "more finding"));
            let help = "correct the others and check the file again";
            self.found.push(Diagnostic::new(Code::TooLarge, span, message).help(help));
        }
        self.found.sort_by_key(|d| d.labels.first().map(|l| (l.span.file, l.span.start)));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Diagnostic, EACH, FileId, MOST_TEXT, Severity, Sink, Span};

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
    fn findings_beyond_the_limit_are_counted() {
        let mut sink = Sink::default();
        let many = MOST_TEXT / EACH;
        for start in 0..many {
            sink.push(Diagnostic::new(Code::BadRate, at(0, start), "an error"));
        }
        let found = sink.into_sorted();
        assert!(found.len() > many / 2, "{}", found.len());
        let last = &found.last().unwrap().message;
        assert_eq!(*last, format!("{} more findings from here on are not shown", many + 1 - found.len()));
    }

    #[test]
    fn a_used_budget_counts_as_an_error() {
        let sink = Sink::default();
        assert!(!sink.has_errors());
        assert!(!sink.charge(usize::MAX, crate::budget::CLASS));
        assert!(sink.has_errors());
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
