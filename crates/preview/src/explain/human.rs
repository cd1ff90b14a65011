//! Explanation as text: every number with its formula.

use super::Explanation;
use super::drawn::drawn;
use qosc_compiler::diag::for_terminal;

/// Returns the explanation as text. `file` is the name of the user's file.
#[must_use]
pub fn human(explanation: &Explanation, file: &str) -> String {
    let shown = explanation.sections.iter().filter(|section| !section.is_repeated);
    let sections: Vec<String> = shown.map(|section| drawn(section, file)).collect();
    for_terminal_lines(&sections.join("\n"))
}

/// Escapes control characters in names, but keeps line ends.
pub(super) fn for_terminal_lines(text: &str) -> String {
    text.lines().map(|line| for_terminal(line).trim_end().to_owned() + "\n").collect()
}
