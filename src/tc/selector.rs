//! What a u32 filter takes, in normal form.

use serde::Serialize;
use std::collections::BTreeMap;

/// 32 bits of a packet under a mask, big endian. `value` has no bit outside `mask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Word {
    /// What the bits must be.
    pub value: u32,
    /// Which bits count.
    pub mask: u32,
}

/// A conjunction: every word must hold. Empty takes everything.
///
/// Offsets are in bytes from the network header, multiples of 4; the kernel keeps them so, and merges what stands at
/// the same one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Selector {
    /// Words by offset.
    pub words: BTreeMap<u16, Word>,
    /// The firewall mark, where it counts.
    pub mark: Option<Word>,
}

impl Word {
    /// Both at once, or `None` where they contradict.
    #[must_use]
    pub const fn and(self, other: Word) -> Option<Word> {
        if (self.value ^ other.value) & self.mask & other.mask == 0 {
            Some(Word { value: self.value | other.value, mask: self.mask | other.mask })
        } else {
            None
        }
    }

    /// Whether every packet that meets `other` meets this.
    #[must_use]
    pub const fn covers(self, other: Word) -> bool {
        self.mask & other.mask == self.mask && (self.value ^ other.value) & self.mask == 0
    }
}

impl Selector {
    /// One word at an offset; a word that asks nothing is left out.
    #[must_use]
    pub fn word(offset: u16, word: Word) -> Selector {
        let words = if word.mask == 0 { BTreeMap::new() } else { BTreeMap::from([(offset, word)]) };
        Selector { words, mark: None }
    }

    /// Whether every packet that meets `other` meets this.
    #[must_use]
    pub fn covers(&self, other: &Selector) -> bool {
        let mark = self.mark.is_none_or(|own| other.mark.is_some_and(|word| own.covers(word)));
        mark && self
            .words
            .iter()
            .all(|(offset, own)| other.words.get(offset).is_some_and(|word| own.covers(*word)))
    }

    /// What meets both, or `None` where nothing can.
    #[must_use]
    pub fn and(&self, other: &Selector) -> Option<Selector> {
        // most pairs of a long product contradict each other: nothing is built for those
        let merged =
            |offset: &u16, word: &Word| self.words.get(offset).map_or(Some(*word), |own| own.and(*word));
        if other.words.iter().any(|(offset, word)| merged(offset, word).is_none()) {
            return None;
        }
        let mark = match (self.mark, other.mark) {
            (Some(a), Some(b)) => Some(a.and(b)?),
            (a, b) => a.or(b),
        };
        let mut words = self.words.clone();
        words.extend(other.words.iter().filter_map(|(offset, word)| Some((*offset, merged(offset, word)?))));
        Some(Selector { words, mark })
    }
}
