//! Numbers of findings by severity.

use crate::diag::{Diagnostic, Severity, count};

/// Sums up findings: `2 errors, 1 warning`; empty without findings.
pub(super) fn summary(found: &[Diagnostic]) -> String {
    counts(|severity| found.iter().filter(|d| d.severity == severity).count())
}

/// Sums up numbers of findings by severity: `2 errors, 1 warning`.
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
