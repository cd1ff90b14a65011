//! Lines of tc in the script's normal form, and with the ids of the other slot.

use std::ops::Range;

/// Removes the counters and assigned numbers of a line of tc, as `normal` in `templates/runtime/observed.awk` does. The
/// flows of a CAKE become an empty line.
pub(super) fn normal(line: &str) -> String {
    let mut line = line.trim_end_matches([' ', '\t']).to_owned();
    if line.starts_with("class htb ") || is_leaf(&line) {
        return line;
    }
    if line.starts_with("class cake ") {
        return String::new();
    }
    for counter in [" refcnt #", " direct_packets_stat #", " not_in_hw"] {
        while let Some(place) = find(&line, counter) {
            line.replace_range(place, "");
        }
    }
    if let Some(place) = find(&line, " (success #)").or_else(|| find(&line, " (rule hit # success #)")) {
        line.replace_range(place, "");
    }
    if let Some(place) = find(&line, "index # ref # bind # cpmark") {
        line.replace_range(place, "cpmark");
    }
    for end in ["index # ref", "ref # bind"] {
        if let Some(place) = find(&line, end) {
            line.truncate(place.start);
        }
    }
    line.truncate(line.trim_end_matches([' ', '\t']).len());
    line
}

/// Returns true for a queue below our root: `qdisc fq_codel a54b: parent c05:a54b`.
fn is_leaf(line: &str) -> bool {
    let mut words = line.split(' ');
    words.next() == Some("qdisc")
        && words.next().is_some_and(|kind| kind.starts_with(['c', 'f', 'p']))
        && words.next().is_some_and(|handle| handle.ends_with(':'))
        && words.next() == Some("parent")
        && words.next().is_some_and(|parent| parent.starts_with("c05:"))
}

/// Returns the first place of a pattern, in which `#` stands for digits.
fn find(text: &str, pattern: &str) -> Option<Range<usize>> {
    let first = pattern.split('#').next()?;
    text.match_indices(first).find_map(|(start, _)| {
        let mut rest = text.get(start..)?.strip_prefix(first)?;
        for part in pattern.split('#').skip(1) {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(part)?;
        }
        Some(start..text.len() - rest.len())
    })
}

/// Returns a line with the ids of the other slot.
pub(super) fn other_slot(line: &str) -> String {
    let flipped = |(at, own): (usize, char)| {
        let (before, id) = line.split_at(at);
        let digit = own.to_digit(16).filter(|_| is_id(id) && precedes_id(before));
        digit.and_then(|digit| char::from_digit(digit ^ 1, 16)).unwrap_or(own)
    };
    line.char_indices().map(flipped).collect()
}

/// Returns true if four hex digits follow. The first of them tells the slot, and ids below 2000 have none.
fn is_id(text: &str) -> bool {
    let digits = text.bytes().take(4).take_while(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(c));
    digits.count() == 4 && !text.starts_with(['0', '1'])
}

fn precedes_id(text: &str) -> bool {
    let is_kind = |kind: &str| !kind.is_empty() && kind.bytes().all(|c| c.is_ascii_lowercase() || c == b'_');
    ["c05:", "leaf ", "handle "].iter().any(|word| text.ends_with(word))
        || text.strip_prefix("qdisc ").and_then(|kind| kind.strip_suffix(' ')).is_some_and(is_kind)
}

/// Returns true if a class id is one of slot b: the first of its four hex digits is odd.
pub(super) fn is_in_slot_b(id: &str) -> bool {
    let minor = id.strip_prefix("c05:").filter(|minor| minor.chars().count() == 4);
    minor.is_some_and(|minor| minor.starts_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']))
}

#[cfg(test)]
#[path = "normal_tests.rs"]
mod tests;
