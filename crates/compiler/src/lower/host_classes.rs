//! Selects the class for packets of hosts: the host class in the leaf that matches them, or the host's own leaf if
//! nothing matches.

use super::limits::{COMPARED, MOST, TooLarge};
use super::match_set::{MatchSet, MatchSetIndex, Needed};
use super::prepared::Prepared;
use super::rule::{Conjunction, Destination, Rule, too_large};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Alternative, Class, ClassId, Direction, Host, Leaf, Model, Origin, PerDirection, Shape};
use std::collections::BTreeMap;

/// Limits for the matches of a leaf after the intersection with each host that has a class there: filters, and
/// comparisons per packet. Both count all directions and families.
const MOST_OF_HOSTS: usize = 4 * MOST;
const COMPARED_OF_HOSTS: usize = 5 * COMPARED;

/// Hosts of a model, each with its match set.
pub(super) struct Hosts<'p, 'a> {
    model: &'a Model,
    prepared: &'p Prepared<'a>,
    match_set: BTreeMap<usize, Result<MatchSet, TooLarge>>,
    /// Packets of tunnels whose hosts are not visible because of NAT.
    tunnels: MatchSet,
}

impl<'p, 'a> Hosts<'p, 'a> {
    pub(super) fn new(prepared: &'p Prepared<'a>) -> Self {
        let model = prepared.model;
        let hidden = model.tunnels.iter().filter(|tunnel| tunnel.is_one_host_under_nat());
        Hosts { model, prepared, match_set: BTreeMap::new(), tunnels: MatchSet::outside(hidden) }
    }

    /// Returns a host and its match set. Reports once if the match set is too large.
    fn match_set(&mut self, index: usize, sink: &mut Sink) -> Option<(&'a Host, MatchSet)> {
        let host = self.model.hosts.get(index)?;
        let match_set = self.match_set.entry(index).or_insert_with(|| {
            let match_set = MatchSet::looked_up(&Alternative::of_host(index, host), self.prepared);
            if match_set.is_err() {
                sink.push(too_large(host.span));
            }
            match_set
        });
        match_set.as_ref().ok().map(|match_set| (host, match_set.clone()))
    }

