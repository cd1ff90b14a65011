//! Filters findings before they reach the sink.

use crate::budget::Work;
use crate::diag::{Code, Diagnostic, Sink, Span};
use std::collections::HashSet;

/// Passes findings on to the sink. Equal findings only pass once, because the target of an alias is read at each use.
pub(super) struct Findings<'s> {
    sink: &'s mut Sink,
    seen: HashSet<(Code, Option<Span>, String)>,
}

impl<'s> Findings<'s> {
    /// Creates a filter for this sink.
    pub(super) fn new(sink: &'s mut Sink) -> Self {
        Findings { sink, seen: HashSet::new() }
    }

    /// Charges work that the reader is about to do. Returns false if it may not be done.
    pub(super) fn charge(&self, times: usize, work: Work) -> bool {
        self.sink.charge(times, work)
    }

    /// Returns `true` if further findings are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    /// Counts a finding beyond the limit.
    pub(super) fn count(&mut self, span: Span) {
        self.sink.leave_out(Some(span));
    }

    /// Adds a finding.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        let span = finding.labels.first().map(|label| label.span);
        if let Some(span) = span.filter(|_| self.is_full()) {
            self.count(span);
        } else if self.seen.insert((finding.code, span, finding.message.clone())) {
            self.sink.push_form(finding);
        }
    }
}
