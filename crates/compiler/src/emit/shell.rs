//! Converts text to shell so that nothing in it can become syntax.

use crate::harmless::inline;

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

/// Returns text for a comment without hidden characters, so that it can neither leave its line nor control a terminal. It
/// also contains no command of a CI system.
#[must_use]
pub fn comment(text: &str) -> String {
    inline(text)
}

#[cfg(test)]
mod tests {
    use super::{comment, quote};
    use proptest::prelude::*;

    #[test]
    fn special_characters_of_the_shell_are_escaped() {
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(comment("a\nb\u{1b}[31m"), "a\u{fffd}b\u{fffd}[31m");
        assert_eq!(comment("##[error]a ##b"), "\u{fffd}#[error]a ##b");
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
