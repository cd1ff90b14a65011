//! The classes of hosts: what is promised to a host in its home class is an HTB class there, and all others share another.

use super::classes::{DEEPEST, Set, flatten};
use super::derive::{self, Packet};
use super::ids;
use super::queues::{self, Sharers};
use super::rates::{self, Above, Claim};
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, ticked};
use crate::model::{
    Class, ClassId, Host, HostAsked, HostClass, HostClasses, PerDirection, Shape, Share, Val,
};
use crate::syntax::raw::{RawClass, RawHost, RawPerDirection};
use crate::terms::Amount;
use crate::units::Rate;
use std::collections::BTreeMap;

/// What all other hosts of a leaf count as where guarantees leave something: as so many hosts without one. Nobody knows
/// how many they are; a host that has a ceiling and no guarantee is to be about what one of a house's hosts is.
const OTHERS: u64 = 7;

/// Where a file asks for nothing.
const NOTHING: &RawPerDirection<Amount> = &RawPerDirection { up: None, down: None };

/// What host classes are built with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Builder<'a> {
    /// Hosts, and what the file says of each.
    pub hosts: &'a [Host],
    pub raw: &'a [RawHost],
    /// The classes as the file has them.
    pub set: Set<'a>,
    /// Ids that are taken.
    pub ids: &'a BTreeMap<String, Val<ClassId>>,
    /// As in `classes::Builder`.
    pub packet: Packet,
    pub tree: PerDirection<Rate>,
    pub split: PerDirection<bool>,
    /// Whether a direction has classes at all.
    pub htb: PerDirection<bool>,
    pub nat: &'a Val<bool>,
    /// Whether tunnels need a class beside the rest where hosts share behind NAT.
    pub tunnels: bool,
    pub flows: &'a Val<u32>,
}

/// Whether a host is promised something in a direction.
pub(super) fn promises(raw: &RawHost) -> PerDirection<bool> {
    PerDirection::from_fn(|d| rates::of(&raw.guarantee, d).is_some() || rates::of(&raw.ceiling, d).is_some())
}

/// How many queues host classes make, by those of the file and hosts alone: one for each in each direction.
pub(super) fn queues(hosts: &[RawHost]) -> u64 {
    hosts.iter().map(promises).map(|directions| u64::from(directions.up) + u64::from(directions.down)).sum()
}

