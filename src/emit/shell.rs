//! Converts text to shell so that nothing in it can become syntax.

/// Returns a word in single quotes.
#[must_use]
pub fn quote(text: &str) -> String {
    format!("'{}'", inside_quotes(text))
}

/// Returns a line that is safe inside single quotes.
#[must_use]
pub fn inside_quotes(line: &str) -> String {
    line.replace('\'', r"'\''")
}

/// Returns text for a comment without control characters, so that it can neither leave its line nor control a terminal.
#[must_use]
pub fn comment(text: &str) -> String {
    text.chars().map(|c| if is_unfit_for_comment(c) { '\u{fffd}' } else { c }).collect()
}

/// Returns `true` for a character that may end a line, move a terminal's cursor or disguise a comment.
pub(super) fn is_unfit_for_comment(c: char) -> bool {
    c.is_control() || is_line_break(c)
}

/// Line and paragraph separators, and marks that change the reading direction and so can disguise a comment.
const fn is_line_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{comment, quote};
    use proptest::prelude::*;

    #[test]
    fn special_characters_of_the_shell_are_escaped() {
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(comment("a\nb\u{1b}[31m"), "a\u{fffd}b\u{fffd}[31m");
    }

    proptest! {
        #[test]
        fn a_quoted_word_is_one_word(text in "\\PC*") {
            let quoted = quote(&text);
            prop_assert_eq!(quoted.replace(r"'\''", "").matches('\'').count(), 2);
        }

        #[test]
        fn a_comment_is_one_line(text in any::<String>()) {
            prop_assert_eq!(comment(&text).lines().count().max(1), 1);
        }
    }
}
