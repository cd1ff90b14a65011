//! Sections of an explanation as text.

use super::{ExplanationRow, ExplanationSection, Input, Whence};
use qosc_compiler::diag::wrapped;
use std::fmt::Write as _;

/// Largest width of a column. Longer texts push the following columns to the right.
pub(super) const WIDEST: usize = 26;

/// Returns a section as text, with its rows in columns: name, value, origin.
pub(super) fn drawn(section: &ExplanationSection, file: &str) -> String {
    let mut out = format!("{}\n", section.title);
    let width = |length: &dyn Fn(&ExplanationRow) -> usize| {
        section.rows.iter().map(length).filter(|n| *n <= WIDEST).max().unwrap_or_default()
    };
    let (what, value) = (width(&|row| row.what.chars().count()), width(&|row| row.value.chars().count()));
    for row in &section.rows {
        let start = format!("  {:what$}  {:>value$}  ", row.what, row.value);
        let indent = what + value + 6;
        wrapped(&mut out, &start, &origin(&row.from, file), indent + 2);
        if !row.inputs.is_empty() {
            let own = section.class.as_ref().map(|class| format!("class.{class}.")).unwrap_or_default();
            let inputs: Vec<String> = row.inputs.iter().map(|input| shown(input, &own, file)).collect();
            wrapped(&mut out, &" ".repeat(indent + 2), &format!("from {}", inputs.join(", ")), indent + 4);
        }
        for part in &row.parts {
            let _infallible = writeln!(out, "  {:what$}  {:>value$}    {}", "", part.value, part.what);
        }
    }
    for words in &section.words {
        wrapped(&mut out, "  ", words, 4);
    }
    out
}

/// Text of an input and its line in the file. `own` is the id prefix of the section; it is left out.
fn shown(input: &Input, own: &str, file: &str) -> String {
    let name = match &input.id {
        Some(id) => id.strip_prefix(own).unwrap_or(id).to_owned(),
        None => format!("`{}`", input.value),
    };
    match input.from {
        Whence::Given { line: Some(line) } => format!("{name} ({file}:{line})"),
        _ => name,
    }
}

/// Text of a value's origin.
fn origin(from: &Whence, file: &str) -> String {
    match from {
        Whence::Given { line: Some(line) } => format!("{file}:{line}"),
        Whence::Given { line: None } => "built in".to_owned(),
        Whence::Default { why } => why.clone(),
        Whence::Derived { formula } => format!("= {formula}"),
    }
}
