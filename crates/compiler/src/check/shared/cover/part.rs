//! Alternatives as lists of values by key, and the comparison of two of them.

use crate::model::{Alternative, Direction, Ecn, Host, Model, TcpKind, Tunnel};
use crate::units::{Address, Dscp, Family, LengthRange, Mark, PortRange, PortSet, Protocol};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Largest number of combinations of an alternative's values to look at.
const VALUES: usize = 512;

/// One value of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatcherValue {
    Host(usize),
    Address(Address),
    Protocol(Protocol),
    Ports(PortRange),
    Dscp(Dscp),
    Ecn(Ecn),
    Mark(Mark),
    Length(LengthRange),
    Tcp(TcpKind),
    Direction(Direction),
}

impl MatcherValue {
    /// True if every packet with this value has the value `wide`, too.
    fn is_within(&self, wide: &Self) -> bool {
        match (self, wide) {
            (Self::Address(own), Self::Address(wide)) => within(*own, *wide),
            (Self::Ports(own), Self::Ports(wide)) => wide.first <= own.first && own.last <= wide.last,
            (Self::Length(own), Self::Length(wide)) => wide.min <= own.min && own.max <= wide.max,
            (Self::Mark(own), Self::Mark(wide)) => {
                wide.mask & !own.mask == 0 && own.value & wide.mask == wide.value
            }
            _ => self == wide,
        }
    }

    /// Returns the value as in the file; `None` for marks, which findings do not name.
    pub(super) fn text(&self, model: &Model) -> Option<String> {
        Some(match self {
            Self::Host(host) => model.hosts.get(*host).map(|host| host.name.clone()).unwrap_or_default(),
            Self::Address(value) => value.to_string(),
            Self::Protocol(value) => value.to_string(),
            Self::Ports(value) => value.to_string(),
            Self::Dscp(value) => value.to_string(),
            Self::Ecn(value) => value.to_string(),
            Self::Length(value) => value.to_string(),
            Self::Tcp(value) => value.to_string(),
            Self::Direction(value) => value.as_str().to_owned(),
            Self::Mark(_) => return None,
        })
    }
}

/// An alternative: all keys must hold, and for each key one of its values is enough.
#[derive(Clone)]
pub(super) struct Part<'a> {
    pub(super) own: &'a Alternative,
    pub(super) family: Option<Family>,
    /// Keys with values, in the order of messages.
    pub(super) keys: Vec<(&'static str, Rc<[MatcherValue]>)>,
}

/// Keys of ports. `port` is met by a port at either end.
const PORTS: [&str; 3] = ["local_port", "remote_port", "port"];

