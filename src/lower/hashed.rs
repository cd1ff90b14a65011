//! Turns long lists of hosts into one lookup in a hash table, whatever their length.

use super::classify::Pick;
use super::frame::framed;
use crate::model::Model;
use crate::tc::{Classifier, Lone, Selector, Table};
use crate::units::Family;
use std::collections::BTreeMap;

/// Minimum list length for a hash table. From this length, one lookup costs every packet less than a sequence of
/// filters. A thousand filters in a row cost a packet some tens of microseconds, and a hundred cost an amount that
/// measurement noise hides (`docs/kernel-facts.md`).
pub(super) const LEAST: usize = 64;

/// Contents of one hash table preference, or a sequence of u32 filters.
pub(super) struct Run<'r, 'a> {
    pub(super) classifier: Classifier,
    pub(super) picks: Vec<Pick<'r, 'a>>,
}

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

/// Splits the selectors of a rule into runs; each run becomes one table or one sequence.
pub(super) fn runs<'r, 'a>(picks: Vec<Pick<'r, 'a>>) -> Vec<Run<'r, 'a>> {
    let mut runs: Vec<(Option<Table>, Vec<Pick<'r, 'a>>)> = Vec::new();
    for pick in picks {
        let table = pick.table();
        match runs.last_mut() {
            Some((own, run)) if *own == table => run.push(pick),
            _ => runs.push((table, vec![pick])),
        }
    }
    let run = |(table, picks): (Option<Table>, Vec<Pick<'r, 'a>>)| {
        let table = table.filter(|_| picks.len() >= LEAST);
        let classifier = table.map_or(Classifier::U32, |table| table.classifier);
        Run { classifier, picks }
    };
    runs.into_iter().map(run).collect()
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
