//! A comparison of selectors, one by one, for the tests of indexes that avoid it.

use super::{Selector, Word};

impl Word {
    /// Returns `true` if this matches every packet that `other` matches.
    const fn covers(self, other: Word) -> bool {
        self.mask & other.mask == self.mask && (self.value ^ other.value) & self.mask == 0
    }
}

impl Selector {
    /// Returns `true` if this matches every packet that `other` matches.
    pub(crate) fn covers(&self, other: &Selector) -> bool {
        let mark = self.mark.is_none_or(|own| other.mark.is_some_and(|word| own.covers(word)));
        let came = self.came_by.is_none() || self.came_by == other.came_by;
        mark && came
            && self
                .words
                .iter()
                .all(|(offset, own)| other.words.get(offset).is_some_and(|word| own.covers(*word)))
    }
}
