//! What meets one of many selectors and one of others, without holding each against each.

use super::alternative::{COMPARED, MOST, TooLarge};
use super::distinct::{bits_of, under};
use crate::tc::{FilterProtocol, Selector};
use std::collections::BTreeMap;

/// So few are held against each other as they are.
const FEW: usize = 64;

/// Places of selectors by what they want of the bits that they look at.
type Places = BTreeMap<Selector, Vec<usize>>;

/// Selectors, by the bits that they look at where they are many: who asks for all of these bits can meet those alone that
/// want the same of them.
#[derive(Debug)]
pub(super) struct SelectorIndex<'s> {
    all: &'s [Selector],
    by_bits: Option<BTreeMap<Selector, Places>>,
}

impl<'s> SelectorIndex<'s> {
    /// Of these, for being held against so many.
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

    /// Everything that meets one of them and one of `others`, in the order of these, then of those.
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

/// How many there are so far. What no hash table can hold is too much early: long products are not built to be refused.
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

/// The same without looking anything up.
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

/// The places of all that may meet `other`.
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
