//! Compares hosts, their guarantees and their ceilings.

use super::change::{At, Change, ChangeKind, Comparison, Group};
use super::matches::Pair;
use super::names::{self, now};
use super::queue;
use super::rest::{Named, by_name};
use super::shared::{FILTERS, MARKS, scheduling, some};
use super::written;
use crate::diff::{Cost, Price};
use crate::model::FileSection;
use crate::model::{ClassId, Direction, Host, HostClass, HostClasses, Model, Origin, PerDirection, Val};
use crate::units::Rate;
use std::collections::BTreeMap;

/// Records the differences in `hosts`.
pub(super) fn hosts<'a>(found: &mut Comparison, pair: Pair<'a>) {
    let named = |host: &'a Host, name| Named { thing: host, name, span: host.span };
    let old: Vec<_> = pair.old.hosts.iter().map(|host| named(host, now(pair.hosts, &host.name))).collect();
    let new: Vec<_> = pair.new.hosts.iter().map(|host| named(host, host.name.as_str())).collect();
    by_name(&old, &new, |old, new, name, span| {
        let place = At { area: FileSection::Hosts, name, line: span.own_line() };
        match (old, new) {
            (Some(old), Some(new)) => host(found, pair, &place, (old, new)),
            (None, Some(new)) => found.changes.push(Change {
                new: some(addresses(new)),
                ..place.change(ChangeKind::Added, comes_and_goes(pair, None, Some(new)))
            }),
            (Some(old), None) => found.changes.push(Change {
                old: some(addresses(old)),
                ..place.change(ChangeKind::Removed, comes_and_goes(pair, Some(old), None))
            }),
            (None, None) => {}
        }
    });
}

/// Returns `true` if the host has a class of its own in this direction.
const fn has_class(host: &Host, direction: Direction) -> bool {
    host.guarantee.get(direction).is_some() || host.ceiling.get(direction).is_some()
}

/// Returns the price if a leaf of both models gets its first host class or loses its last one.
fn restructured(pair: Pair<'_>, leaf: ClassId, direction: Direction) -> Option<Price> {
    let has_hosts =
        |model: &Model| model.hosts.iter().any(|host| has_class(host, direction) && host.home.value == leaf);
    pair.old.leaf(leaf).and(pair.new.leaf(leaf))?;
    match (has_hosts(pair.old), has_hosts(pair.new)) {
        (false, true) => Some(Price::swap("its leaf gets its first host class, which replaces the queue")),
        (true, false) => Some(Price::swap("its leaf loses its last host class, and gets a queue")),
        _ => None,
    }
}

/// Returns the cost of a host class that appears, disappears or changes.
fn comes_and_goes(pair: Pair<'_>, old: Option<&Host>, new: Option<&Host>) -> Price {
    let mut price = Price::in_place(match (old, new) {
        (Some(old), Some(new)) if old.is_promised() && new.is_promised() => {
            "a class can change while packets pass"
        }
        (_, Some(new)) if new.is_promised() => "its class is added beside those of other hosts",
        _ => filters(pair),
    });
    for direction in names::directions(pair.old, pair.new) {
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

/// Names the objects that are replaced when hosts are recognized by other addresses: the mark table or the filters.
const fn filters(pair: Pair<'_>) -> &'static str {
    if pair.old.marks.is_some() || pair.new.marks.is_some() { MARKS } else { FILTERS }
}

fn addresses(host: &Host) -> String {
    let mut list: Vec<String> = host.addresses.iter().map(|address| address.value.to_string()).collect();
    list.sort_unstable();
    list.join(", ")
}

fn host(found: &mut Comparison, pair: Pair<'_>, place: &At<'_>, (old, new): (&Host, &Host)) {
    if old.name != new.name {
        let price = match old.is_promised() || new.is_promised() {
            true => Price::own_backlog("the id of its class is computed from the name"),
            false => Price::in_place("its addresses are the same"),
        };
        found.changes.push(Change {
            old: Some(old.name.clone()),
            new: Some(new.name.clone()),
            ..place.change(ChangeKind::Renamed, price)
        });
    }
    let mac = |host: &Host| {
        let mut list: Vec<String> = host.mac.iter().map(|mac| mac.value.to_string()).collect();
        list.sort_unstable();
        list.join(", ")
    };
    let price = || Price::in_place(filters(pair));
    found.field(place, "address", (some(addresses(old)), some(addresses(new))), price());
    found.field(place, "mac", (some(mac(old)), some(mac(new))), price());
    let home = |model, host: &Host| names::class(model, host.home.value).to_owned();
    if !old.is_promised() && !new.is_promised() {
        // the leaf matters only if somebody wrote it: it receives the host's traffic that nothing else matches
        let given =
            |model, host: &Host| matches!(host.home.origin, Origin::Given(_)).then(|| home(model, host));
        found.field(place, "class", (given(pair.old, old), given(pair.new, new)), Price::in_place(FILTERS));
        return;
    }
    let price = comes_and_goes(pair, Some(old), Some(new));
    let moved = match old.is_promised() && new.is_promised() && price.cost != Cost::Swap {
        true => Price::own_backlog("its class is created again in another leaf"),
        false => price.clone(),
    };
    found.field(place, "class", (home(pair.old, old), home(pair.new, new)), moved);
    let how = (names::directions(pair.old, pair.new), &price);
    let side = |val: &Option<Val<Rate>>| {
        (val.as_ref().and_then(written::of_origin), val.as_ref().map(|val| val.value))
    };
    let both = |rates: &PerDirection<Option<Val<Rate>>>| PerDirection {
        up: side(&rates.up),
        down: side(&rates.down),
    };
    let (was, is) = (both(&old.guarantee), both(&new.guarantee));
    written::rates(found, place, ("guarantee", "none"), (&was, &is), how);
    let (was, is) = (both(&old.ceiling), both(&new.ceiling));
    written::rates(found, place, ("ceiling", "none"), (&was, &is), how);
}

/// Records derived values of the host classes in a leaf.
pub(super) fn classes(found: &mut Comparison, direction: Direction, old: &HostClasses, new: &HostClasses) {
    let olds: BTreeMap<&str, &HostClass> = old.all().map(|class| (class.name.as_str(), class)).collect();
    for new in new.all() {
        let Some(old) = olds.get(new.name.as_str()) else { continue };
        let place = At { area: FileSection::Classes, name: &new.name, line: new.span.own_line() };
        for (field, old, new) in
            [("guarantee", &old.guarantee, &new.guarantee), ("ceiling", &old.ceiling, &new.ceiling)]
        {
            let field = format!("{field} {}", direction.as_str());
            found.follow(&place, Group::Rates, &field, old.value.to_string(), new.value.to_string());
        }
        scheduling(found, &place, direction, &old.scheduling, &new.scheduling);
        let ((was, olds), (is, news)) = (queue::parameters(&old.queue), queue::parameters(&new.queue));
        if was != is {
            found.changes.push(queue::other_kind(&place, direction.as_str(), was, is));
        } else {
            for ((name, old, _), (_, new, _)) in olds.into_iter().zip(news) {
                found.follow(
                    &place,
                    Group::Queues,
                    &format!("queue.{name} {}", direction.as_str()),
                    old,
                    new,
                );
            }
        }
    }
}
