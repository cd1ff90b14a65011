//! Intersects two selector lists without comparing every pair.

use super::distinct::{bits_of, under};
use super::limits::{COMPARED, MOST, TooLarge};
use crate::tc::{FilterProtocol, Selector};
use std::collections::BTreeMap;

/// Largest number of selectors for which comparing every pair is good enough.
const FEW: usize = 64;

/// Positions of selectors, by the values that they require of the bits that they test.
type Places = BTreeMap<Selector, Vec<usize>>;

/// Selectors, indexed by the bits that they test if there are many. A selector that tests at least the same bits can
/// only intersect selectors that require the same values.
#[derive(Debug)]
pub(super) struct SelectorIndex<'s> {
    all: &'s [Selector],
    by_bits: Option<BTreeMap<Selector, Places>>,
}

impl<'s> SelectorIndex<'s> {
    /// Indexes selectors for an intersection with `others` selectors.
    pub(super) fn new(all: &'s [Selector], others: usize) -> SelectorIndex<'s> {
        let by_bits = (all.len() > FEW && others > FEW).then(|| {
            let mut by_bits: BTreeMap<Selector, Places> = BTreeMap::new();
            for (place, selector) in all.iter().enumerate() {
                let places = by_bits.entry(bits_of(selector)).or_default();
                places.entry(selector.clone()).or_default().push(place);
            }
            by_bits
        });
        SelectorIndex { all, by_bits }
    }

    /// Returns the intersections of each selector with each of `others`, ordered by this list and then by `others`.
    /// Fails if there are too many.
    pub(super) fn product(&self, others: &[Selector]) -> Result<Vec<Selector>, TooLarge> {
        let Some(by_bits) = &self.by_bits else { return each(self.all, others) };
        let mut found: Vec<(usize, usize, Selector)> = Vec::new();
        let mut room = Room::default();
        for (second, other) in others.iter().enumerate() {
            for first in candidates(by_bits, other) {
                let Some(both) = self.all.get(first).and_then(|own| own.and(other)) else { continue };
                room.take(&both)?;
                found.push((first, second, both));
            }
        }
        found.sort_by_key(|(first, second, _)| (*first, *second));
        Ok(found.into_iter().map(|(_, _, both)| both).collect())
    }
}

/// Counts the results so far. Selectors that no hash table can hold have a lower limit, which ends long products early.
#[derive(Debug, Default)]
struct Room {
    all: usize,
    asked: usize,
}

impl Room {
    fn take(&mut self, selector: &Selector) -> Result<(), TooLarge> {
        let lone = |protocol| selector.lone(protocol).is_some();
        self.all += 1;
        self.asked += usize::from(!lone(FilterProtocol::Ip) && !lone(FilterProtocol::Ipv6));
        if self.all > MOST || self.asked > COMPARED { Err(TooLarge) } else { Ok(()) }
    }
}

/// Returns the same without an index.
fn each(all: &[Selector], others: &[Selector]) -> Result<Vec<Selector>, TooLarge> {
    let mut found = Vec::new();
    let mut room = Room::default();
    for own in all {
        for both in others.iter().filter_map(|other| own.and(other)) {
            room.take(&both)?;
            found.push(both);
        }
    }
    Ok(found)
}

/// Returns the positions of all selectors that may intersect `other`.
fn candidates(by_bits: &BTreeMap<Selector, Places>, other: &Selector) -> Vec<usize> {
    let mut found = Vec::new();
    for (bits, places) in by_bits {
        match under(other, bits) {
            Some(part) => found.extend(places.get(&part).into_iter().flatten()),
            None => found.extend(places.values().flatten()),
        }
    }
    found
}

#[cfg(test)]
#[path = "intersect_tests.rs"]
mod tests;