impl<'a> Part<'a> {
    pub(super) fn of(own: &'a Alternative) -> Part<'a> {
        let ports = |ports: &Option<PortSet>| {
            values(ports.as_ref().map_or(&[], PortSet::ranges), MatcherValue::Ports)
        };
        let mut keys = vec![
            ("host", values(&own.hosts, MatcherValue::Host)),
            ("local", values(&own.local, MatcherValue::Address)),
            ("remote", values(&own.remote, MatcherValue::Address)),
            ("protocol", values(&own.protocol, MatcherValue::Protocol)),
            ("local_port", ports(&own.local_port)),
            ("remote_port", ports(&own.remote_port)),
            ("port", ports(&own.port)),
            ("dscp", values(&own.dscp, MatcherValue::Dscp)),
            ("ecn", values(&own.ecn, MatcherValue::Ecn)),
            ("mark", values(&own.mark, MatcherValue::Mark)),
            ("length", values(&own.length, MatcherValue::Length)),
            ("tcp", values(&own.tcp, MatcherValue::Tcp)),
        ];
        keys.retain(|(_, values)| !values.is_empty());
        // The outer packets of a tunnel may be lost in one direction, where others are queued at its device.
        if keys.is_empty() && !own.tunnels.is_empty() && own.direction.is_none() {
            keys.push(("direction", values(&Direction::BOTH, MatcherValue::Direction)));
        }
        Part { own, family: own.family, keys }
    }

    /// Returns the values of a key; none if it is no condition.
    pub(super) fn get(&self, key: &str) -> &[MatcherValue] {
        self.keys.iter().find(|(own, _)| *own == key).map_or(&[], |(_, values)| values)
    }

    fn addresses(&self, key: &str) -> impl Iterator<Item = Address> {
        self.get(key).iter().filter_map(|value| match value {
            MatcherValue::Address(address) => Some(*address),
            _ => None,
        })
    }

    /// Returns the alternative with a single value in each key, for all combinations. If there are too many, a key keeps
    /// all of its values.
    pub(super) fn singles(&self, look: Look<'_>) -> Vec<Part<'a>> {
        let mut all = vec![self.clone()];
        for (key, values) in &self.keys {
            if values.len() < 2 || all.len().saturating_mul(values.len()) > VALUES {
                continue;
            }
            let each = |one: Part<'a>| values.iter().map(move |value| one.with(key, *value));
            all = all.into_iter().flat_map(each).collect();
        }
        let families: Vec<Part<'a>> = all.iter().flat_map(|one| one.each_family(look)).collect();
        if families.len() <= VALUES { families } else { all }
    }

    /// Returns the alternative with a single value of this key.
    fn with(&self, key: &str, value: MatcherValue) -> Part<'a> {
        let mut one = self.clone();
        one.keys.iter_mut().filter(|(own, _)| *own == key).for_each(|(_, own)| *own = Rc::new([value]));
        one
    }

    /// Splits an alternative for both families into one for each, because an earlier match may take one family.
    fn each_family(&self, look: Look<'_>) -> Vec<Part<'a>> {
        if [Family::Ipv4, Family::Ipv6].iter().any(|family| self.is_within_family(look, *family)) {
            return vec![self.clone()];
        }
        [Family::Ipv4, Family::Ipv6].map(|family| Part { family: Some(family), ..self.clone() }).into()
    }

    /// True if only packets of this family can match.
    fn is_within_family(&self, look: Look<'_>, family: Family) -> bool {
        let only = |addresses: Vec<Address>| {
            look.spend(addresses.len());
            !addresses.is_empty() && addresses.iter().all(|address| address.family() == family)
        };
        let icmp = match family {
            Family::Ipv4 => Protocol::ICMP,
            Family::Ipv6 => Protocol::ICMPV6,
        };
        self.family == Some(family)
            || only(self.addresses("local").collect())
            || only(self.addresses("remote").collect())
            || self.addresses_of_hosts(look).is_some_and(only)
            || look.all_within(self.get("protocol"), &[MatcherValue::Protocol(icmp)])
    }

    /// Returns the addresses of the matched hosts; `None` if no host is matched, or one also has a MAC address.
    fn addresses_of_hosts(&self, look: Look<'_>) -> Option<Vec<Address>> {
        let hosts: Vec<&Host> = look.hosts(self.get("host")).collect();
        let known = !hosts.is_empty() && hosts.iter().all(|host| host.mac.is_empty());
        known.then(|| hosts.iter().flat_map(|host| host.addresses.iter().map(|own| own.value)).collect())
    }

    /// True if one of these values of a key holds for every packet that matches.
    fn holds(&self, look: Look<'_>, key: &str, wide: &[MatcherValue]) -> bool {
        match key {
            "host" => {
                let named: BTreeSet<usize> = wide.iter().filter_map(host).collect();
                let own = self.get("host");
                look.spend(own.len() + wide.len());
                if !own.is_empty() && own.iter().filter_map(host).all(|host| named.contains(&host)) {
                    return true;
                }
                let theirs = look.hosts(wide).flat_map(|host| &host.addresses);
                self.is_local(look, &theirs.map(|own| MatcherValue::Address(own.value)).collect::<Vec<_>>())
            }
            "local" => self.is_local(look, wide),
            "direction" => true,
            "port" => PORTS.iter().any(|key| look.all_within(self.get(key), wide)),
            _ => look.all_within(self.get(key), wide),
        }
    }

    /// True if the local address of every packet that matches is one of these.
    fn is_local(&self, look: Look<'_>, wide: &[MatcherValue]) -> bool {
        let of_hosts = || self.addresses_of_hosts(look).map(|own| values(&own, MatcherValue::Address));
        look.all_within(self.get("local"), wide) || of_hosts().is_some_and(|own| look.all_within(&own, wide))
    }
}

fn values<T: Copy>(list: &[T], value: impl Fn(T) -> MatcherValue) -> Rc<[MatcherValue]> {
    list.iter().copied().map(value).collect()
}

const fn host(value: &MatcherValue) -> Option<usize> {
    match value {
        MatcherValue::Host(host) => Some(*host),
        _ => None,
    }
}

/// The model, and the comparisons that are left.
#[derive(Clone, Copy)]
pub(super) struct Look<'m> {
    pub(super) model: &'m Model,
    pub(super) steps: &'m Cell<usize>,
}

impl<'m> Look<'m> {
    /// Counts comparisons.
    fn spend(self, steps: usize) {
        self.steps.set(self.steps.get().saturating_sub(steps));
    }

    pub(super) fn is_over(self) -> bool {
        self.steps.get() == 0
    }

