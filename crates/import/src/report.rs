//! Results of an import with its findings, which are also comments in the result.

use super::config::{Compared, Config};
use super::text::{START, Word};
use super::yaml;
use qosc_compiler::diag::{Code, Diagnostic, Severity, Sink, Span, and_ticked, count, ticked};
use std::collections::HashSet;

/// Largest number of findings. Others are only counted.
const MOST: usize = 200;

/// A configuration made from an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Name in the input, for a file name.
    pub name: String,
    /// Commented YAML.
    pub yaml: String,
    /// Comparison with the source; `None` if there was none.
    pub compared: Option<Compared>,
}

/// All configurations made from an input, and everything that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Configurations in the order of the input.
    pub results: Vec<Imported>,
    /// Findings in the order of the input, each with its place.
    pub findings: Vec<Diagnostic>,
}

/// Queues to convert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// The first enabled queue.
    First,
    /// The queue with this name, also if it is disabled.
    Named(&'a str),
    /// All enabled queues.
    All,
}

impl Wanted<'_> {
    /// Returns `true` if a device is to be converted. `is_main` is true for one device.
    fn takes(self, device: &str, is_main: bool) -> bool {
        match self {
            Wanted::All => true,
            Wanted::First => is_main,
            Wanted::Named(name) => device == name,
        }
    }
}

/// Collector of findings.
#[derive(Debug, Default)]
pub(super) struct ImportReport {
    sink: Sink,
    /// Number of findings in `sink`.
    kept: usize,
    /// Findings beyond [`MOST`]: their number, and whether one is an error.
    more: (usize, bool),
    /// Place of the first finding that was only counted.
    first: Option<Span>,
    /// Lines and messages for the comment in the result.
    notes: Vec<(u32, String)>,
    /// Lines with something without an equivalent.
    lost: HashSet<u32>,
}

impl ImportReport {
    /// Reports something without an equivalent, with what to write instead.
    pub(super) fn lost(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.lost.insert(span.line);
        self.warn(span, message, help);
    }

    /// Reports something that the result has, and that the user probably meant otherwise.
    pub(super) fn warn(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.add(Code::NoEquivalent, span, message.into(), help);
    }

    /// Reports that `what` with the name `name` has no equivalent.
    pub(super) fn unknown(&mut self, span: Span, what: &str, name: &str, help: &str) {
        self.lost(span, format!("{what} {} has no equivalent", ticked(name)), help);
    }

    /// Reports something that the result expresses in another way.
    pub(super) fn other(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.add(Code::OtherwiseExpressed, span, message.into(), help);
    }

    /// Reports something that cannot be read.
    pub(super) fn bad(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.add(Code::NotImportable, span, message.into(), help);
    }

    /// Reports something that cannot be read, so that there is no result.
    pub(super) fn refuse<T>(&mut self, span: Span, message: impl Into<String>, help: &str) -> Option<T> {
        self.bad(span, message, help);
        None
    }

    /// Returns what `read` makes of a word, and reports a word that cannot be read: "`WORD` is no ...".
    pub(super) fn read<T>(
        &mut self,
        word: &Word,
        what: &str,
        help: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let value = read(&word.text);
        if value.is_none() {
            self.bad(word.span, format!("{} is {what}", ticked(&word.text)), help);
        }
        value
    }

    /// Reports packets that the result limits in another way than the source.
    pub(super) fn differs(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.add(Code::ImportDiffers, span, message.into(), help);
    }

    /// Returns `true` if something in the line has no equivalent.
    pub(super) fn has_lost(&self, span: Span) -> bool {
        self.lost.contains(&span.line)
    }

    /// Returns `true` if there is an error.
    pub(super) fn has_errors(&self) -> bool {
        self.sink.has_errors() || self.more.1
    }

    /// Returns the number of findings.
    pub(super) const fn count(&self) -> usize {
        self.kept + self.more.0
    }

    fn add(&mut self, code: Code, span: Span, message: String, help: &str) {
        if self.kept == MOST {
            self.more = (self.more.0 + 1, self.more.1 || code.severity() == Severity::Error);
            self.first.get_or_insert(span);
            return;
        }
        self.kept += 1;
        self.notes.push((span.line, message.clone()));
        let finding = Diagnostic::new(code, span, message);
        self.sink.push(if help.is_empty() { finding } else { finding.help(help) });
    }

    /// Forgets the notes of a part that could not be converted.
    pub(super) fn forget_notes(&mut self) {
        self.notes.clear();
    }

    /// Converts the wanted parts of an input, each with its name and its place, and ends the report. `main` is the
    /// number of the one that is converted if the user names none, and `other` the help about the others. The comment
    /// of each result has the findings before all parts, and its own.
    pub(super) fn import<T>(
        mut self,
        parts: &[(&str, Span, T)],
        wanted: Wanted<'_>,
        main: usize,
        other: impl Fn(&str) -> String,
        mut convert: impl FnMut(&T, &mut ImportReport) -> Option<Config>,
    ) -> Import {
        let before = std::mem::take(&mut self.notes);
        let mut results = Vec::new();
        for (number, (name, span, part)) in parts.iter().enumerate() {
            if !wanted.takes(name, number == main) {
                let said = format!("the device {} is not converted: a file describes one link", ticked(name));
                self.other(*span, said, &other(name));
            } else if let Some(config) = convert(part, &mut self) {
                let mut notes = [before.as_slice(), &std::mem::take(&mut self.notes)].concat();
                notes.sort();
                let notes = notes.into_iter().map(|(line, message)| format!("line {line}: {message}"));
                let yaml = yaml::text(&config, &notes.collect::<Vec<_>>());
                results.push(Imported { name: (*name).to_owned(), yaml, compared: config.compared });
            }
        }
        if let Wanted::Named(name) = wanted
            && results.is_empty()
            && !parts.is_empty()
        {
            let names = and_ticked(parts.iter().map(|(name, ..)| *name).take(20));
            let said = format!("there is no device {} with a shaper", ticked(name));
            self.bad(START, said, &format!("the devices are {names}"));
        }
        Import { results, findings: self.finish() }
    }

    /// Returns all findings in the order of the text.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        if let (Some(span), (more, error)) = (self.first, self.more) {
            let code = if error { Code::NotImportable } else { Code::NoEquivalent };
            let message = format!("{} from here on are not shown", count(more, "finding"));
            self.sink.push(Diagnostic::new(code, span, message).help("import a smaller file"));
        }
        self.sink.into_sorted()
    }
}
