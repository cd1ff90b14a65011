//! Sections of an explanation as text.

use super::{Input, Row, Section, Whence};
use crate::diag::wrapped;
use crate::units::{for_people, words_for_people};
use std::fmt::Write as _;

/// Largest width of a column. Longer texts push the following columns to the right.
pub(super) const WIDEST: usize = 26;

/// Level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Tables of the important numbers.
    Short,
    /// Every number, with its formula and its inputs.
    Full,
}

/// Returns a section as text, with its rows in columns: name, value, origin.
pub(super) fn drawn(section: &Section, file: &str, depth: Depth) -> String {
    let mut out = format!("{}\n", section.title);
    // The full depth is exact.
    let value_of = |row: &Row| if depth == Depth::Full { row.value.clone() } else { for_people(&row.value) };
    let width = |length: &dyn Fn(&Row) -> usize| {
        section.rows.iter().map(length).filter(|n| *n <= WIDEST).max().unwrap_or_default()
    };
    let (what, value) = (width(&|row| row.what.chars().count()), width(&|row| value_of(row).chars().count()));
    for row in &section.rows {
        let start = format!("  {:what$}  {:>value$}  ", row.what, value_of(row));
        let indent = what + value + 6;
        let origin = origin(&row.from, file);
        let origin = if depth == Depth::Full { origin } else { words_for_people(&origin) };
        wrapped(&mut out, &start, &origin, indent + 2);
        if depth == Depth::Full && !row.inputs.is_empty() {
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
pub(super) fn origin(from: &Whence, file: &str) -> String {
    match from {
        Whence::Given { line: Some(line) } => format!("{file}:{line}"),
        Whence::Given { line: None } => "built in".to_owned(),
        Whence::Default { why } => why.clone(),
        Whence::Derived { formula } => format!("= {formula}"),
    }
}
