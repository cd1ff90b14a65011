//! Quotes input in messages.

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

/// Returns `true` for a character that is not visible as itself: controls, line breaks, and characters that reorder the
/// text around them.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        || c == '\u{feff}'
}