    /// Divides the matches of a leaf: first the packets of each host that has a class there, then all others.
    pub(super) fn divide(
        &mut self,
        class: &'a Class,
        leaf: &'a Leaf,
        any: Vec<Conjunction<'a>>,
        sink: &mut Sink,
    ) -> Rule<'a> {
        let mut destinations = Vec::new();
        let mut needed = Needed::default();
        let indices: Vec<MatchSetIndex<'_>> =
            any.iter().map(|conjunction| conjunction.match_set.indices(self.model.hosts.len())).collect();
        let hosts = in_leaf(leaf, self.model);
        self.prepared.add_cost(any.len().saturating_mul(hosts.len()).saturating_mul(8));
        for (host, name, to) in hosts {
            let Some((host, own)) = self.match_set(host, sink) else { continue };
            let mut some = Vec::new();
            self.prepared.add_cost(indices.iter().map(|indices| indices.cost(&own)).sum());
            if self.prepared.is_over() {
                return Rule { destinations: Vec::new() };
            }
            for (conjunction, indices) in any.iter().zip(&indices) {
                let Ok(match_set) = indices.and(&own) else {
                    sink.push(too_large(host.span));
                    continue;
                };
                if !match_set.is_nothing(None) {
                    needed.count(&match_set);
                    some.push(Conjunction { parts: conjunction.parts.clone(), host: Some(host), match_set });
                }
            }
            let filters = some.iter().map(|some| some.match_set.len()).sum();
            self.prepared.add_filters(filters);
            if self.prepared.is_over() {
                return Rule { destinations: Vec::new() };
            }
            if needed.filters() > MOST_OF_HOSTS || needed.compared() > COMPARED_OF_HOSTS {
                let label = format!(
                    "more than {COMPARED_OF_HOSTS} filters that are compared in sequence, or {MOST_OF_HOSTS} in total"
                );
                sink.push(too_many(class, label, host, "this host exceeds the limit"));
                return Rule { destinations: Vec::new() };
            }
            destinations.push(Destination { class, leaf, own: name, to, any: some });
        }
        if let Some((name, to)) = of_tunnels(class, leaf) {
            let conjunction = |conjunction: &Conjunction<'a>| {
                let match_set = conjunction.match_set.and(&self.tunnels).ok()?;
                Some(Conjunction { parts: conjunction.parts.clone(), host: None, match_set })
            };
            let some: Option<Vec<_>> = any.iter().map(conjunction).collect();
            let Some(some) = some else {
                sink.push(too_large(class.span));
                return Rule { destinations: Vec::new() };
            };
            destinations.push(Destination { class, leaf, own: name, to, any: some });
        }
        let to =
            PerDirection { up: Some(class.rest(Direction::Up)), down: Some(class.rest(Direction::Down)) };
        destinations.push(Destination { class, leaf, own: &class.name, to, any });
        Rule { destinations }
    }

    /// Returns the last rule: remaining packets of tunnels that have a class in the default leaf.
    pub(super) fn in_tunnels(&self) -> Option<Rule<'a>> {
        let class = self.model.default_leaf()?;
        let leaf = class.leaf()?;
        let (name, to) = of_tunnels(class, leaf)?;
        let any = vec![Conjunction { parts: Vec::new(), host: None, match_set: self.tunnels.clone() }];
        Some(Rule { destinations: vec![Destination { class, leaf, own: name, to, any }] })
    }

    /// Returns the rule that follows all matches: remaining packets of hosts that were assigned a leaf or have a class
    /// in the default leaf. A host that is a part of another comes before it.
    pub(super) fn of_hosts_without_match(&mut self, sink: &mut Sink) -> Option<Rule<'a>> {
        let leaves = self.model.leaves_by_id();
        let default = self.model.default_leaf()?;
        let mut hosts: Vec<(usize, &'a Host)> = self.model.hosts.iter().enumerate().collect();
        hosts.retain(|(_, host)| {
            let home = matches!(host.home.origin, Origin::Given(_)) || host.home.value == default.id.value;
            home && (host.home.value != default.id.value || host.is_promised())
        });
        hosts.sort_by_key(|(_, host)| host.widest());
        let mut own: BTreeMap<usize, (&'a str, PerDirection<Option<ClassId>>)> = BTreeMap::new();
        for class in leaves.values() {
            if let Shape::Leaf(leaf) = &class.shape {
                own.extend(in_leaf(leaf, self.model).into_iter().map(|(host, name, to)| (host, (name, to))));
            }
        }
        let mut destinations = Vec::new();
        for (index, host) in hosts {
            let Some(class) = leaves.get(&host.home.value) else { continue };
            let Shape::Leaf(leaf) = &class.shape else { continue };
            let (name, mut to) = own
                .get(&index)
                .copied()
                .unwrap_or((class.name.as_str(), PerDirection { up: None, down: None }));
            to.up = to.up.or(Some(class.rest(Direction::Up)));
            to.down = to.down.or(Some(class.rest(Direction::Down)));
            let Some((host, match_set)) = self.match_set(index, sink) else { continue };
            self.prepared.add_filters(match_set.len());
            if self.prepared.is_over() {
                return None;
            }
            let any = vec![Conjunction { parts: Vec::new(), host: Some(host), match_set }];
            destinations.push(Destination { class, leaf, own: name, to, any });
        }
        // a destination equal to the default needs no filter, unless a later one would match its packets
        for direction in Direction::BOTH {
            let rest = default.rest(direction);
            for destination in destinations.iter_mut().rev() {
                if *destination.to.get(direction) != Some(rest) {
                    break;
                }
                *destination.to.get_mut(direction) = None;
            }
        }
        Some(Rule { destinations })
    }
}

/// Returns the name of the tunnel class in a leaf and its ids, in the directions in which it exists.
fn of_tunnels<'a>(class: &Class, leaf: &'a Leaf) -> Option<(&'a str, PerDirection<Option<ClassId>>)> {
    let mut found = None;
    for direction in Direction::BOTH {
        let rest = class.rest(direction);
        let own = leaf.host_classes(direction).find(|own| own.host.is_none() && own.id.value != rest);
        if let Some(own) = own {
            let (_, to) = found.get_or_insert((own.name.as_str(), PerDirection { up: None, down: None }));
            *to.get_mut(direction) = Some(own.id.value);
        }
    }
    found
}

/// A host by its index, the name of its class, and the ids of the class.
type InLeaf<'a> = (usize, &'a str, PerDirection<Option<ClassId>>);

/// Returns the hosts that have a class in a leaf in either direction. A host that is a part of another comes before it.
fn in_leaf<'a>(leaf: &'a Leaf, model: &Model) -> Vec<InLeaf<'a>> {
    let mut found: Vec<InLeaf<'a>> = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for direction in Direction::BOTH {
        for class in leaf.host_classes(direction) {
            let Some(host) = class.host else { continue };
            let at = *places.entry(host).or_insert(found.len());
            if at == found.len() {
                found.push((host, &class.name, PerDirection { up: None, down: None }));
            }
            if let Some((_, _, to)) = found.get_mut(at) {
                *to.get_mut(direction) = Some(class.id.value);
            }
        }
    }
    found.sort_by_key(|(host, ..)| model.hosts.get(*host).map(Host::widest));
    found
}

fn too_many(class: &Class, label: String, host: &Host, here: &str) -> Diagnostic {
    let message = format!(
        "the matches of class {} need too many filters, because each host class repeats them",
        ticked(&class.name)
    );
    Diagnostic::new(Code::MatchTooLarge, class.span, message).label(label).also(host.span, here).help(
        "move these hosts with `class` into a class without `match`, or write them as one host with a prefix",
    )
}
