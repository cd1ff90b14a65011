//! Explanation as text: tables of the important numbers, or every number with its formula.

use super::drawn::{Depth, drawn};
use super::row::Short;
use super::{Explanation, table};
use crate::diag::for_terminal;

/// Returns the explanation as text. `file` is the name of the user's file.
#[must_use]
pub fn human(explanation: &Explanation, file: &str, depth: Depth) -> String {
    let shown = explanation.sections.iter().filter(|section| section.short != Short::Repeated);
    let sections: Vec<String> = match depth {
        Depth::Short => table::short(explanation, file),
        Depth::Full => shown.map(|section| drawn(section, file, depth)).collect(),
    };
    for_terminal_lines(&sections.join("\n"))
}

/// Escapes control characters in names, but keeps line ends.
pub(super) fn for_terminal_lines(text: &str) -> String {
    text.lines().map(|line| for_terminal(line).trim_end().to_owned() + "\n").collect()
}
