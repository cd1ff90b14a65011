//! Did you mean.

/// The longest word, in characters, that is compared: a longer one is no slip of the fingers, and comparing costs the
/// product of both lengths.
const LONGEST: usize = 100;

/// The candidate nearest to `word`, when it is near enough to be a slip of the fingers: one letter in three may be
/// missing, added, wrong or swapped with its neighbour, whatever the case. The first of equally near ones.
#[must_use]
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    let limit = (length / 3).max(1);
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .filter(|c| c.chars().take(LONGEST + 1).count().abs_diff(length) <= limit)
        .map(|c| (strsim::damerau_levenshtein(&word, &c.to_lowercase()), c))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn slips_are_found_and_others_are_not() {
        let keys = ["device", "down", "up", "profile"];
        assert_eq!(did_you_mean("devcie", keys), Some("device"));
        assert_eq!(did_you_mean("PROFIL", keys), Some("profile"));
        assert_eq!(did_you_mean("uo", keys), Some("up"));
        assert_eq!(did_you_mean("bandwidth", keys), None);
        assert_eq!(did_you_mean("", keys), None);
        assert_eq!(did_you_mean("upp", ["dup", "up"]), Some("up"));
    }

    #[test]
    fn long_words_cost_nothing() {
        let long = "a".repeat(10_000_000);
        assert_eq!(did_you_mean(&long, [long.as_str()]), None);
        assert_eq!(did_you_mean("a", [long.as_str()]), None);
    }
}
