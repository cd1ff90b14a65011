//! Characters that must not reach a terminal as they are.

/// What stands for a character on a terminal: itself; for the control characters of ASCII their pictures; and U+FFFD
/// for other control characters (a terminal may take U+009B for the beginning of an escape sequence), for what turns
/// the direction of text (as in "Trojan Source", CVE-2021-42574), for what cannot be seen, and for line breaks that
/// are none to YAML.
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
        | super::human::PLACE
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// A text of one line for a terminal: tabs become spaces, and what could steer it or turn the order of letters is
/// replaced by what can be seen.
#[must_use]
pub fn line(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { ' ' } else { shown(c) }).collect()
}
