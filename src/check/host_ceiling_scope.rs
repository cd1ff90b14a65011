#![doc = include_str!("../rules/Q0411.md")]

use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Alternative, Class, ClassId, Direction, Host, Model, Shape};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Largest number of comparisons with the hosts that matches name. The rule looks at no further named host.
const MOST: usize = 1_000_000_000;

/// A host with a ceiling, and the classes that get some of its packets.
struct Beyond<'a> {
    host: &'a str,
    place: Span,
    takers: Rc<[&'a Class]>,
    home: ClassId,
}

impl<'a> Beyond<'a> {
    /// Returns the classes besides its own.
    fn others(&self) -> impl Iterator<Item = &'a Class> {
        self.takers.iter().copied().filter(|class| class.id.value != self.home)
    }
}

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut search = Search::of(model);
    let hosts = model.hosts.iter().enumerate();
    let found: Vec<Beyond<'_>> = hosts.filter_map(|(index, host)| search.elsewhere(index, host)).collect();
    each_or_all(&found, sink, finding);
}

/// Looks for classes that get packets of hosts.
struct Search<'a> {
    model: &'a Model,
    /// Hosts that some match names.
    named: BTreeSet<usize>,
    /// Cost of the search for one of them.
    cost: usize,
    /// Cost so far.
    spent: usize,
    /// Classes for all hosts that no match names, by the directions of their ceilings.
    unnamed: BTreeMap<Vec<Direction>, Rc<[&'a Class]>>,
}

impl<'a> Search<'a> {
    fn of(model: &'a Model) -> Self {
        let classes = model.classes();
        let alternatives = || classes.iter().flat_map(|class| class.matches.iter().flatten());
        Search {
            model,
            named: alternatives().flat_map(|alternative| alternative.hosts.iter().copied()).collect(),
            cost: classes.len()
                + alternatives().map(|alternative| 1 + alternative.hosts.len()).sum::<usize>(),
            spent: 0,
            unnamed: BTreeMap::new(),
        }
    }

    /// Returns a host with a ceiling if a class besides that of its key `class` gets some of its packets.
    fn elsewhere(&mut self, index: usize, host: &'a Host) -> Option<Beyond<'a>> {
        let directions: Vec<Direction> =
            Direction::BOTH.into_iter().filter(|direction| host.ceiling.get(*direction).is_some()).collect();
        let place = directions.iter().find_map(|direction| host.ceiling.get(*direction).as_ref()?.span())?;
        let takers = self.takers(index, directions)?;
        let found = Beyond { host: &host.name, place, takers, home: host.home.value };
        let beyond = found.others().next().is_some();
        beyond.then_some(found)
    }

    /// Returns the leaves that get packets of a host; `None` if the search would take too long.
    fn takers(&mut self, index: usize, directions: Vec<Direction>) -> Option<Rc<[&'a Class]>> {
        let all = |directions: &[Direction]| {
            let mut classes = Vec::new();
            takers(&self.model.classes, false, &|one| takes(one, index, directions), &mut classes);
            Rc::from(classes)
        };
        if !self.named.contains(&index) {
            return Some(self.unnamed.entry(directions).or_insert_with_key(|own| all(own)).clone());
        }
        self.spent = self.spent.saturating_add(self.cost);
        // The first one is always searched.
        (self.spent == self.cost || self.spent <= MOST).then(|| all(&directions))
    }
}

/// Returns the names of all classes besides those of the hosts, each once.
fn others<'a>(found: &[Beyond<'a>]) -> Vec<&'a str> {
    let mut others: Vec<&str> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    // Two hosts with the same classes and different homes have all of the classes together.
    let mut lists: BTreeMap<*const &Class, BTreeSet<ClassId>> = BTreeMap::new();
    for host in found {
        let homes = lists.entry(host.takers.as_ptr()).or_default();
        if homes.len() < 2 && homes.insert(host.home) {
            others.extend(host.others().map(|class| class.name.as_str()).filter(|name| seen.insert(name)));
        }
    }
    others
}

/// Returns a finding on these hosts, at the ceiling of the first.
fn finding(found: &[Beyond<'_>]) -> Option<Diagnostic> {
    let others = others(found);
    let (classes, take) = if others.len() == 1 { ("class", "matches") } else { ("classes", "match") };
    let others = some_of(&others);
    let hosts: Vec<&str> = found.iter().map(|host| host.host).collect();
    let (message, label) = match hosts.as_slice() {
        [host] => (
            format!("host {} can exceed its ceiling", ticked(host)),
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
    let place = found.first()?.place;
    Some(
        Diagnostic::new(Code::HostCeilingScope, place, message)
            .label(label)
            .help("to cap a host in all classes, use `police`"),
    )
}

/// Finds the leaves that get packets by one of their matches, as far as hosts and directions tell.
fn takers<'a>(
    classes: &'a [Class],
    matched: bool,
    takes: &impl Fn(&Alternative) -> bool,
    found: &mut Vec<&'a Class>,
) {
    for class in classes {
        if class.matches.as_ref().is_some_and(|list| !list.iter().any(takes)) {
            continue;
        }
        let matched = matched || class.matches.is_some();
        match &class.shape {
            Shape::Inner(children) => takers(children, matched, takes, found),
            Shape::Leaf(_) if matched => found.push(class),
            Shape::Leaf(_) => {}
        }
    }
}

fn takes(alternative: &Alternative, host: usize, directions: &[Direction]) -> bool {
    (alternative.hosts.is_empty() || alternative.hosts.contains(&host))
        && alternative.direction.is_none_or(|only| directions.contains(&only))
}