    fn hosts(self, values: &[MatcherValue]) -> impl Iterator<Item = &'m Host> {
        self.spend(values.len());
        values.iter().filter_map(host).filter_map(move |host| self.model.hosts.get(host))
    }

    /// True if `narrow` is not empty and each of its values is within one of `wide`.
    fn all_within(self, narrow: &[MatcherValue], wide: &[MatcherValue]) -> bool {
        let is_within = |narrow: &MatcherValue, wide: &MatcherValue| {
            self.spend(1);
            !self.is_over() && narrow.is_within(wide)
        };
        !narrow.is_empty() && narrow.iter().all(|narrow| wide.iter().any(|wide| is_within(narrow, wide)))
    }

    /// True if every packet that matches all of `parts` matches all of `wide`.
    pub(super) fn covers(self, wide: &[Part<'_>], parts: &[Part<'_>]) -> bool {
        wide.iter().all(|wide| self.covers_part(wide, parts))
    }

    /// True if `wide` takes whatever the router sends and gets around the packets of the tunnels of `part`: it asks for
    /// the router alone, or for all tunnels that look the same.
    fn takes_outer(self, wide: &Part<'_>, part: &Part<'_>) -> bool {
        let direction = match part.get("direction") {
            [MatcherValue::Direction(one)] => Some(*one),
            _ => part.own.direction,
        };
        let tunnel = |index: &usize| self.model.tunnels.get(*index);
        let by_router = self.hosts(wide.get("host")).any(|host| host.is_router);
        let is_taken = |own: &Tunnel| match wide.own.tunnels.as_slice() {
            [] => by_router && own.device.is_some() && !own.is_matched_behind_nat(),
            others => others.iter().filter_map(tunnel).any(|other| {
                let looks_same = (other.kind, &other.port) == (own.kind, &own.port);
                looks_same && other.remote.is_empty() && other.name != own.name
            }),
        };
        let is_wrapped = |own: &Tunnel| own.seen_at_device(direction.unwrap_or(Direction::Down)).is_none();
        let only = if wide.own.tunnels.is_empty() { "host" } else { "direction" };
        wide.family.is_none()
            && wide.keys.iter().all(|(key, _)| *key == only)
            && wide.own.direction.is_none_or(|only| direction == Some(only))
            && part.own.tunnels.iter().filter_map(tunnel).all(|own| is_wrapped(own) && is_taken(own))
    }

    fn covers_part(self, wide: &Part<'_>, parts: &[Part<'_>]) -> bool {
        self.spend(parts.len() + wide.own.tunnels.len());
        // The packets of another device show other addresses than those of the WAN device, and the rule cannot see what
        // is inside a tunnel, or where it begins.
        let same = |list: fn(&Alternative) -> &[usize]| {
            let named = |part: &Part<'_>| !list(part.own).is_empty();
            let any = named(wide) || parts.iter().any(named);
            !any || parts.iter().any(|part| named(part) && list(part.own) == list(wide.own))
        };
        let direction = |only| parts.iter().any(|part| part.own.direction == Some(only));
        if parts.iter().any(|part| !part.own.tunnels.is_empty() && self.takes_outer(wide, part)) {
            return same(|own| &own.devices);
        }
        same(|own| &own.devices)
            && same(|own| &own.tunnels)
            && wide.own.direction.is_none_or(direction)
            && wide.family.is_none_or(|only| parts.iter().any(|part| part.is_within_family(self, only)))
            // The list of hosts is the longest in most files, so it comes last.
            && wide.keys.iter().rev().all(|(key, values)| parts.iter().any(|part| part.holds(self, key, values)))
    }
}

/// True if every address in `narrow` is in `wide`.
fn within(narrow: Address, wide: Address) -> bool {
    match (narrow, wide) {
        (Address::V4(narrow), Address::V4(wide)) => wide.contains(&narrow),
        (Address::V6(narrow), Address::V6(wide)) => wide.contains(&narrow),
        (Address::V6Interface { part: narrow, bits: own }, Address::V6Interface { part: wide, bits }) => {
            own >= bits && same_end(narrow.to_bits(), wide.to_bits(), bits)
        }
        (Address::V6(narrow), Address::V6Interface { part, bits }) => {
            narrow.prefix_len() == 128 && same_end(narrow.addr().to_bits(), part.to_bits(), bits)
        }
        _ => false,
    }
}

/// True if the last bits are the same.
fn same_end(one: u128, other: u128, bits: u8) -> bool {
    let others = u32::from(128u8.saturating_sub(bits));
    (one ^ other).checked_shl(others).is_none_or(|differs| differs == 0)
}
