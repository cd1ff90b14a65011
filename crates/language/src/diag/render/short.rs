//! One line for each finding, for editors and for grep.

use super::clean;
use crate::diag::{Diagnostic, Sources};
use std::fmt::Write as _;

/// `file:line:column: error[Q0102]: message (label); help: help; help: help`, without the place where there is no text to
/// point at. The label is that of the place, and left out where it is empty; every line of help follows a `; help: `.
pub(super) fn render(found: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for diagnostic in found {
        if let Some(label) = diagnostic.labels.first()
            && let Some(source) = sources.get(label.span.file)
        {
            let (line, column) = (label.span.line, label.span.column);
            let _infallible = write!(out, "{}:{line}:{column}: ", clean::for_terminal(&source.name));
        }
        let message = clean::for_terminal(&diagnostic.message);
        let _infallible = write!(out, "{}[{}]: {message}", diagnostic.severity.as_str(), diagnostic.code);
        if let Some(label) = diagnostic.labels.first().filter(|label| !label.text.is_empty()) {
            let _infallible = write!(out, " ({})", clean::for_terminal(&label.text));
        }
        for help in &diagnostic.help {
            let _infallible = write!(out, "; help: {}", clean::for_terminal(help));
        }
        out.push('\n');
    }
    out
}
