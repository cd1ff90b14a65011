//! Long lists of hosts as one lookup in a hash table, however many they are.

use super::classify::Pick;
use super::frame::framed;
use crate::model::Model;
use crate::tc::{Classifier, Lone, Selector, Table};
use crate::units::Family;
use std::collections::BTreeMap;

/// From so many on, one lookup is cheaper for every packet than asking one after the other: a thousand in a row cost a
/// packet some tens of microseconds, and a hundred what cannot be told from noise (`docs/kernel-facts.md`).
pub(super) const LEAST: usize = 64;

/// What one preference asks, or u32 filters in a row.
pub(super) struct Run<'r, 'a> {
    pub(super) classifier: Classifier,
    pub(super) picks: Vec<Pick<'r, 'a>>,
}

/// Puts side by side what one table can hold, each table where its first is, where there are enough for one.
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

/// Splits what a rule asks into runs, of which each is asked as a whole.
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

/// How often a packet is held against what is asked of it: all that one table holds counts once.
#[derive(Debug, Default)]
pub(super) struct Comparisons {
    sum: usize,
    /// The run at the end: its table, and how long it is.
    last: Option<Table>,
    length: usize,
}

impl Comparisons {
    /// Goes on with the selectors of an alternative.
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
                // the first of them that is one too many to be asked for itself takes all before it along
                self.sum -= if self.length == LEAST { LEAST - 1 } else { 1 };
            }
        }
    }

    /// How many there are.
    pub(super) const fn sum(&self) -> usize {
        self.sum
    }
}

#[cfg(test)]
#[path = "hashed_tests.rs"]
mod tests;
