//! Removes selectors that an earlier selector covers.

use crate::tc::{Selector, Word};
use crate::units::IfName;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of comparisons of masks. Later selectors are only compared with equal ones, so that many different
/// masks cost little time.
const MOST: usize = 1 << 22;

/// Selectors that were added, as a tree of their conditions for each input device.
///
/// A selector is covered if another one tests a subset of its bits and requires the same values. At one place, few sets
/// of bits (prefix lengths) occur, so looking up each of them is faster than comparing all selectors.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    by_device: BTreeMap<Option<IfName>, Conditions>,
    compared: usize,
}

/// Place of a condition: an offset, or `None` for the mark.
type Place = Option<u16>;

/// What can follow the conditions that lead here.
#[derive(Debug, Default)]
struct Conditions {
    /// `true` if a selector has no further condition.
    is_end: bool,
    /// Next conditions, by their place and mask, and then by the value.
    next: BTreeMap<(Place, u32), BTreeMap<u32, Conditions>>,
}

impl Distinct {
    /// Adds `selector` and returns `true`, unless an earlier selector covers it.
    pub(super) fn adds(&mut self, selector: &Selector) -> bool {
        let words = selector.words.iter().map(|(offset, word)| (Some(*offset), *word));
        let all: Vec<(Place, Word)> =
            selector.mark.map(|mark| (None, mark)).into_iter().chain(words).collect();
        // a selector without a device matches packets from any device
        for device in BTreeSet::from([&None, &selector.came_by]) {
            let before = self.by_device.get(device);
            if before.is_some_and(|before| before.covers(&all, &mut self.compared)) {
                return false;
            }
        }
        let mut end = self.by_device.entry(selector.came_by.clone()).or_default();
        for (place, word) in all {
            end = end.next.entry((place, word.mask)).or_default().entry(word.value).or_default();
        }
        !std::mem::replace(&mut end.is_end, true)
    }
}

impl Conditions {
    /// Returns `true` if a selector that was added here has only conditions that follow from `all`, which has the order
    /// of the places. Counts the compared masks.
    fn covers(&self, all: &[(Place, Word)], compared: &mut usize) -> bool {
        if self.is_end || *compared >= MOST {
            return self.is_end;
        }
        all.iter().enumerate().any(|(at, (place, word))| {
            let rest = all.get(at + 1..).unwrap_or_default();
            self.next.range((*place, 0)..=(*place, u32::MAX)).any(|((_, mask), values)| {
                *compared += 1;
                let held = values.get(&(word.value & mask)).filter(|_| mask & word.mask == *mask);
                held.is_some_and(|next| next.covers(rest, compared))
            })
        })
    }
}

/// Returns the bits that a selector tests, as a selector that requires all of them to be set.
pub(super) fn bits_of(selector: &Selector) -> Selector {
    let all = |word: Word| Word { value: word.mask, mask: word.mask };
    Selector {
        words: selector.words.iter().map(|(offset, word)| (*offset, all(*word))).collect(),
        mark: selector.mark.map(all),
        came_by: selector.came_by.clone(),
    }
}

/// Returns the part of a selector that tests `bits`; `None` if it does not test all of them.
pub(super) fn under(selector: &Selector, bits: &Selector) -> Option<Selector> {
    let part = |word: Option<&Word>, bits: &Word| -> Option<Word> {
        let word = word.filter(|word| word.mask & bits.mask == bits.mask)?;
        Some(Word { value: word.value & bits.mask, mask: bits.mask })
    };
    let mark = match &bits.mark {
        Some(mark) => Some(part(selector.mark.as_ref(), mark)?),
        None => None,
    };
    let words = bits
        .words
        .iter()
        .map(|(offset, word)| part(selector.words.get(offset), word).map(|part| (*offset, part)));
    // a selector without a device matches packets from any device
    if bits.came_by.is_some() && bits.came_by != selector.came_by {
        return None;
    }
    let words = words.collect::<Option<BTreeMap<u16, Word>>>()?;
    Some(Selector { words, mark, came_by: bits.came_by.clone() })
}

#[cfg(test)]
#[path = "distinct_tests.rs"]
pub(super) mod tests;
