//! Compares hosts, their guarantees and their ceilings.

use super::class::rates;
use super::fields::Field;
use super::price::{CLASS, FILTERS};
use super::section::{Object, Pair, written};
use super::side::{Renamed, Side};
use crate::diff::{Cost, Price};
use qosc_compiler::diag::Span;
use qosc_compiler::model::{
    Amount, ClassId, Direction, FileSection, Host, Isolation, Model, Origin, PerDirection, Queue, Val,
};
use qosc_compiler::units::{Address, Rate};
use serde_json::{Value, json};

const MARKS: &str = "the nft table is replaced; existing connections follow with their next upload packet";

impl Object for &Host {
    const AREA: FileSection = FileSection::Hosts;

    fn name(&self) -> &str {
        &self.name
    }

    fn span(&self) -> Span {
        self.span
    }

    fn key(&self, _side: &Side<'_>, _renamed: &Renamed<'_>) -> String {
        written(&json!({ "address": self.addresses, "mac": self.mac }))
    }

    fn summary(&self, _side: &Side<'_>) -> Option<String> {
        super::fact::text(&json!(self.addresses))
    }

    fn price(pair: &Pair<'_>, old: Option<&Self>, new: Option<&Self>) -> Price {
        let mut price = Price::in_place(match (old, new) {
            (Some(old), Some(new)) if old.is_promised() && new.is_promised() => CLASS,
            (_, Some(new)) if new.is_promised() => "its class is added beside those of other hosts",
            _ => identities(pair),
        });
        let devices = || pair.old.model.hosts.iter().filter(|host| host.of.is_some());
        let addresses = || devices().flat_map(|host| &host.addresses);
        let is_one = |own: &Val<Address>| addresses().any(|its| its.value == own.value);
        if old.is_none() && new.is_some_and(|new| new.addresses.iter().any(is_one)) {
            price = Price::own_backlog("the class of the device with its address is deleted");
        }
        for direction in pair.directions() {
            let was = old.filter(|host| has_class(host, *direction));
            let is = new.filter(|host| has_class(host, *direction));
            let mut leaves = was.into_iter().chain(is).map(|host| host.home.value);
            if let Some(swap) = leaves.find_map(|leaf| restructured(pair, leaf, *direction)) {
                return swap;
            }
            if was.is_some() && is.is_none() {
                price = Price::own_backlog("its class is deleted");
            }
        }
        price
    }

    fn rename_price(&self, new: &Self) -> Price {
        match self.is_promised() || new.is_promised() {
            true => Price::own_backlog("the id of its class is computed from the name"),
            false => Price::in_place("its addresses are the same"),
        }
    }

    /// The leaf of a host without a class matters only if somebody wrote it: it receives the host's traffic that
    /// nothing else matches.
    fn view(&self, side: &Side<'_>, other: &Self) -> Value {
        let has_leaf = self.is_promised() || other.is_promised() || self.home.is_given();
        let asked = |rates: &PerDirection<Option<Val<Rate>>>| PerDirection {
            up: rates.up.as_ref().and_then(asked),
            down: rates.down.as_ref().and_then(asked),
        };
        json!({
            "address": self.addresses,
            "mac": self.mac,
            "class": has_leaf.then(|| side.class(self.home.value)),
            "guarantee": rates(asked(&self.guarantee), &self.guarantee),
            "ceiling": rates(asked(&self.ceiling), &self.ceiling),
        })
    }

    fn field_price(&self, pair: &Pair<'_>, new: &Self, field: &Field<'_>) -> Price {
        let price = <&Host>::price(pair, Some(self), Some(new));
        match (field.label, self.is_promised() && new.is_promised()) {
            ("address", true)
                if pair.directions().iter().any(|direction| {
                    isolation(pair.old.model, self, *direction) != isolation(pair.new.model, new, *direction)
                }) =>
            {
                Price::swap("CAKE's flow isolation can only be set at creation")
            }
            ("address", true) if self.each => Price::own_backlog("classes of devices outside it are deleted"),
            ("address" | "mac", _) => Price::in_place(identities(pair)),
            ("class", false) if !self.is_promised() && !new.is_promised() => Price::in_place(FILTERS),
            ("class", true) if price.cost != Cost::Swap => {
                Price::own_backlog("its class is created again in another leaf")
            }
            _ => price,
        }
    }
}

/// Recovers the written amount of a host's rate, because the model of a host keeps only the origin. A share has the
/// formula `share of rate`, and no other formula has this form.
fn asked(val: &Val<Rate>) -> Option<Amount> {
    match &val.origin {
        Origin::Given(_) => Some(Amount::Rate(val.value)),
        Origin::Derived { formula, .. } => {
            formula.split_once(" of ").and_then(|(share, _)| share.parse().ok()).map(Amount::Share)
        }
        Origin::Default { .. } => None,
    }
}

/// Returns `true` if the host has a class of its own in this direction.
const fn has_class(host: &Host, direction: Direction) -> bool {
    host.guarantee.get(direction).is_some() || host.ceiling.get(direction).is_some()
}

/// Returns who shares the queue of a host's class, if it is CAKE.
fn isolation(model: &Model, host: &Host, direction: Direction) -> Option<Isolation> {
    let at = model.hosts.iter().position(|own| own.name == host.name);
    let own = model.leaf(host.home.value)?.leaf()?.host_classes(direction).find(|class| class.host == at)?;
    match &own.queue {
        Queue::Cake { isolation, .. } => Some(isolation.value),
        _ => None,
    }
}

/// Returns the price if a leaf of both models gets its first host class or loses its last one.
fn restructured(pair: &Pair<'_>, leaf: ClassId, direction: Direction) -> Option<Price> {
    let has_hosts =
        |model: &Model| model.hosts.iter().any(|host| has_class(host, direction) && host.home.value == leaf);
    pair.old.model.leaf(leaf).and(pair.new.model.leaf(leaf))?;
    match (has_hosts(pair.old.model), has_hosts(pair.new.model)) {
        (false, true) => Some(Price::swap("its leaf gets its first host class, which replaces the queue")),
        (true, false) => Some(Price::swap("its leaf loses its last host class, and gets a queue")),
        _ => None,
    }
}

/// Names the objects that are replaced when hosts are recognized by other addresses: the mark table or the filters.
const fn identities(pair: &Pair<'_>) -> &'static str {
    if pair.old.model.marks.is_some() || pair.new.model.marks.is_some() { MARKS } else { FILTERS }
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
