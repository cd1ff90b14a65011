//! Removes selectors that an earlier selector covers.

use crate::tc::{Selector, Word};
use std::collections::{BTreeMap, BTreeSet};

/// Selectors that were added, grouped by the bits that they test.
///
/// A selector is covered if another one tests a subset of its bits and requires the same values. There are few sets of
/// bits (prefix lengths), so looking up each of them is faster than comparing all selectors.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    by_bits: BTreeMap<Selector, BTreeSet<Selector>>,
}

impl Distinct {
    /// Adds `selector` and returns `true`, unless an earlier selector covers it.
    pub(super) fn adds(&mut self, selector: &Selector) -> bool {
        let covered = self
            .by_bits
            .iter()
            .any(|(bits, added)| under(selector, bits).is_some_and(|part| added.contains(&part)));
        if !covered {
            let bits = self.by_bits.entry(bits_of(selector)).or_default();
            bits.insert(selector.clone());
        }
        !covered
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
