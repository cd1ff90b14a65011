//! Steps for filter lists, each in one of two banks of preferences.

use super::facts::{Describer, StepFacts, role};
use super::step::{Cause, Object, Value};
use crate::awk::Error;
use crate::diff::cost::Price;
use crate::engine::{State, Which};
use crate::tc::{Dev, Hook};
use std::collections::BTreeMap;

/// Filter list: the filters of one place, which classify a packet one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum List {
    Root(Dev),
    Ingress,
    Egress,
    /// List at the ingress of a tunnel's device.
    Tunnel(String),
}

impl List {
    /// Returns the list of a filter: the device and the word after it.
    pub(super) fn of(device: &str, place: &str) -> List {
        match (device, place) {
            ("@ifb", _) => List::Root(Dev::Ifb),
            ("@wan", "ingress") => List::Ingress,
            ("@wan", "egress") => List::Egress,
            ("@wan", _) => List::Root(Dev::Wan),
            (device, _) => List::Tunnel(device.to_owned()),
        }
    }

    fn object(&self) -> Object {
        let (dev, hook) = match self {
            List::Tunnel(device) => return Object::Tunnel { device: device.clone() },
            List::Root(dev) => (*dev, Hook::Root),
            List::Ingress => (Dev::Wan, Hook::Ingress),
            List::Egress => (Dev::Wan, Hook::Egress),
        };
        Object::Filters { dev, hook }
    }

    /// Returns the name of the list in the described states.
    fn described(&self) -> String {
        match self {
            List::Root(dev) => role(*dev).to_owned(),
            List::Ingress => "ingress".to_owned(),
            List::Egress => "egress".to_owned(),
            List::Tunnel(device) => format!("ingress {device}"),
        }
    }
}

impl Describer<'_> {
    /// Returns the facts of all steps for a list.
    pub(super) fn filters(&mut self, state: &mut State<'_, '_>, list: &List) -> Result<StepFacts, Error> {
        if let List::Root(dev) = list
            && let Some((price, cause)) = self.rebuilt(*dev)
        {
            return Ok(StepFacts::new(list.object(), price.clone(), *cause));
        }
        let name = list.described();
        if let Some(facts) = self.lists.get(&name) {
            return Ok(facts.clone());
        }
        let facts = self.list(state, list, &name)?;
        self.lists.insert(name, facts.clone());
        Ok(facts)
    }

    fn list(&self, state: &mut State<'_, '_>, list: &List, name: &str) -> Result<StepFacts, Error> {
        let (now, held) = match list {
            List::Root(dev) => (state.place_now(role(*dev)), state.place_held(role(*dev))),
            List::Ingress | List::Egress | List::Tunnel(_) => (name.to_owned(), name.to_owned()),
        };
        let (was, wanted) = (state.filters(Which::Was, name), state.filters(Which::Wanted, name));
        let force = state.bank_in_force(&now)?;
        let in_force = force.as_ref().map(|bank| state.bank(Which::Now, &now, bank));
        let left = state.bank(Which::Held, &held, state.bank_left(&held));
        let (old, new) = (in_force.as_deref().map_or(0, number_of_filters), wanted.len());
        let drifted = in_force != Some(left);
        let same = was == wanted;
        let mut cause = self.cause(!same, drifted && !was.is_empty());
        // A list that does not exist was not changed by others.
        if force.is_none() && cause == Cause::Unknown {
            cause = Cause::File;
        }
        let reason = match (force.is_some(), new) {
            (false, _) => "no filters are in force yet".to_owned(),
            (_, 0) => "no new filters replace them".to_owned(),
            _ if matches!(list, List::Ingress | List::Tunnel(_)) && state.redirect_moves() => {
                format!("downloads switch to {}", state.target())
            }
            _ => "new filters are added before old ones are deleted".to_owned(),
        };
        let mut facts = StepFacts::new(list.object(), Price::in_place(reason), cause);
        let mut value = |field: &str, old: usize, new: usize| {
            facts.values.push(Value { field: field.to_owned(), old: old.to_string(), new: new.to_string() });
        };
        value("filters", old, new);
        if self.recorded && !same && force.is_some() && new > 0 {
            let (was, wanted) = (count(&was), count(&wanted));
            value("of them", missing(&was, &wanted), missing(&wanted, &was));
        }
        Ok(facts)
    }
}

/// Returns the number of filters in lines of tc: each has one line with a key, unlike the lines of u32 tables.
fn number_of_filters(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("filter ") && line.contains(" key ")).count()
}

/// Counts filters, independent of their order.
fn count(lines: &[String]) -> BTreeMap<String, usize> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        *found.entry(without_preference(line).unwrap_or_default()).or_default() += 1;
    }
    found
}

/// Returns the number of filters that the other list does not have.
fn missing(from: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>) -> usize {
    from.iter().map(|(words, n)| n.saturating_sub(other.get(words).copied().unwrap_or(0))).sum()
}

fn without_preference(words: &str) -> Option<String> {
    let (before, rest) = words.split_once(" pref ")?;
    Some(format!("{before}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())))
}
