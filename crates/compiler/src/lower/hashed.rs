//! Brings selectors of the same kind together, so that `rule` can make a hash table of them, and counts what they cost.

use crate::tc::{Selector, Table};
use std::collections::BTreeMap;

/// Minimum list length for a hash table.
pub(super) const LEAST: usize = 10;

/// The same for marks, which fw looks up.
pub(super) const MARKS: usize = 64;

/// Number of filters that a packet must be spared, and what a lookup costs beside its link. A lookup costs a packet about
/// as much as four filters (`scripts/bench filters`), but a list is easier to read.
pub(super) const SPARED: usize = 5 + 3;

/// Groups entries of one kind at the position of the first of them, if there are enough entries for a table.
pub(super) fn gather<T, K: Ord>(asked: &mut [T], kind: impl Fn(&T) -> K) {
    if asked.len() < LEAST {
        return;
    }
    let mut places = BTreeMap::new();
    for one in &*asked {
        let next = places.len();
        places.entry(kind(one)).or_insert(next);
    }
    asked.sort_by_cached_key(|one| places.get(&kind(one)).copied());
}

/// Number of comparisons for a packet. All entries of one table count once.
#[derive(Debug, Default)]
pub(super) struct Comparisons {
    sum: usize,
    /// The last run: its table, followed by its length.
    last: Option<Table>,
    length: usize,
}

impl Comparisons {
    /// Adds the selectors of an alternative.
    pub(super) fn add(&mut self, selectors: &[Selector]) {
        let mut tables: Vec<Option<Table>> = selectors.iter().map(Selector::table).collect();
        gather(&mut tables, Clone::clone);
        for table in tables {
            if table.is_none() || table != self.last {
                (self.last, self.length) = (table, 0);
            }
            self.length += 1;
            self.sum += 1;
            if self.length >= LEAST {
                // with this entry the run becomes a table, so that all its entries together count once
                self.sum -= if self.length == LEAST { LEAST - 1 } else { 1 };
            }
        }
    }

    /// Returns the number of comparisons.
    pub(super) const fn sum(&self) -> usize {
        self.sum
    }
}

#[cfg(test)]
#[path = "hashed_tests.rs"]
mod tests;
