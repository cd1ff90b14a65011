//! For programs: the shape is that of [`Format::Json`](super::Format::Json), and keeps.

use super::clean;
use super::excerpt::floor;
use crate::diag::{Code, Diagnostic, Label, Severity, Sources, Span};
use serde::Serialize;
use std::fmt::Write as _;

#[derive(Serialize)]
struct Finding<'a> {
    code: Code,
    severity: Severity,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    end: Option<End>,
    labels: Vec<Place<'a>>,
    help: &'a [String],
}

#[derive(Serialize)]
struct Place<'a> {
    file: Option<&'a str>,
    line: u32,
    column: u32,
    end: End,
    text: &'a str,
    primary: bool,
}

/// Behind the last character.
#[derive(Serialize, Clone, Copy)]
struct End {
    line: u32,
    column: u32,
}

/// An array of findings on several lines, in ASCII where a terminal could take harm.
pub(super) fn render(found: &[Diagnostic], sources: &Sources) -> String {
    let findings: Vec<Finding<'_>> = found.iter().map(|diagnostic| finding(diagnostic, sources)).collect();
    // no map has keys that are not strings, and no number is not finite: nothing that JSON cannot hold
    let json = serde_json::to_string_pretty(&findings).unwrap_or_default();
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if c == '\n' || clean::shown(c) == c {
            out.push(c);
        } else {
            // such characters stand in strings only, where an escape means the same
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _infallible = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push('\n');
    out
}

fn finding<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Finding<'a> {
    let labels: Vec<Place<'a>> = diagnostic.labels.iter().map(|label| place(label, sources)).collect();
    let first = labels.first();
    Finding {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: &diagnostic.message,
        file: first.and_then(|place| place.file),
        line: first.map(|place| place.line),
        column: first.map(|place| place.column),
        end: first.map(|place| place.end),
        labels,
        help: &diagnostic.help,
    }
}

fn place<'a>(label: &'a Label, sources: &'a Sources) -> Place<'a> {
    let source = sources.get(label.span.file);
    Place {
        file: source.map(|source| source.name.as_str()),
        line: label.span.line,
        column: label.span.column,
        end: end(label.span, source.map_or("", |source| &source.text)),
        text: &label.text,
        primary: label.primary,
    }
}

/// The line and column behind the last character of a place.
fn end(span: Span, text: &str) -> End {
    let (start, end) = (floor(text, span.start), floor(text, span.end));
    let mut at = End { line: span.line, column: span.column };
    let mut chars = text.get(start..end).unwrap_or_default().chars().peekable();
    while let Some(c) = chars.next() {
        // LF, CR LF, or CR alone end a line, as in YAML
        if c == '\n' || (c == '\r' && chars.peek() != Some(&'\n')) {
            at = End { line: at.line.saturating_add(1), column: 1 };
        } else {
            at.column = at.column.saturating_add(1);
        }
    }
    at
}
