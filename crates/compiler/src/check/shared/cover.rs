//! Packets of an alternative that earlier alternatives take, computed on sets of addresses, ports, code points,
//! protocols and families.
//!
//! Every result is certain. Cases that the rule cannot see through give no result: what is inside tunnels, MAC addresses,
//! and alternatives that take all packets only together.

mod part;

use crate::model::{Alternative, Class, Model, in_match_order};
use crate::units::Address;
use part::{Look, Part};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::slice::from_ref;

/// Largest number of alternatives to compare. Thousands of hosts are not written by hand.
const MOST: usize = 2000;
/// Largest number of comparisons of values. Alternatives that come after them take nothing.
const STEPS: usize = 50_000_000;

/// Indices of the earlier entries that take all packets; `None` if some packets are left.
type Takers = Option<BTreeSet<usize>>;

/// Alternatives that must all match, from that of the outermost class to that of the innermost one.
type Conjunction<'a> = Vec<Part<'a>>;

/// A conjunction for a leaf.
#[derive(Clone)]
struct Entry<'a> {
    leaf: &'a Class,
    parts: Conjunction<'a>,
}

/// The entries before an alternative. Most long lists name one remote address in each entry, and an entry for one
/// address takes nothing from another.
#[derive(Default)]
struct Earlier<'a> {
    all: Vec<Entry<'a>>,
    /// Indices of the entries for a single remote address.
    of_remote: HashMap<Address, Vec<usize>>,
    others: Vec<usize>,
}

impl<'a> Earlier<'a> {
    fn add(&mut self, entry: &Entry<'a>) {
        let single = entry.parts.iter().find_map(|part| match part.own.remote.as_slice() {
            [remote] if remote.is_single() => Some(*remote),
            _ => None,
        });
        match single {
            Some(remote) => self.of_remote.entry(remote).or_default(),
            None => &mut self.others,
        }
        .push(self.all.len());
        self.all.push(entry.clone());
    }

    /// Returns the index of the first entry that takes all packets that match all of `parts`.
    fn taker(&self, look: Look<'_>, parts: &[Part<'_>]) -> Option<usize> {
        let named = parts.iter().filter_map(|part| part.own.remote.first());
        let lists = named.filter_map(|remote| self.of_remote.get(remote)).chain([&self.others]);
        let takes = |at: &&usize| self.all.get(**at).is_some_and(|entry| look.covers(&entry.parts, parts));
        lists.filter_map(|list| list.iter().find(takes)).min().copied()
    }
}

/// An alternative from which earlier ones take packets.
pub(in crate::check) struct Taken<'a> {
    /// Leaf of the alternative.
    pub(in crate::check) leaf: &'a Class,
    /// The alternative itself.
    pub(in crate::check) own: &'a Alternative,
    /// Leaves and alternatives that take the packets, in the order of the filters.
    pub(in crate::check) by: Vec<(&'a Class, &'a Alternative)>,
    /// Values without any packets left; empty if the whole alternative has none left.
    pub(in crate::check) values: Vec<String>,
}

/// Returns every alternative of which earlier ones take all packets, or all packets with one of its values.
pub(in crate::check) fn taken(model: &Model) -> Vec<Taken<'_>> {
    // Combinations beyond the limit would only cost memory.
    let mut left = MOST;
    let leaves = in_match_order(&model.classes, &mut |class, own, outer| {
        let combinations = combined(own, outer, left);
        if class.leaf().is_some() {
            left -= combinations.len();
        }
        Rc::new(combinations)
    });
    let entries = leaves
        .iter()
        .flat_map(|leaf| leaf.packets.iter().map(|parts| Entry { leaf: leaf.class, parts: parts.clone() }));
    let entries: Vec<Entry<'_>> = entries.take(MOST).collect();
    let steps = Cell::new(STEPS);
    let look = Look { model, steps: &steps };
    let mut found = Vec::new();
    let mut before = Earlier::default();
    // An alternative has one entry for each combination of its parents' alternatives.
    let same = |a: &Entry<'_>, b: &Entry<'_>| {
        a.parts.last().zip(b.parts.last()).is_some_and(|(a, b)| std::ptr::eq(a.own, b.own))
    };
    for own in entries.chunk_by(same) {
        let one = of_one(look, &before, own);
        // If the steps have run out meanwhile, the result is not certain.
        if look.is_over() {
            break;
        }
        found.extend(one);
        own.iter().for_each(|entry| before.add(entry));
    }
    found
}

