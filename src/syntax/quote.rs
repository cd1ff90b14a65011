//! Input in messages.

/// The longest piece of input that a message repeats, in characters.
const LONGEST: usize = 60;

/// A piece of the input for a message: one line, nothing that moves a terminal's cursor, cut when long.
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

/// Whether a character cannot be seen as itself: controls, line breaks, and those that reorder the text around them.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        || c == '\u{feff}'
}
