//! Comments of the commands, which name an object of the YAML and its place.

/// Returns a comment without the place at its end: `voice` for `voice (home.yaml:28)`.
pub(super) fn name(from: &str) -> &str {
    match from.rsplit_once(" (") {
        Some((name, place)) if place.ends_with(')') => name,
        _ => from,
    }
}

/// Returns the place at the end of a comment, such as `home.yaml:28`.
pub(super) fn place(from: &str) -> Option<&str> {
    from.rsplit_once(" (")?.1.strip_suffix(')').filter(|place| place.contains(':'))
}
