//! Compares the order of matches. Order matters only if some packet fits two of them.

use super::change::{At, Change, ChangeKind, Comparison};
use super::price::FILTERS;
use super::side::{Renamed, now};
use crate::diff::Price;
use qosc_compiler::model::FileSection;
use qosc_compiler::tc::{CATCH_ALL_PREF, Dev, Filter, FilterProtocol, Hook, Program};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A filter list: filters that the kernel tries one after the other.
type FilterList = (Dev, Hook, FilterProtocol);

/// Largest number of class and filter pairs to examine. Beyond it, the comparison only reports that the order changed.
const MOST_PAIRS: usize = 20_000_000;

/// A pair in which the first class or policer now comes before the second, and came after it before. The flag is `true`
/// for classes.
type Swap<'a> = (bool, &'a str, &'a str);

/// A class or policer that now comes before others (`true`) or after them; the first flag is that of a [`Swap`].
type Side<'a> = (bool, &'a str, bool);

/// Records each class or policer that changed places with another, if some packet fits both.
pub(super) fn compare(found: &mut Comparison, (old, new): (&Program, &Program), classes: &Renamed<'_>) {
    let (olds, news) = (by_place(old), by_place(new));
    let none = BTreeMap::new();
    let mut swaps = BTreeSet::new();
    let mut budget = MOST_PAIRS;
    for (place, filters) in &news {
        let renamed = if place.1 == Hook::Root { classes } else { &none };
        let Some(before) = olds.get(place) else { continue };
        let before: BTreeMap<&str, usize> =
            names(before).into_iter().enumerate().map(|(rank, name)| (now(renamed, name), rank)).collect();
        let ranked: Vec<(&str, usize)> =
            names(filters).into_iter().filter_map(|name| Some((name, *before.get(name)?))).collect();
        if ranked.is_sorted_by_key(|(_, rank)| *rank) {
            continue;
        }
        if swapped(place.1 == Hook::Root, &ranked, filters, &mut budget, &mut swaps).is_none() {
            let area = if place.1 == Hook::Root { FileSection::Classes } else { FileSection::Police };
            let price = Price::in_place(FILTERS);
            found.changes.push(At { area, name: "", line: None }.change(ChangeKind::Reordered, price));
            return;
        }
    }
    say(found, &swaps);
}

/// Collects the swapped pairs; returns `None` if the budget is exhausted.
fn swapped<'a>(
    root: bool,
    ranked: &[(&'a str, usize)],
    filters: &[&Filter],
    budget: &mut usize,
    swaps: &mut BTreeSet<Swap<'a>>,
) -> Option<()> {
    let mut by_name: BTreeMap<&str, Vec<&Filter>> = BTreeMap::new();
    for filter in filters {
        by_name.entry(&filter.why.name).or_default().push(filter);
    }
    let none = Vec::new();
    let all: Vec<_> = (ranked.iter())
        .map(|(name, rank)| (*name, *rank, by_name.get(name).unwrap_or(&none).as_slice()))
        .collect();
    let mut highest = 0;
    for (at, (second, rank, others)) in all.iter().enumerate() {
        *budget = budget.checked_sub(at)?;
        // All earlier ones came before it, too.
        if *rank >= highest {
            highest = *rank;
            continue;
        }
        for (first, _, ones) in all.iter().take(at).filter(|(_, earlier, _)| earlier > rank) {
            *budget = budget.checked_sub(ones.len().saturating_mul(others.len()))?;
            if ones.iter().any(|a| others.iter().any(|b| a.selector.and(&b.selector).is_some())) {
                swaps.insert((root, first, second));
            }
        }
    }
    Some(())
}

/// Reports the swaps in few changes: it repeatedly picks the class or policer that most remaining swaps involve.
fn say(found: &mut Comparison, swaps: &BTreeSet<Swap<'_>>) {
    let mut about: BTreeMap<Side<'_>, BTreeSet<&str>> = BTreeMap::new();
    for (root, first, second) in swaps {
        about.entry((*root, first, true)).or_default().insert(second);
        about.entry((*root, second, false)).or_default().insert(first);
    }
    let mut by_count: BTreeSet<(usize, Reverse<Side<'_>>)> =
        about.iter().map(|(side, others)| (others.len(), Reverse(*side))).collect();
    while let Some((_, Reverse(side))) = by_count.pop_last() {
        let Some(others) = about.remove(&side) else { continue };
        let (root, name, before) = side;
        for other in &others {
            let opposite = (root, *other, !before);
            let Some(names) = about.get_mut(&opposite) else { continue };
            by_count.remove(&(names.len(), Reverse(opposite)));
            names.remove(name);
            if names.is_empty() {
                about.remove(&opposite);
            } else {
                by_count.insert((names.len(), Reverse(opposite)));
            }
        }
        let area = if root { FileSection::Classes } else { FileSection::Police };
        let change = At { area, name, line: None }.change(ChangeKind::Reordered, Price::in_place(FILTERS));
        found.changes.push(Change {
            field: if before { "before" } else { "after" }.to_owned(),
            new: Some(others.into_iter().collect::<Vec<_>>().join(", ")),
            ..change
        });
    }
}

fn by_place(program: &Program) -> BTreeMap<FilterList, Vec<&Filter>> {
    let mut places: BTreeMap<FilterList, Vec<&Filter>> = BTreeMap::new();
    // The filters that catch the rest of the traffic always come last.
    let rest = CATCH_ALL_PREF - 2;
    let asked = program.filters.iter().filter(|filter| filter.hook != Hook::Root || filter.pref < rest);
    for filter in asked.filter(|filter| !filter.why.name.is_empty()) {
        places.entry((filter.dev, filter.hook, filter.protocol)).or_default().push(filter);
    }
    places
}

/// Returns the names that the filters come from, in the order in which the kernel tries them.
fn names<'a>(filters: &[&'a Filter]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    filters.iter().map(|filter| filter.why.name.as_str()).filter(|name| seen.insert(*name)).collect()
}
