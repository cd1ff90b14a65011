//! Findings about an input, and the same as comments in the result.

use super::text::START;
use crate::diag::{Code, Diagnostic, Sink, Span, and_ticked, count, ticked};

/// Largest number of findings. Others are only counted.
const MOST: usize = 200;

/// Collector of findings.
#[derive(Debug, Default)]
pub(super) struct Report {
    sink: Sink,
    /// Number of findings in `sink`.
    kept: usize,
    /// Findings beyond [`MOST`]: their number, and whether one is an error.
    more: (usize, bool),
    /// Place of the first finding that was only counted.
    first: Option<Span>,
    /// Lines and messages for the comment in the result.
    notes: Vec<(u32, String)>,
}

impl Report {
    /// Reports something without an equivalent, with what to write instead.
    pub(super) fn lost(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.add(Code::NoEquivalent, span, message.into(), help);
    }

    /// Reports something that the result expresses in another way.
    pub(super) fn other(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.add(Code::OtherwiseExpressed, span, message.into(), help);
    }

    /// Reports something that cannot be read.
    pub(super) fn bad(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.add(Code::NotImportable, span, message.into(), help);
    }

    /// Reports that the file describes more devices than the result.
    pub(super) fn other_device(&mut self, span: Span, device: &str) {
        let said = format!("the device {} is not converted: a file describes one link", ticked(device));
        self.other(span, said, &format!("`--section {device}` converts it"));
    }

    /// Reports that there is no device `name`.
    pub(super) fn no_device<'a>(&mut self, name: &str, devices: impl Iterator<Item = &'a str>) {
        let help = format!("the devices are {}", and_ticked(devices.take(20)));
        self.bad(START, format!("there is no device {} with a shaper", ticked(name)), &help);
    }

    fn add(&mut self, code: Code, span: Span, message: String, help: &str) {
        if self.kept == MOST {
            self.more = (self.more.0 + 1, self.more.1 || code == Code::NotImportable);
            self.first.get_or_insert(span);
            return;
        }
        self.kept += 1;
        self.notes.push((span.line, message.clone()));
        let finding = Diagnostic::new(code, span, message);
        self.sink.push(if help.is_empty() { finding } else { finding.help(help) });
    }

    /// Returns the findings so far, for the comment of each result.
    pub(super) fn begin(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.notes)
    }

    /// Returns the lines for the comment of one result: the findings before all results, and its own.
    pub(super) fn notes(&mut self, before: &[(u32, String)]) -> Vec<String> {
        let mut all = [before, &std::mem::take(&mut self.notes)].concat();
        all.sort();
        all.into_iter().map(|(line, message)| format!("line {line}: {message}")).collect()
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
