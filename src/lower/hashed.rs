//! Long lists of hosts as one lookup in a hash table, however many they are.

use super::classify::Pick;
use crate::tc::{Classifier, Table};
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
pub(super) fn gather(picks: &mut [Pick<'_, '_>]) {
    if picks.len() < LEAST {
        return;
    }
    let mut places = BTreeMap::new();
    for pick in &*picks {
        let next = places.len();
        places.entry(pick.table()).or_insert(next);
    }
    picks.sort_by_cached_key(|pick| places.get(&pick.table()).copied());
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
