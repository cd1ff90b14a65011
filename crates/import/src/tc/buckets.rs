//! Puts the filters in hash tables of u32 back into the lists that lead to them.

use super::read::{Filter, Id};
use crate::text::Word;
use std::collections::{BTreeMap, BTreeSet};

/// Filters in hash tables of u32, by table and bucket.
type Tables = BTreeMap<String, BTreeMap<String, Vec<Filter>>>;

/// Returns the filters of a device as lists without tables.
pub(super) fn unfolded(filters: Vec<Filter>) -> Vec<Filter> {
    let (mut tables, mut outside) = (Tables::new(), Vec::new());
    for filter in filters {
        match filter.table.clone() {
            Some((table, bucket)) => tables.entry(table).or_default().entry(bucket).or_default().push(filter),
            None => outside.push(filter),
        }
    }
    let chains_of = |filter: Filter| {
        let chains = followed(&filter).map(|link| chains(link, &mut tables));
        let chains = chains.unwrap_or_else(|| vec![vec![filter.clone()]]);
        (filter, chains)
    };
    let lists: Vec<(Filter, Vec<Vec<Filter>>)> = outside.into_iter().map(chains_of).collect();
    let mut last: BTreeMap<(&str, Option<Id>), u32> = BTreeMap::new();
    for (list, chains) in &lists {
        for filter in chains.iter().flatten() {
            let pref = last.entry((&list.protocol, filter.flowid)).or_default();
            *pref = list.pref.max(*pref);
        }
    }
    let mut found = Vec::new();
    for (Filter { place, pref, protocol, .. }, chains) in &lists {
        let last = |class: Option<Id>| last.get(&(protocol, class)).copied().unwrap_or_default();
        let inside = in_order(chains, last).into_iter().cloned();
        found.extend(inside.map(|own| Filter {
            place: *place,
            pref: *pref,
            protocol: protocol.clone(),
            ..own
        }));
    }
    found
}

/// Returns the hash table to which a filter leads all packets. One with matches of its own has no equivalent.
fn followed(filter: &Filter) -> Option<&str> {
    let asks = |line: &Vec<Word>| {
        let is = |at: usize, text: &str| line.get(at).is_some_and(|word| word.text == text);
        is(0, "match") && !is(1, "00000000/00000000")
    };
    filter.link.as_deref().filter(|_| !filter.more.iter().any(asks))
}

/// Returns the filters that the packets of each bucket meet, in their order.
fn chains(link: &str, tables: &mut Tables) -> Vec<Vec<Filter>> {
    let mut found = Vec::new();
    for bucket in tables.remove(link).unwrap_or_default().into_values() {
        let is_alone = bucket.len() == 1;
        let mut chain = Vec::new();
        for filter in bucket {
            match followed(&filter) {
                Some(link) if is_alone => found.extend(chains(link, tables)),
                // a bucket of others; all paths through its tables could be too many
                Some(link) => chain.extend(chains(link, tables).concat()),
                None => chain.push(filter),
            }
        }
        found.push(chain);
    }
    found
}

/// Returns each filter once, in an order that agrees with that of each chain. Filters of a class follow each other if
/// they can, because the order of classes says which one matches first. `last` is the last preference of a class: among
/// classes without a common bucket, one that has filters further on comes later.
fn in_order(chains: &[Vec<Filter>], last: impl Fn(Option<Id>) -> u32) -> Vec<&Filter> {
    let class = |filter: &Filter| (last(filter.flowid), filter.flowid);
    let classes: Vec<Vec<_>> = chains.iter().map(|chain| chain.iter().map(class).collect()).collect();
    let turns: BTreeMap<_, usize> =
        merged(&classes).into_iter().enumerate().map(|(turn, class)| (class, turn)).collect();
    let mut numbers: BTreeMap<(Option<Id>, String), usize> = BTreeMap::new();
    let mut filters: BTreeMap<(usize, usize), &Filter> = BTreeMap::new();
    let mut places = Vec::new();
    for chain in chains {
        let mut own = Vec::new();
        for filter in chain {
            let words = filter.more.iter().flatten().map(|word| format!("{} ", word.text)).collect();
            let next = numbers.len();
            let number = *numbers.entry((filter.flowid, words)).or_insert(next);
            let place = (turns.get(&class(filter)).copied().unwrap_or_default(), number);
            filters.entry(place).or_insert(filter);
            own.push(place);
        }
        places.push(own);
    }
    merged(&places).iter().filter_map(|place| filters.remove(place)).collect()
}

/// Returns each entry once, in an order that agrees with that of each chain. Entries in a circle, as trees of others may
/// have them, come last.
pub(super) fn merged<T: Ord + Copy>(chains: &[Vec<T>]) -> Vec<T> {
    // for each entry, the number of those directly before it and the list of those directly after it
    let mut nodes: BTreeMap<T, (usize, Vec<T>)> =
        chains.iter().flatten().map(|one| (*one, (0, Vec::new()))).collect();
    for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
        let [before, after] = *pair else { continue };
        if before != after {
            nodes.entry(before).or_default().1.push(after);
            nodes.entry(after).or_default().0 += 1;
        }
    }
    let mut free: BTreeSet<T> =
        nodes.iter().filter(|(_, (count, _))| *count == 0).map(|(one, _)| *one).collect();
    let mut found = Vec::new();
    while let Some(one) = free.pop_first() {
        found.push(one);
        for next in nodes.remove(&one).map(|(_, after)| after).unwrap_or_default() {
            let Some((count, _)) = nodes.get_mut(&next) else { continue };
            *count -= 1;
            if *count == 0 {
                free.insert(next);
            }
        }
    }
    found.extend(nodes.into_keys());
    found
}