/// Returns the first combinations of the alternatives of a class with those of its parents, at most `most`.
fn combined<'a>(
    own: &'a [Alternative],
    outer: Option<&Rc<Vec<Conjunction<'a>>>>,
    most: usize,
) -> Vec<Conjunction<'a>> {
    let none = Rc::new(vec![Vec::new()]);
    let outer = outer.unwrap_or(&none);
    let each = |own: &'a Alternative| {
        let own = Part::of(own);
        outer.iter().map(move |parts| [parts.as_slice(), from_ref(&own)].concat())
    };
    own.iter().flat_map(each).take(most).collect()
}

/// Returns the packets taken from one alternative. `own` has it with each combination of its parents' alternatives.
fn of_one<'a>(look: Look<'_>, before: &Earlier<'a>, own: &[Entry<'a>]) -> Option<Taken<'a>> {
    let leaf = own.first()?.leaf;
    // A leaf for the rest of a match is meant to get only the remaining packets.
    leaf.matches.as_ref()?;
    let last = own.first()?.parts.last()?;
    let takers = |single: &Part<'a>| -> Takers {
        let taker = |entry: &Entry<'a>| {
            let (_, outer) = entry.parts.split_last()?;
            before.taker(look, &[outer, from_ref(single)].concat())
        };
        own.iter().map(taker).collect()
    };
    let singles = last.singles(look);
    let mut gone: Vec<Takers> = singles.iter().map(takers).collect();
    let (by, values) = match gone.iter().cloned().collect::<Option<Vec<_>>>() {
        Some(all) => (all.into_iter().flatten().collect(), Vec::new()),
        None => {
            // Packets taken by another alternative of the same leaf are not lost to that leaf.
            let is_own = |at: &usize| before.all.get(*at).is_some_and(|entry| std::ptr::eq(entry.leaf, leaf));
            gone.iter_mut().for_each(|by| *by = by.take().filter(|by| !by.iter().any(is_own)));
            let mut by = BTreeSet::new();
            let values = lost_values(look.model, last, singles.iter().zip(&gone), &mut by);
            if values.is_empty() {
                return None;
            }
            (by, values)
        }
    };
    let mut named: Vec<(&'a Class, &'a Alternative)> = Vec::new();
    for entry in by.iter().filter_map(|at| before.all.get(*at)) {
        let taker = entry.parts.last()?.own;
        if !named.iter().any(|(_, other)| std::ptr::eq(*other, taker)) {
            named.push((entry.leaf, taker));
        }
    }
    Some(Taken { leaf, own: last.own, by: named, values })
}

/// Returns the values, as in the file, of which no combination has packets left. Adds the entries that take them to
/// `by`.
fn lost_values<'s>(
    model: &Model,
    whole: &Part<'_>,
    singles: impl Iterator<Item = (&'s Part<'s>, &'s Takers)> + Clone,
    by: &mut BTreeSet<usize>,
) -> Vec<String> {
    let mut lost = Vec::new();
    for (key, value) in
        whole.keys.iter().flat_map(|(key, values)| values.iter().map(move |value| (key, value)))
    {
        let with = singles.clone().filter(|(single, _)| single.get(key) == [*value]);
        let takers: Option<Vec<&BTreeSet<usize>>> = with.map(|(_, takers)| takers.as_ref()).collect();
        let takers = takers.filter(|takers| !takers.is_empty());
        if let (Some(takers), Some(text)) = (takers, value.text(model)) {
            lost.push(format!("{key} {text}"));
            by.extend(takers.into_iter().flatten());
        }
    }
    lost
}

#[cfg(test)]
#[path = "cover_tests.rs"]
mod tests;
