//! IP versions of statements.

/// IP versions of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Versions {
    /// The word has no number.
    Inherited,
    Four,
    Six,
    Both,
}

/// Splits `interface46` into `interface` and its IP versions.
pub(super) fn versions(word: &str) -> (&str, Versions) {
    let plain = word.trim_end_matches(|c: char| c.is_ascii_digit());
    match word.get(plain.len()..) {
        Some("4") => (plain, Versions::Four),
        Some("6") => (plain, Versions::Six),
        Some("46") => (plain, Versions::Both),
        Some("") => (plain, Versions::Inherited),
        _ => (word, Versions::Inherited),
    }
}
