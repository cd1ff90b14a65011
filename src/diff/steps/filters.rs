//! Facts of the steps for a list of filters.

use super::described::{Line, same_lines};
use super::step::{Cause, Object, Value};
use super::writer::{Facts, Writer};
use crate::diff::cost::Price;
use std::collections::BTreeMap;

/// List of filters in its four states: the last start left one bank in use, and packets meet one bank now.
pub(super) struct Lists<'l> {
    pub(super) was: &'l [Line<'l>],
    pub(super) want: &'l [Line<'l>],
    pub(super) held: &'l [String],
    pub(super) now: Option<&'l [String]>,
}

impl Lists<'_> {
    /// Returns true if nothing needs to change.
    pub(super) fn is_same(&self) -> bool {
        same_lines(self.was, self.want) && self.now == Some(self.held)
    }

    /// Returns the facts of all steps for the list. `moves` is true if its downloads switch to another ifb.
    pub(super) fn facts(&self, object: Object, moves: bool, out: &Writer<'_>) -> Facts {
        let (old, new) = (self.now.map_or(0, number_of_filters), self.want.len());
        let drifted = self.now != Some(self.held);
        let same = same_lines(self.was, self.want);
        let mut cause = out.cause(!same, drifted && !self.was.is_empty());
        // A list that does not exist was not changed by others.
        if self.now.is_none() && cause == Cause::Unknown {
            cause = Cause::File;
        }
        let reason = match (self.now.is_some(), new) {
            (false, _) => "no filters are in force yet".to_owned(),
            (_, 0) => "no new filters replace them".to_owned(),
            _ if moves => format!("downloads switch to {}", out.target),
            _ => "new filters are added before old ones are deleted".to_owned(),
        };
        let mut facts = Facts::new(object, Price::in_place(reason), cause);
        let mut value = |field: &str, old: usize, new: usize| {
            facts.values.push(Value { field: field.to_owned(), old: old.to_string(), new: new.to_string() });
        };
        value("filters", old, new);
        if out.recorded && !same && self.now.is_some() && new > 0 {
            let (was, want) = (count(self.was), count(self.want));
            value("of them", missing(&was, &want), missing(&want, &was));
        }
        facts
    }
}

/// Returns the number of filters in lines of tc: each has one line with a key or handle, unlike the lines of tables.
fn number_of_filters(lines: &[String]) -> usize {
    let is_one = |line: &&String| line.contains(" key ") || line.contains(" handle ");
    lines.iter().filter(|line| line.starts_with("filter ")).filter(is_one).count()
}

/// Counts filters, independent of their order.
fn count(lines: &[Line<'_>]) -> BTreeMap<String, usize> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        *found.entry(without_preference(line.words).unwrap_or_default()).or_default() += 1;
    }
    found
}

/// Returns the number of filters that the other list does not have.
fn missing(from: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>) -> usize {
    from.iter().map(|(words, n)| n.saturating_sub(other.get(words).copied().unwrap_or(0))).sum()
}

fn without_preference(words: &str) -> Option<String> {
    let (before, rest) = words.split_once(" pref ")?;
    Some(format!("{before}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())))
}
