//! Selectors without those that an earlier one makes idle.

use crate::tc::{Selector, Word};
use std::collections::{BTreeMap, BTreeSet};

/// Selectors that were added, by the bits that they look at.
///
/// A selector is covered when those of its bits that another looks at are the other's. There are few sets of bits
/// (prefix lengths), so looking each of them up is quicker than going through all selectors.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    by_bits: BTreeMap<Selector, BTreeSet<Selector>>,
}

impl Distinct {
    /// Whether `selector` takes anything that none before it takes whole; then it is added.
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

/// The bits that a selector looks at, as a selector that wants all of them set.
pub(super) fn bits_of(selector: &Selector) -> Selector {
    let all = |word: Word| Word { value: word.mask, mask: word.mask };
    Selector {
        words: selector.words.iter().map(|(offset, word)| (*offset, all(*word))).collect(),
        mark: selector.mark.map(all),
        came_by: selector.came_by.clone(),
    }
}

/// The part of a selector that looks at `bits`; `None` where it does not look at all of them.
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
    // one that asks for no device takes what comes by any
    if bits.came_by.is_some() && bits.came_by != selector.came_by {
        return None;
    }
    let words = words.collect::<Option<BTreeMap<u16, Word>>>()?;
    Some(Selector { words, mark, came_by: bits.came_by.clone() })
}

#[cfg(test)]
#[path = "distinct_tests.rs"]
pub(super) mod tests;
