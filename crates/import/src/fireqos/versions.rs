//! IP versions of statements.

/// IP versions of a statement as its first word has them: ``, `4`, `6` or `46`.
pub(super) type Versions = &'static str;

/// Splits `interface46` into `interface` and its IP versions.
pub(super) fn versions(word: &str) -> (&str, Versions) {
    let plain = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let known = ["4", "6", "46"].into_iter().find(|own| word.strip_prefix(plain) == Some(own));
    known.map_or((word, ""), |known| (plain, known))
}
