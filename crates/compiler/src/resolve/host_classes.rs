//! Builds host classes: a host with a guarantee or a ceiling gets an HTB class of its own under its leaf. All other
//! hosts of that leaf share one more class.

use super::claims::{Above, Claim};
use super::classes::{DEEPEST, Set, flatten};
use super::ids;
use super::queues::{self, Sharers};
use super::rates;
use crate::budget;
use crate::derive::{self, Packet};
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, ticked};
use crate::model::{
    Class, ClassId, Direction, Host, HostAsked, HostClass, HostClasses, Leaf, PerDirection, Shape, Share, Val,
};
use crate::syntax::raw::{Each, RawClass, RawHost};
use crate::terms::Amount;
use crate::units::Rate;
use std::collections::BTreeMap;

/// Weight of all other hosts of a leaf when the remaining rate is shared: they count as this many hosts without a
/// guarantee. Their real number is unknown. With this weight, a host with a ceiling and no guarantee gets about as much
/// as one ordinary host.
const OTHERS: u64 = 7;

/// Stands for a file that asks for no rate.
const NOTHING: &Each<Amount> = &PerDirection { up: None, down: None };

/// Inputs for building host classes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Builder<'a> {
    /// Hosts; `raw` holds the same hosts in the form of the file.
    pub hosts: &'a [Host],
    pub raw: &'a [RawHost],
    /// Classes in the form of the file.
    pub set: Set<'a>,
    /// Ids that are already assigned.
    pub ids: &'a BTreeMap<String, Val<ClassId>>,
    /// As in `classes::Builder`.
    pub packet: Packet,
    pub tree: PerDirection<Rate>,
    /// `true` for a direction that has HTB classes.
    pub htb: PerDirection<bool>,
    pub nat: &'a Val<bool>,
    /// `true` if tunnels need a class besides the rest, because hosts behind NAT share a leaf.
    pub tunnels: bool,
    pub flows: &'a Val<u32>,
}

/// Returns the directions in which a host has a guarantee or a ceiling.
pub(super) fn promises(raw: &RawHost) -> PerDirection<bool> {
    PerDirection::from_fn(|d| raw.guarantee.get(d).is_some() || raw.ceiling.get(d).is_some())
}

/// Returns the number of queues for hosts that the file asks for: one per host and direction.
pub(super) fn queues(hosts: &[RawHost]) -> u64 {
    hosts.iter().map(promises).map(|directions| u64::from(directions.up) + u64::from(directions.down)).sum()
}

