//! The order in which matches are tried: it means something only where a packet meets two of them.

use super::change::{Area, At, Change, Comparison, Kind};
use super::names::{Renamed, now};
use crate::diff::Price;
use crate::tc::{CATCH_ALL_PREF, Dev, Filter, FilterProtocol, Hook, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Filters that are asked one after the other.
type Place = (Dev, Hook, FilterProtocol);

/// Pairs of filters that are looked at for one change of the order; where there are more, they are taken to meet.
const MOST_PAIRS: usize = 1_000_000;

/// Takes each class or police that comes before another that it came behind, where some packet meets both.
pub(super) fn compare(
    found: &mut Comparison,
    (old, new): (&Program, &Program),
    (classes, none): (&Renamed<'_>, &Renamed<'_>),
) {
    let (olds, news) = (by_place(old), by_place(new));
    let mut swapped: BTreeSet<(bool, &str, &str)> = BTreeSet::new();
    let mut budget = MOST_PAIRS;
    for (place, filters) in &news {
        let renamed = if place.1 == Hook::Root { classes } else { none };
        let Some(before) = olds.get(place) else { continue };
        let before: BTreeMap<&str, usize> =
            names(before).into_iter().enumerate().map(|(rank, name)| (now(renamed, name), rank)).collect();
        let ranked: Vec<(&str, usize)> =
            names(filters).into_iter().filter_map(|name| Some((name, *before.get(name)?))).collect();
        if ranked.is_sorted_by_key(|(_, rank)| *rank) {
            continue;
        }
        for (at, (second, rank)) in ranked.iter().enumerate() {
            for (first, _) in ranked.iter().take(at).filter(|(_, earlier)| earlier > rank) {
                if meet(filters, first, second, &mut budget) {
                    swapped.insert((place.1 == Hook::Root, first, second));
                }
            }
        }
    }
    for (root, first, second) in swapped {
        let area = if root { Area::Classes } else { Area::Police };
        let place = At { area, name: first, line: None };
        let price = Price::in_place("the filters are exchanged");
        found.changes.push(Change { new: Some(second.to_owned()), ..place.change(Kind::Reordered, price) });
    }
}

fn by_place(program: &Program) -> BTreeMap<Place, Vec<&Filter>> {
    let mut places: BTreeMap<Place, Vec<&Filter>> = BTreeMap::new();
    // What takes the rest is last anyway.
    let rest = CATCH_ALL_PREF - 2;
    let asked = program.filters.iter().filter(|filter| filter.hook != Hook::Root || filter.pref < rest);
    for filter in asked.filter(|filter| !filter.why.name.is_empty()) {
        places.entry((filter.dev, filter.hook, filter.protocol)).or_default().push(filter);
    }
    places
}

/// What the filters came from, first asked first.
fn names<'a>(filters: &[&'a Filter]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    filters.iter().map(|filter| filter.why.name.as_str()).filter(|name| seen.insert(*name)).collect()
}

/// Whether some packet meets filters of both.
fn meet(filters: &[&Filter], one: &str, other: &str, budget: &mut usize) -> bool {
    let of = |name: &str| -> Vec<&Filter> {
        filters.iter().copied().filter(|filter| filter.why.name == name).collect()
    };
    let (ones, others) = (of(one), of(other));
    let pairs = ones.len().saturating_mul(others.len()).saturating_add(filters.len());
    let Some(left) = budget.checked_sub(pairs) else { return true };
    *budget = left;
    ones.iter().any(|a| others.iter().any(|b| a.selector.and(&b.selector).is_some()))
}
