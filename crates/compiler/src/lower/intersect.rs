//! Intersects two selector lists without comparing every pair.

use super::distinct::{bits_of, under};
use super::hashed::LEAST;
use super::limits::{COMPARED, MOST, TooLarge};
use crate::tc::{Selector, Word};
use std::collections::BTreeMap;

/// Largest number of selectors for which comparing every pair is good enough.
const FEW: usize = 64;
/// Largest number of pairs for which this holds, too.
const PAIRS: usize = 4096;

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

    /// Returns the cost of [`product`](Self::product) with `others` selectors, in comparisons of two selectors. A lookup
    /// in the index costs about eight times as much.
    pub(super) fn cost(&self, others: usize) -> usize {
        let each = self.by_bits.as_ref().map_or(self.all.len(), |by_bits| 8 * by_bits.len());
        each.saturating_mul(others)
    }

    /// Returns the intersections of each selector with each of `others`, ordered by this list and then by `others`.
    /// Fails if there are too many.
    pub(super) fn product(&self, others: &[Selector]) -> Result<Vec<Selector>, TooLarge> {
        let Some(by_bits) = &self.by_bits else { return each(self.all, others) };
        let mut found: Vec<(usize, usize, Selector)> = Vec::new();
        let mut room = Room::of(self.all, others);
        let mut intersect = |first: usize, second: usize, other: &Selector| {
            if let Some(both) = self.all.get(first).and_then(|own| own.and(other)) {
                room.count()?;
                found.push((first, second, both));
            }
            Ok(())
        };
        for (bits, places) in by_bits {
            // Selectors that do not test all of these bits, by the bits that they test.
            let mut wider: BTreeMap<Selector, Vec<(usize, &Selector)>> = BTreeMap::new();
            for (second, other) in others.iter().enumerate() {
                match under(other, bits) {
                    Some(part) => {
                        for first in places.get(&part).into_iter().flatten() {
                            intersect(*first, second, other)?;
                        }
                    }
                    None => wider.entry(bits_of(other)).or_default().push((second, other)),
                }
            }
            for (theirs, others) in wider {
                if places.len().saturating_mul(others.len()) <= PAIRS {
                    for (second, other) in others {
                        for first in places.values().flatten() {
                            intersect(*first, second, other)?;
                        }
                    }
                    continue;
                }
                // Both test these bits, so they intersect only if they require the same values of them.
                let common = common(bits, &theirs);
                let mut by_value: BTreeMap<Option<Selector>, Vec<usize>> = BTreeMap::new();
                for (own, places) in places {
                    by_value.entry(under(own, &common)).or_default().extend(places);
                }
                for (second, other) in others {
                    for first in by_value.get(&under(other, &common)).into_iter().flatten() {
                        intersect(*first, second, other)?;
                    }
                }
            }
        }
        found.sort_by_key(|(first, second, _)| (*first, *second));
        Ok(found.into_iter().map(|(_, _, both)| both).collect())
    }
}

/// Number of results that may still follow. Hash tables hold long lists, but all combinations of two lists only up to a
/// lower limit, which ends long products early.
struct Room(usize);

impl Room {
    fn of(all: &[Selector], others: &[Selector]) -> Room {
        let (one, other) = (all.len(), others.len());
        Room(if one.min(other) < LEAST { MOST } else { COMPARED.max(one + other).min(MOST) })
    }

    fn count(&mut self) -> Result<(), TooLarge> {
        self.0 = self.0.checked_sub(1).ok_or(TooLarge)?;
        Ok(())
    }
}

/// Returns the same without an index.
fn each(all: &[Selector], others: &[Selector]) -> Result<Vec<Selector>, TooLarge> {
    let mut found = Vec::new();
    let mut room = Room::of(all, others);
    for own in all {
        for both in others.iter().filter_map(|other| own.and(other)) {
            room.count()?;
            found.push(both);
        }
    }
    Ok(found)
}

/// Returns the bits that both of two selectors test.
fn common(one: &Selector, other: &Selector) -> Selector {
    let all = |mask: u32| (mask != 0).then_some(Word { value: mask, mask });
    let words = one.words.iter().filter_map(|(offset, word)| {
        let other = other.words.get(offset)?;
        Some((*offset, all(word.mask & other.mask)?))
    });
    let mark = one.mark.zip(other.mark).and_then(|(one, other)| all(one.mask & other.mask));
    Selector { words: words.collect(), mark, came_by: None }
}

#[cfg(test)]
#[path = "intersect_tests.rs"]
mod tests;