impl<'a> Builder<'a> {
    /// Adds the host classes to the leaves of the hosts.
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
                names.push(rest_name(&class.path));
                names.extend(self.has_tunnels(class).then(|| tunnels_name(&class.path)));
                names.extend(guests.iter().map(|guest| self.name(&class.path, *guest)));
            }
        });
        let of_devices = self.raw.iter().filter(|raw| raw.of.is_some()).count();
        if !sink.charge(names.len().saturating_sub(of_devices), budget::HOST_CLASS) {
            return;
        }
        let ids = ids::assign_more(&names, self.ids, self.set.key, sink);
        if ids.is_empty() {
            return;
        }
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

    /// Builds the host classes of one leaf.
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
        let for_tunnels = PerDirection::from_fn(|d| *self.htb.get(d) && self.separates_tunnels(class, d));
        let some = PerDirection::from_fn(|d| {
            *for_tunnels.get(d) || claims.iter().any(|claim| *claim.directions.get(d))
        });
        let others = |noun, directions| Claim {
            noun,
            name: &rest,
            guarantee: NOTHING,
            ceiling: NOTHING,
            weight: OTHERS,
            may_borrow: true,
            directions,
        };
        claims.extend(tunnels.then(|| others("the tunnels of", for_tunnels)));
        claims.push(others("the other hosts of", some));
        let above = Above {
            name: Some(class.name.clone()),
            span: class.span,
            guarantee: PerDirection::from_fn(|d| class.guarantee.get(d).value),
            ceiling: PerDirection::from_fn(|d| class.ceiling.get(d).value),
            line: None,
        };
        let shares = rates::shares(&above, &claims, derive::BORROWING, sink);
        PerDirection::from_fn(|direction| {
            let mut found = Vec::new();
            for ((claim, share), at) in claims.iter().zip(shares.get(direction)).zip(0..) {
                let Some((guarantee, ceiling)) = share.clone() else { continue };
                let host = guests.get(at).copied();
                let inside = tunnels && at == guests.len();
                let name = |class: &str| match host {
                    Some(host) => self.name(class, host),
                    None if inside => tunnels_name(class),
                    None => rest_name(class),
                };
                let (share, prefix) = (leaf.share.get(direction), self.is_network(host));
                let alone = Val::default(Share::PerFlow, "one host");
                let share = if host.is_some() && !prefix { &alone } else { share };
                let unseen =
                    Val::derived(false, "conntrack knows only what is around a tunnel's packets", None);
                let nat = if inside { &unseen } else { self.nat };
                let sharers = Sharers { share, nat, flows: self.flows };
                let rates = (*self.tree.get(direction), ceiling.value);
                found.push(HostClass {
                    span: host.and_then(|host| self.hosts.get(host)).map_or(class.span, |host| host.span),
                    host,
                    id: ids
                        .get(&name(&class.path))
                        .cloned()
                        .unwrap_or_else(|| Val::default(ClassId(0), "none")),
                    asked: HostAsked {
                        guarantee: claim.guarantee.get(direction).map(|given| given.value),
                        ceiling: claim.ceiling.get(direction).map(|given| given.value),
                        weight: claim.weight,
                    },
                    scheduling: derive::scheduling(self.packet, guarantee.value, ceiling.value, true),
                    queue: queues::resolve(&raw.queue, direction, self.packet, rates, sharers),
                    guarantee,
                    ceiling,
                    name: name(&class.name),
                });
            }
            let rest = Box::new(found.pop()?);
            Some(HostClasses { hosts: found, rest })
        })
    }

    /// Returns the claim of a host on the rates of its leaf.
    fn claim(&self, raw: &'a RawHost) -> Claim<'a> {
        let asked = promises(raw);
        // A mistake in `each` is one of all devices.
        let prefix = raw.of.and_then(|of| self.raw.get(of));
        Claim {
            noun: if prefix.is_some() { "each device of" } else { "host" },
            name: &prefix.unwrap_or(raw).name,
            guarantee: &raw.guarantee,
            ceiling: &raw.ceiling,
            weight: 1,
            may_borrow: true,
            directions: PerDirection::from_fn(|d| *asked.get(d) && *self.htb.get(d)),
        }
    }

    /// Returns the name of a host's class. A host named `rest` or `tunnels` gets a prefix, so that its class differs
    /// from the built-in one.
    fn name(self, class: &str, host: usize) -> String {
        match self.hosts.get(host).map(|host| host.name.as_str()) {
            Some(name @ ("rest" | "tunnels")) => format!("{class}/host:{name}"),
            name => format!("{class}/{}", name.unwrap_or_default()),
        }
    }

    /// Returns `true` if tunnel packets have a class of their own in this leaf.
    fn has_tunnels(self, class: &Class) -> bool {
        Direction::BOTH.into_iter().any(|direction| self.separates_tunnels(class, direction))
    }

    /// Returns `true` if hosts behind NAT share a leaf in this direction, so that its tunnel packets need a class.
    fn separates_tunnels(self, class: &Class, direction: Direction) -> bool {
        let shares = |leaf: &Leaf| leaf.share.get(direction).value == Share::PerHost;
        self.tunnels && self.nat.value && class.leaf().is_some_and(shares)
    }

    /// Returns `true` if the host is a network with several addresses.
    fn is_network(self, host: Option<usize>) -> bool {
        host.and_then(|host| self.hosts.get(host)).is_some_and(|host| host.widest() > 0)
    }
}

fn tunnels_name(class: &str) -> String {
    format!("{class}/tunnels")
}

fn rest_name(class: &str) -> String {
    format!("{class}/rest")
}

/// Calls `each` for every leaf with its depth in the file's tree, itself included.
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
    let message =
        format!("class {} is nested too deep to contain classes of hosts or tunnels", ticked(&class.name));
    sink.push(
        Diagnostic::new(Code::TooDeep, at, message)
            .also(class.span, format!("level {DEEPEST}"))
            .help(format!("HTB allows {DEEPEST} levels of classes: remove a level above this class")),
    );
}
