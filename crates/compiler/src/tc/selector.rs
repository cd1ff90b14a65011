//! Normal form of the packets that a filter matches.

use super::Classifier;
use crate::units::IfName;
use serde::Serialize;
use std::collections::BTreeMap;

/// A 32-bit word of a packet under a mask, big endian. `value` has no bits outside `mask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Word {
    /// Required value of the bits.
    pub value: u32,
    /// Bits that are tested.
    pub mask: u32,
}

/// A conjunction of conditions; without conditions it matches everything.
///
/// Offsets are in bytes from the network header and multiples of 4. The kernel has the same form and merges words with
/// equal offsets.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Selector {
    /// Words by offset.
    pub words: BTreeMap<u16, Word>,
    /// Required firewall mark, if it is tested.
    pub mark: Option<Word>,
    /// Required input device, if it is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came_by: Option<IfName>,
}

/// Kind of selectors that one lookup can hold. They test the same words; u32 tables let the masks of the last word differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table {
    /// Kind of filter that owns the table.
    pub classifier: Classifier,
    /// Masks by offset, or the mask of the marks.
    masks: Vec<(u16, u32)>,
}

impl Word {
    /// Returns the conjunction of both words; `None` if they contradict each other.
    #[must_use]
    pub const fn and(self, other: Word) -> Option<Word> {
        if (self.value ^ other.value) & self.mask & other.mask == 0 {
            Some(Word { value: self.value | other.value, mask: self.mask | other.mask })
        } else {
            None
        }
    }
}

impl Selector {
    /// Returns a selector for one word at an offset. A word without tested bits is omitted.
    #[must_use]
    pub fn word(offset: u16, word: Word) -> Selector {
        let words = if word.mask == 0 { BTreeMap::new() } else { BTreeMap::from([(offset, word)]) };
        Selector { words, ..Selector::default() }
    }

    /// Returns the masks of the words by offset. Prefixes of one length have the same.
    #[must_use]
    pub fn masks(&self) -> Vec<(u16, u32)> {
        self.words.iter().map(|(offset, word)| (*offset, word.mask)).collect()
    }

    /// Returns the table that could hold the selector; `None` if none can.
    #[must_use]
    pub fn table(&self) -> Option<Table> {
        let mut masks = self.masks();
        let classifier = match (&self.mark, masks.last_mut()) {
            _ if self.came_by.is_some() => return None,
            (Some(mark), None) => {
                masks.push((0, mark.mask));
                Classifier::Fw
            }
            // u32 tables look at words only
            (Some(_), Some(_)) => return None,
            (None, Some((_, last))) => {
                // a port of the source is not one of the destination
                *last = [0xffff_0000, 0xffff].into_iter().filter(|half| *last & half != 0).sum();
                Classifier::Hash
            }
            (None, None) => return None,
        };
        Some(Table { classifier, masks })
    }

    /// Returns the intersection with another selector; `None` if no packet matches both.
    #[must_use]
    pub fn and(&self, other: &Selector) -> Option<Selector> {
        // most pairs of a long product contradict each other, so this tests them before it builds anything
        let merged =
            |offset: &u16, word: &Word| self.words.get(offset).map_or(Some(*word), |own| own.and(*word));
        if other.words.iter().any(|(offset, word)| merged(offset, word).is_none()) {
            return None;
        }
        let mark = match (self.mark, other.mark) {
            (Some(a), Some(b)) => Some(a.and(b)?),
            (a, b) => a.or(b),
        };
        let came_by = match (&self.came_by, &other.came_by) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        let mut words = self.words.clone();
        words.extend(other.words.iter().filter_map(|(offset, word)| Some((*offset, merged(offset, word)?))));
        Some(Selector { words, mark, came_by })
    }
}

#[cfg(test)]
#[path = "selector_tests.rs"]
mod tests;