impl Builder<'_> {
    /// Puts the classes of hosts into the leaves where they are at home.
    pub fn build(self, classes: &mut [Class], sink: &mut Sink) {
        let mut guests: BTreeMap<ClassId, Vec<usize>> = BTreeMap::new();
        for (index, (host, raw)) in self.hosts.iter().zip(self.raw).enumerate() {
            let directions = self.claim(raw).directions;
            if directions.up || directions.down {
                guests.entry(host.home.value).or_default().push(index);
            }
        }
        each_leaf(classes, 1, &mut |class, _| {
            if self.has_tunnels(class) {
                guests.entry(class.id.value).or_default();
            }
        });
        if guests.is_empty() {
            return;
        }
        for guests in guests.values_mut() {
            guests.sort_by_key(|guest| self.hosts.get(*guest).map(Host::widest));
        }
        let mut names = Vec::new();
        each_leaf(classes, 1, &mut |class, _| {
            if let Some(guests) = guests.get(&class.id.value) {
                names.push(rest_name(class));
                names.extend(self.has_tunnels(class).then(|| tunnels_name(class)));
                names.extend(guests.iter().map(|guest| self.name(class, *guest)));
            }
        });
        let ids = ids::assign_more(&names, self.ids, self.set.key, sink);
        let raw: BTreeMap<&str, &RawClass> =
            flatten(self.set.list).into_iter().map(|raw| (raw.name.value.as_str(), raw)).collect();
        each_leaf(classes, 1, &mut |class, depth| {
            let (Some(guests), Some(raw)) = (guests.get(&class.id.value), raw.get(class.name.as_str()))
            else {
                return;
            };
            if depth == DEEPEST {
                too_deep(class, guests.first().and_then(|guest| self.hosts.get(*guest)), sink);
                return;
            }
            let hosts = self.leaf(class, raw, guests, &ids, sink);
            if let Shape::Leaf(leaf) = &mut class.shape {
                leaf.hosts = hosts;
            }
        });
    }

    /// The classes in one leaf.
    fn leaf(
        self,
        class: &Class,
        raw: &RawClass,
        guests: &[usize],
        ids: &BTreeMap<String, Val<ClassId>>,
        sink: &mut Sink,
    ) -> PerDirection<Option<HostClasses>> {
        let Shape::Leaf(leaf) = &class.shape else { return PerDirection { up: None, down: None } };
        let rest = Spanned { value: class.name.clone(), span: class.span };
        let mut claims: Vec<Claim<'_>> =
            guests.iter().filter_map(|guest| self.raw.get(*guest)).map(|raw| self.claim(raw)).collect();
        let tunnels = self.has_tunnels(class);
        let some = PerDirection::from_fn(|d| {
            *self.htb.get(d) && tunnels || claims.iter().any(|claim| *claim.directions.get(d))
        });
        let others = |noun| Claim {
            noun,
            name: &rest,
            guarantee: NOTHING,
            ceiling: NOTHING,
            weight: OTHERS,
            directions: some,
        };
        claims.extend(tunnels.then(|| others("the tunnels of")));
        claims.push(others("the other hosts of"));
        let above = Above {
            name: Some(class.name.clone()),
            span: class.span,
            guarantee: PerDirection::from_fn(|d| class.guarantee.get(d).value),
            ceiling: PerDirection::from_fn(|d| class.ceiling.get(d).value),
        };
        let shares = rates::shares(&above, &claims, derive::BORROWING, sink);
        PerDirection::from_fn(|direction| {
            let mut found = Vec::new();
            for ((claim, share), at) in claims.iter().zip(shares.get(direction)).zip(0..) {
                let Some((guarantee, ceiling)) = share.clone() else { continue };
                let host = guests.get(at).copied();
                let inside = tunnels && at == guests.len();
                let name = match host {
                    Some(host) => self.name(class, host),
                    None if inside => tunnels_name(class),
                    None => rest_name(class),
                };
                let (share, prefix) = (&leaf.share, self.is_network(host));
                let alone = Val::default(Share::PerFlow, "one host");
                let share = if host.is_some() && !prefix { &alone } else { share };
                let unseen =
                    Val::derived(false, "conntrack knows only what is around a tunnel's packets", None);
                let nat = if inside { &unseen } else { self.nat };
                let sharers = Sharers { share, nat, flows: self.flows };
                let rates = (*self.tree.get(direction), ceiling.value);
                let given = raw.queue.as_ref().map(|queue| &queue.value);
                found.push(HostClass {
                    span: host.and_then(|host| self.hosts.get(host)).map_or(class.span, |host| host.span),
                    host,
                    id: ids.get(&name).cloned().unwrap_or_else(|| Val::default(ClassId(0), "none")),
                    asked: HostAsked {
                        guarantee: rates::of(claim.guarantee, direction).map(|given| given.value),
                        ceiling: rates::of(claim.ceiling, direction).map(|given| given.value),
                        weight: claim.weight,
                    },
                    scheduling: derive::scheduling(
                        self.packet,
                        guarantee.value,
                        ceiling.value,
                        *self.split.get(direction),
                    ),
                    queue: queues::resolve(given, self.packet, rates, sharers),
                    guarantee,
                    ceiling,
                    name,
                });
            }
            let rest = found.pop()?;
            Some(HostClasses { hosts: found, rest })
        })
    }

    /// What a host claims of its leaf.
    fn claim<'r>(&self, raw: &'r RawHost) -> Claim<'r> {
        let asked = promises(raw);
        Claim {
            noun: "host",
            name: &raw.name,
            guarantee: &raw.guarantee,
            ceiling: &raw.ceiling,
            weight: 1,
            directions: PerDirection::from_fn(|d| *asked.get(d) && *self.htb.get(d)),
        }
    }

    /// The name of a host's class in a leaf. One that is called as the rest is told apart from it.
    fn name(self, class: &Class, host: usize) -> String {
        match self.hosts.get(host).map(|host| host.name.as_str()) {
            Some(name @ ("rest" | "tunnels")) => format!("{}/host:{name}", class.name),
            name => format!("{}/{}", class.name, name.unwrap_or_default()),
        }
    }

    /// Whether the packets of tunnels have a class of their own in a leaf.
    fn has_tunnels(self, class: &Class) -> bool {
        let shared = matches!(&class.shape, Shape::Leaf(leaf) if leaf.share.value == Share::PerHost);
        self.tunnels && self.nat.value && shared
    }

    /// Whether a host is a network of several.
    fn is_network(self, host: Option<usize>) -> bool {
        host.and_then(|host| self.hosts.get(host)).is_some_and(|host| host.widest() > 0)
    }
}

fn tunnels_name(class: &Class) -> String {
    format!("{}/tunnels", class.name)
}

fn rest_name(class: &Class) -> String {
    format!("{}/rest", class.name)
}

/// Every leaf, and how many classes of the file it is in, itself counted.
fn each_leaf(classes: &mut [Class], depth: usize, each: &mut impl FnMut(&mut Class, usize)) {
    for class in classes {
        if let Shape::Inner(children) = &mut class.shape {
            each_leaf(children, depth + 1, each);
        } else {
            each(class, depth);
        }
    }
}

fn too_deep(class: &Class, host: Option<&Host>, sink: &mut Sink) {
    let at: Span = host.map_or(class.span, |host| host.span);
    let message = format!("class {} is too deep for classes of hosts or tunnels in it", ticked(&class.name));
    sink.push(
        Diagnostic::new(Code::TooDeep, at, message)
            .also(class.span, format!("level {DEEPEST}"))
            .help(format!("the kernel takes {DEEPEST} levels of classes: take one away above it")),
    );
}
