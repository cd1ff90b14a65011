//! Suggestions for misspelt words.

/// Largest length in characters of words that are compared. A longer word is no typing error, and the cost of a
/// comparison is the product of both lengths.
const LONGEST: usize = 100;

/// Returns the candidate nearest to `word`, if it can be a typing error. One letter in three may be missing, added,
/// wrong or swapped with its neighbour, and upper and lower case are equal. The first of equally near candidates wins.
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

/// Returns the three candidates nearest to `word`, the nearest first. They need not be near: this is for a long list,
/// which nobody reads in a message.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word: String = word.chars().take(LONGEST).collect::<String>().to_lowercase();
    let mut all: Vec<&str> = candidates.into_iter().collect();
    all.sort_by_cached_key(|candidate| strsim::damerau_levenshtein(&word, &candidate.to_lowercase()));
    all.truncate(3);
    all
}

/// Returns the only candidate that `word` can mean; no other candidate may be near. Either they are equal except for
/// capitals and `-` or `_`, or one letter is missing, added, wrong or swapped with its neighbour. A wrong letter in a
/// word of three letters proves nothing. Digits are never typing errors: `cs1` and `cs2` are different words.
#[must_use]
pub fn surely<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    one_of(word, candidates, |word, candidate| word.len() > 3 || same_letters(word, candidate))
}

/// Returns the only candidate that `word` can mean, for names chosen by the user. One letter more may be another name.
/// So the words must be equal except for capitals and `-` or `_`, or two neighbours must be swapped.
#[must_use]
pub fn respelt<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    one_of(word, candidates, same_letters)
}

fn one_of<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    slip: impl Fn(&str, &str) -> bool,
) -> Option<&'a str> {
    if word.chars().take(LONGEST + 1).count() > LONGEST {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let near = |candidate: &&str| did_you_mean(word, [*candidate]).is_some();
    let near: Vec<&str> = candidates.into_iter().filter(near).collect();
    let word = plain(word);
    let mut same = near.iter().filter(|candidate| plain(candidate) == word);
    if let (Some(same), None) = (same.next(), same.next()) {
        return Some(same);
    }
    let [only] = near.as_slice() else { return None };
    let meant = plain(only);
    let one = strsim::damerau_levenshtein(&word, &meant) == 1 && digits(&word) == digits(&meant);
    (one && slip(&word, &meant)).then_some(*only)
}

/// True if two words have the same letters in any order.
fn same_letters(one: &str, other: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, nearest, respelt, surely};

    #[test]
    fn only_one_slip_towards_one_word_is_certain() {
        let words =
            ["priority", "guarantee", "up", "tcp", "udp", "per-host", "per-flow", "af11", "mtu", "mpu"];
        for (word, meant) in [
            ("prioritty", "priority"),
            ("Guarantee", "guarantee"),
            ("per_host", "per-host"),
            ("tpc", "tcp"),
            ("PER-FLO", "per-flow"),
        ] {
            assert_eq!(surely(word, words), Some(meant), "{word}");
        }
        for word in ["piroritty", "uo", "tcq", "af12", "mtp", "mxu", "", "guarantees x"] {
            assert_eq!(surely(word, words), None, "{word}");
        }
        assert_eq!(surely(&"a".repeat(10_000_000), words), None);
    }

    #[test]
    fn names_of_users_are_corrected_with_more_caution() {
        let hosts = ["desk", "living-room", "tv12"];
        assert_eq!(respelt("Desk", hosts), Some("desk"));
        assert_eq!(respelt("living_room", hosts), Some("living-room"));
        assert_eq!(respelt("desk2", hosts), None);
        assert_eq!(respelt("disk", hosts), None);
        assert_eq!(respelt("dekx", ["desk"]), None);
        assert_eq!(respelt("deks", hosts), Some("desk"));
        assert_eq!(respelt("tv21", hosts), None);
        assert_eq!(respelt("TV", ["tv", "Tv"]), None);
    }

    #[test]
    fn the_nearest_of_a_long_list_come_first() {
        let names = ["docsis", "fibre", "fibre-pppoe", "wireless", "raw"];
        assert_eq!(nearest("fibr-ppp", names), ["fibre-pppoe", "fibre", "wireless"]);
        assert_eq!(nearest("", ["one"]), ["one"]);
        assert_eq!(nearest(&"a".repeat(10_000_000), names).len(), 3);
    }

    #[test]
    fn did_you_mean_finds_slips_but_not_other_words() {
        let keys = ["device", "down", "up", "profile"];
        assert_eq!(did_you_mean("devcie", keys), Some("device"));
        assert_eq!(did_you_mean("PROFIL", keys), Some("profile"));
        assert_eq!(did_you_mean("uo", keys), Some("up"));
        assert_eq!(did_you_mean("bandwidth", keys), None);
        assert_eq!(did_you_mean("", keys), None);
        assert_eq!(did_you_mean("upp", ["dup", "up"]), Some("up"));
    }

    #[test]
    fn long_words_cost_no_time() {
        let long = "a".repeat(10_000_000);
        assert_eq!(did_you_mean(&long, [long.as_str()]), None);
        assert_eq!(did_you_mean("a", [long.as_str()]), None);
    }
}
