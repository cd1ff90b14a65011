#![doc = include_str!("../../../../docs/rules/Q0411.md")]

use super::host_outside_lan::are_apart;
use super::{each_or_all, some_of};
use crate::budget;
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Alternative, Class, Direction, Host, Model, PerDirection, Shape};
use crate::units::Address;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A host with a ceiling.
#[derive(Clone, Copy)]
struct Limited<'a> {
    index: usize,
    host: &'a Host,
    place: Span,
}

/// A leaf class, and what a packet must meet to reach it by a match: one list for each class around it with matches.
struct Reached<'a> {
    leaf: &'a Class,
    by: Vec<Rc<PerDirection<Takes<'a>>>>,
}

/// Hosts of which the alternatives of a class take packets in one direction.
struct Takes<'a> {
    /// `local` of each alternative that names no host.
    unnamed: Vec<&'a [Address]>,
    named: BTreeSet<usize>,
}

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut reached = Vec::new();
    collect(&model.classes, &[], &mut reached);
    let hosts = model.hosts.iter().enumerate().filter(|(_, host)| host.of.is_none());
    let limited = hosts.filter_map(|(index, host)| Some(Limited { index, host, place: ceiling(host)? }));
    let limited: Vec<Limited<'_>> = limited.collect();
    let takes = reached.iter().flat_map(|one| &one.by).flat_map(|by| [&by.up, &by.down]);
    let addresses: usize = takes.flat_map(|takes| &takes.unnamed).map(|local| local.len()).sum();
    if !sink.charge(limited.len().saturating_mul(addresses), budget::COMPARISON) {
        return;
    }
    let beyond = limited.into_iter().filter(|limited| limited.others(&reached).next().is_some());
    each_or_all(&beyond.collect::<Vec<_>>(), sink, |found| finding(found, &reached));
}

/// Returns the place of a host's ceiling.
fn ceiling(host: &Host) -> Option<Span> {
    Direction::BOTH.iter().find_map(|direction| host.ceiling.get(*direction).as_ref()?.span())
}

impl<'a> Limited<'a> {
    /// Returns the classes besides its own that get some of its packets, as far as hosts and directions tell.
    fn others<'r>(self, reached: &'r [Reached<'a>]) -> impl Iterator<Item = &'r Reached<'a>> {
        let limits = move |direction: &Direction| self.host.ceiling.get(*direction).is_some();
        let takes = move |takes: &Rc<PerDirection<Takes<'_>>>| {
            Direction::BOTH.iter().filter(|direction| limits(direction)).any(|direction| {
                let takes = takes.get(*direction);
                takes.named.contains(&self.index)
                    || takes.unnamed.iter().any(|local| may_be_in(self.host, local))
            })
        };
        let by_match = reached.iter().filter(move |one| one.by.iter().all(takes));
        by_match.filter(move |one| one.leaf.id.value != self.host.home.value)
    }
}

/// Collects the leaves that packets reach by a match.
fn collect<'a>(classes: &'a [Class], outer: &[Rc<PerDirection<Takes<'a>>>], found: &mut Vec<Reached<'a>>) {
    for class in classes {
        let own = |matches: &'a Vec<Alternative>| Rc::new(PerDirection::from_fn(|one| takes(matches, one)));
        let own = class.matches.as_ref().map(own);
        let by: Vec<Rc<PerDirection<Takes<'a>>>> = outer.iter().cloned().chain(own).collect();
        match &class.shape {
            Shape::Inner(children) => collect(children, &by, found),
            Shape::Leaf(_) if !by.is_empty() => found.push(Reached { leaf: class, by }),
            Shape::Leaf(_) => {}
        }
    }
}

fn takes(matches: &[Alternative], direction: Direction) -> Takes<'_> {
    let here = || matches.iter().filter(|own| own.direction.is_none_or(|only| only == direction));
    Takes {
        unnamed: here().filter(|own| own.hosts.is_empty()).map(|own| own.local.as_slice()).collect(),
        named: here().flat_map(|own| own.hosts.iter().copied()).collect(),
    }
}

/// True unless none of these addresses can be one of the host's.
fn may_be_in(host: &Host, local: &[Address]) -> bool {
    let meet = |one: Address, other: Address| one.family() == other.family() && !are_apart(one, other);
    let known = !local.is_empty() && host.mac.is_empty() && !host.addresses.is_empty();
    !known || host.addresses.iter().any(|own| local.iter().any(|local| meet(own.value, *local)))
}

/// Returns a finding on these hosts, at the ceiling of the first.
fn finding(found: &[Limited<'_>], reached: &[Reached<'_>]) -> Option<Diagnostic> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let names = found.iter().flat_map(|limited| limited.others(reached)).map(|one| one.leaf.name.as_str());
    let others: Vec<&str> = names.filter(|name| seen.insert(name)).collect();
    let (classes, take) = if others.len() == 1 { ("class", "matches") } else { ("classes", "match") };
    let others = some_of(&others);
    let hosts: Vec<&str> = found.iter().map(|limited| limited.host.name.as_str()).collect();
    let (message, label) = match hosts.as_slice() {
        [host] => (
            format!("{} {} can exceed its ceiling", found.first()?.host.noun(), ticked(host)),
            format!(
                "applies only in the home class of the host; {classes} {others} {take} some of its packets too"
            ),
        ),
        hosts => (
            format!("{} hosts can exceed their ceilings", hosts.len()),
            format!(
                "the ceilings of {} apply only in their home classes; {classes} {others} {take} some of their packets too",
                some_of(hosts)
            ),
        ),
    };
    Some(
        Diagnostic::new(Code::HostCeilingScope, found.first()?.place, message)
            .label(label)
            .help("to cap a host in all classes, use `police`"),
    )
}
