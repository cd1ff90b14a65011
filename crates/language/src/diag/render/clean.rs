//! Replacement of characters that must not reach a terminal.

use crate::harmless;

/// Mark around the index of a label in the drawing, to be replaced by its place. The drawing library counts columns in
/// the excerpt, but we show those of the file. [`shown`] removes this private character from all other texts.
pub(super) const PLACE: char = '\u{e000}';

/// Returns the character to show on a terminal.
pub(super) fn shown(c: char) -> char {
    if c == PLACE { char::REPLACEMENT_CHARACTER } else { harmless::shown(c) }
}

/// Returns a single line for a terminal. Tabs become spaces; characters that could control the terminal or change the
/// order of letters are replaced by visible ones.
#[must_use]
pub fn for_terminal(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { ' ' } else { shown(c) }).collect()
}
