//! Results of an import with its findings, which are also comments in the result.

use super::config::{Compared, Config};
use super::text::{START, Word};
use super::yaml;
use qosc_compiler::diag::{Code, Diagnostic, Sink, Span, and_ticked, ticked};

/// Largest number of findings that are comments in a result.
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

/// A part of an input that becomes a configuration of its own.
pub(super) struct Part<'a, T> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    /// The source uses it.
    pub(super) enabled: bool,
    pub(super) of: T,
}

/// Collector of findings.
#[derive(Debug, Default)]
pub(super) struct ImportReport {
    sink: Sink,
    /// Place of the part that is being converted.
    start: Option<Span>,
    /// Lines and messages for the comment in the result.
    notes: Vec<(u32, String)>,
}

impl ImportReport {
    /// Reports something without an equivalent, or something that the user probably meant otherwise, with what to write
    /// instead.
    pub(super) fn lost(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>, help: &str) {
        self.add(Code::NoEquivalent, self.place(span), message.into(), help);
    }

    /// Reports that the directions give packets different costs.
    pub(super) fn two_costs(&mut self, span: Span) {
        let said = "the two directions give packets different costs, and a file has one for both";
        self.lost(span, said, "those of uploads are used");
    }

    /// Reports that `what` with the name `name` has no equivalent.
    pub(super) fn unknown(&mut self, span: Span, what: &str, name: &str, help: &str) {
        self.lost(span, format!("{what} {} has no equivalent", ticked(name)), help);
    }

    /// Reports something that the result expresses in another way.
    pub(super) fn other(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>, help: &str) {
        self.add(Code::OtherwiseExpressed, self.place(span), message.into(), help);
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
    pub(super) fn differs(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>, help: &str) {
        self.add(Code::ImportDiffers, self.place(span), message.into(), help);
    }

    /// Returns `true` if there is an error.
    pub(super) fn has_errors(&self) -> bool {
        self.sink.has_errors()
    }

    /// Returns the number of findings.
    pub(super) fn count(&self) -> usize {
        self.sink.iter().count()
    }

    /// Returns a place, or without it that of the part that is being converted.
    pub(super) fn place(&self, span: impl Into<Option<Span>>) -> Span {
        span.into().or(self.start).unwrap_or(START)
    }

    fn add(&mut self, code: Code, span: Span, message: String, help: &str) {
        // Some words are read once for each direction.
        if self.notes.iter().any(|(line, own)| (*line, own) == (span.line, &message)) {
            return;
        }
        if self.notes.len() < MOST {
            self.notes.push((span.line, message.clone()));
        }
        let finding = Diagnostic::new(code, span, message);
        self.sink.push(if help.is_empty() { finding } else { finding.help(help) });
    }

    /// Converts the wanted parts of an input, which are each a `noun`, and ends the report. `more` is help about an
    /// enabled part that is not converted. The comment of each result has the findings before all parts, and its own.
    pub(super) fn import<T>(
        mut self,
        noun: &str,
        parts: &[Part<'_, T>],
        wanted: Wanted<'_>,
        more: &str,
        mut convert: impl FnMut(&T, &mut ImportReport) -> Option<Config>,
    ) -> Import {
        let fits = |part: &Part<'_, T>| match wanted {
            Wanted::Named(name) => part.name == name,
            Wanted::All | Wanted::First => part.enabled,
        };
        let main = parts.iter().position(fits);
        let is_wanted =
            |(at, part): &(usize, &Part<'_, T>)| Some(*at) == main || wanted == Wanted::All && part.enabled;
        let (chosen, others): (Vec<_>, Vec<_>) = parts.iter().enumerate().partition(is_wanted);
        for (_, part) in others.into_iter().filter(|_| main.is_some()) {
            let (why, more) = match part.enabled {
                true => ("not converted: a file describes one link", more),
                false => ("disabled and not converted", ""),
            };
            let help = format!("`--section {}` converts it{more}", part.name);
            self.other(part.span, format!("the {noun} {} is {why}", ticked(part.name)), &help);
        }
        let before = std::mem::take(&mut self.notes);
        let mut results = Vec::new();
        for (_, part) in chosen {
            self.start = Some(part.span);
            let config = convert(&part.of, &mut self);
            let mut notes = [before.as_slice(), &std::mem::take(&mut self.notes)].concat();
            notes.sort();
            let notes = notes.into_iter().map(|(line, message)| format!("line {line}: {message}"));
            results.extend(config.map(|config| Imported {
                name: part.name.to_owned(),
                yaml: yaml::text(&config, &notes.collect::<Vec<_>>()),
                compared: config.compared,
            }));
        }
        if let (None, Some(first)) = (main, parts.first()) {
            let names = and_ticked(parts.iter().map(|part| part.name).take(20));
            let said = match wanted {
                Wanted::Named(name) => format!("there is no {noun} {}", ticked(name)),
                _ => format!("every {noun} is disabled"),
            };
            let help = format!("`--section NAME` converts one; the {noun}s are {names}");
            self.bad(first.span, said, &help);
        }
        Import { results, findings: self.finish() }
    }

    /// Returns all findings in the order of the text.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        self.sink.into_sorted()
    }
}
