//! One line for each finding, for editors and for grep.

use super::clean;
use crate::diag::{Diagnostic, Sources};
use std::fmt::Write as _;

/// Renders `file:line:column: error[Q0102]: message`, without the place if there is no text to point at.
pub(super) fn render(found: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for diagnostic in found {
        if let Some(label) = diagnostic.labels.first()
            && let Some(source) = sources.get(label.span.file)
        {
            let (line, column) = (label.span.line, label.span.column);
            let _infallible = write!(out, "{}:{line}:{column}: ", clean::line(&source.name));
        }
        let message = clean::line(&diagnostic.message);
        let _infallible = writeln!(out, "{}[{}]: {message}", diagnostic.severity.as_str(), diagnostic.code);
    }
    out
}
