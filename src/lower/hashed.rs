//! Brings selectors of the same kind together, so that `rule` can make a hash table of them, and counts what they cost.

use super::frame::framed;
use crate::model::Model;
use crate::tc::{Lone, Selector, Table};
use crate::units::Family;
use std::collections::BTreeMap;

/// Minimum list length for a hash table. From this length, one lookup costs every packet less than a sequence of
/// filters. A thousand filters in a row cost a packet some tens of microseconds, and a hundred cost an amount that
/// measurement noise hides (`docs/kernel-facts.md`).
pub(super) const LEAST: usize = 64;

/// Groups entries that one table can hold at the position of the first of them, if there are enough entries for a
/// table.
pub(super) fn gather<T>(asked: &mut [T], table: impl Fn(&T) -> Option<Table>) {
    if asked.len() < LEAST {
        return;
    }
    let mut places = BTreeMap::new();
    for one in &*asked {
        let next = places.len();
        places.entry(table(one)).or_insert(next);
    }
    asked.sort_by_cached_key(|one| places.get(&table(one)).copied());
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
    pub(super) fn add(&mut self, selectors: &[Selector], model: &Model, family: Family) {
        let table = |selector: &Selector| {
            let (protocol, selector) = framed(model, family, selector);
            selector.lone(protocol).map(Lone::table)
        };
        let mut tables: Vec<Option<Table>> = selectors.iter().map(table).collect();
        gather(&mut tables, |table| *table);
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
