//! Replacement of characters that must not reach a terminal.

/// Mark around the index of a label in the drawing, to be replaced by its place. The drawing library counts columns in
/// the excerpt, but we show those of the file. [`shown`] removes this private character from all other texts.
pub(super) const PLACE: char = '\u{e000}';

/// Returns the character to show on a terminal. ASCII control characters become their pictures. U+FFFD replaces these:
///
/// - other control characters (a terminal may take U+009B as the start of an escape sequence),
/// - characters that change the direction of text (as in "Trojan Source", CVE-2021-42574),
/// - invisible characters,
/// - line breaks that YAML does not have.
///
/// All other characters stay.
pub(super) fn shown(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | PLACE
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Returns a single line for a terminal. Tabs become spaces; characters that could control the terminal or change the
/// order of letters are replaced by visible ones.
#[must_use]
pub fn line(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { ' ' } else { shown(c) }).collect()
}
