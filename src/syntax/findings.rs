//! Findings on their way to the sink.

use crate::diag::{Code, Diagnostic, Sink, Span};
use std::collections::HashSet;

/// Findings that one reading pushes, at most. A file with more is not a file with slips.
const MOST: usize = 200;

/// Takes findings to the sink: the same one once only, for what an alias stands for is read at each use, and no more
/// than anybody reads.
pub(super) struct Findings<'s> {
    sink: &'s mut Sink,
    seen: HashSet<(Code, Option<Span>, String)>,
    beyond: usize,
    first_beyond: Option<Span>,
}

impl<'s> Findings<'s> {
    /// On the way to this sink.
    pub(super) fn new(sink: &'s mut Sink) -> Self {
        Findings { sink, seen: HashSet::new(), beyond: 0, first_beyond: None }
    }

    /// Whether no more are taken, only counted.
    pub(super) fn is_full(&self) -> bool {
        self.seen.len() >= MOST
    }

    /// Counts a finding that is not taken any more.
    pub(super) fn count(&mut self, span: Span) {
        self.beyond += 1;
        self.first_beyond = self.first_beyond.or(Some(span));
    }

    /// Takes a finding.
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

    /// Says how many were left out.
    pub(super) fn finish(self) {
        let Some(span) = self.first_beyond else { return };
        let message = format!("{} more findings from here on are not shown", self.beyond);
        self.sink.push(
            Diagnostic::new(Code::TooLarge, span, message)
                .help(format!("mend the first {MOST} and try again")),
        );
    }
}
