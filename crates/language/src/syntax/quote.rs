//! Quotes input in messages.

use crate::harmless::is_hidden;

/// Largest number of characters of the input that a message repeats.
const LONGEST: usize = 60;

/// Returns a piece of the input for a message: on one line, without characters that move a terminal's cursor, and cut
/// if it is long.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * LONGEST));
    for (n, c) in text.chars().enumerate() {
        if n == LONGEST {
            out.push('…');
            break;
        }
        if is_hidden(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}
