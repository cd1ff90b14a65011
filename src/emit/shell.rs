//! Text into shell, so that nothing of it can become syntax.

/// A word in single quotes.
#[must_use]
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Text that stands in a comment: no control character, so that it cannot leave its line or reach a terminal as one.
#[must_use]
pub fn comment(text: &str) -> String {
    text.chars().map(|c| if is_unfit_for_comment(c) { '\u{fffd}' } else { c }).collect()
}

/// Whether a character may end a line, move a terminal's cursor or make a comment look like what it is not.
pub(super) fn is_unfit_for_comment(c: char) -> bool {
    c.is_control() || is_line_break(c)
}

/// Text that stands in a here-document in which variables are replaced.
#[must_use]
pub fn here(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in comment(text).chars() {
        if matches!(c, '\\' | '$' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Line and paragraph separators, and the marks that turn the reading direction: a comment must look like what it is.
const fn is_line_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{comment, here, quote};
    use proptest::prelude::*;

    #[test]
    fn nothing_leaves_its_place() {
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(comment("a\nb\u{1b}[31m"), "a\u{fffd}b\u{fffd}[31m");
        assert_eq!(here("$(rm) `x` \\"), r"\$(rm) \`x\` \\");
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
