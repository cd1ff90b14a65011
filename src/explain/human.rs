//! An explanation as a table for people.

use super::{Explanation, Row, Section, Whence};
use crate::diag::for_terminal;
use std::fmt::Write as _;

/// No column of values is wider: what is longer pushes its origin to the right.
const WIDEST: usize = 24;

/// Every section with its rows in columns: what, value, where it came from. `file` is the name of the user's file.
#[must_use]
pub fn human(explanation: &Explanation, file: &str) -> String {
    let sections: Vec<String> = explanation.sections.iter().map(|section| drawn(section, file)).collect();
    for_terminal_lines(&sections.join("\n"))
}

/// Control characters in names are shown, but line ends stay.
fn for_terminal_lines(text: &str) -> String {
    text.lines().map(|line| for_terminal(line) + "\n").collect()
}

fn drawn(section: &Section, file: &str) -> String {
    let mut out = format!("{}\n", section.title);
    let width = |length: fn(&Row) -> usize| {
        section.rows.iter().map(length).filter(|n| *n <= WIDEST).max().unwrap_or_default()
    };
    let (what, value) = (width(|row| row.what.chars().count()), width(|row| row.value.chars().count()));
    for row in &section.rows {
        let _infallible =
            writeln!(out, "  {:what$}  {:>value$}  {}", row.what, row.value, origin(&row.from, file));
        for part in &row.parts {
            let _infallible = writeln!(out, "  {:what$}  {:>value$}    {}", "", part.value, part.what);
        }
    }
    for words in &section.words {
        let _infallible = writeln!(out, "  {words}");
    }
    out
}

fn origin(from: &Whence, file: &str) -> String {
    match from {
        Whence::Given { line: Some(line) } => format!("{file}:{line}"),
        Whence::Given { line: None } => "built in".to_owned(),
        Whence::Default { why } => why.clone(),
        Whence::Derived { formula } => format!("= {formula}"),
    }
}
