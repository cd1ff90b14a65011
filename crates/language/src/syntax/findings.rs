//! Filters findings before they reach the sink.

use crate::budget::Work;
use crate::diag::{Code, Diagnostic, Sink, Span};
use std::collections::HashSet;

/// Largest number of findings from one file that people read. More are not caused by typing errors alone.
pub const FINDINGS: usize = 200;

/// Passes findings on to the sink. Equal findings only pass once, because the target of an alias is read at each use.
/// Their number is limited to what people read.
pub(super) struct Findings<'s> {
    sink: &'s mut Sink,
    most: usize,
    seen: HashSet<(Code, Option<Span>, String)>,
    beyond: usize,
    first_beyond: Option<Span>,
}

impl<'s> Findings<'s> {
    /// Creates a filter for this sink, with as many findings as people read.
    pub(super) fn new(sink: &'s mut Sink) -> Self {
        Findings::limited(sink, FINDINGS)
    }

    /// Creates a filter that passes at most `most` findings.
    pub(super) fn limited(sink: &'s mut Sink, most: usize) -> Self {
        Findings { sink, most, seen: HashSet::new(), beyond: 0, first_beyond: None }
    }

    /// Charges work that the reader is about to do. Returns false if it may not be done.
    pub(super) fn charge(&self, times: usize, work: Work) -> bool {
        self.sink.charge(times, work)
    }

    /// Returns `true` if further findings are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.seen.len() >= self.most
    }

    /// Counts a finding beyond the limit.
    pub(super) fn count(&mut self, span: Span) {
        self.beyond += 1;
        self.first_beyond = self.first_beyond.or(Some(span));
    }

    /// Adds a finding.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        let span = finding.labels.first().map(|label| label.span);
        if let Some(span) = span.filter(|_| self.is_full()) {
            self.count(span);
            return;
        }
        if self.seen.insert((finding.code, span, finding.message.clone())) {
            self.sink.push(finding);
        }
    }

    /// Reports the number of findings beyond the limit.
    pub(super) fn finish(self) {
        let Some(span) = self.first_beyond else { return };
        let message = format!("{} more findings from here on are not shown", self.beyond);
        self.sink.push(
            Diagnostic::new(Code::TooLarge, span, message)
                .help(format!("correct the first {} findings and check the file again", self.most)),
        );
    }
}
