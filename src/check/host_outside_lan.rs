#![doc = include_str!("../rules/Q0801.md")]

use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Model, Networks};
use crate::units::{Address, Family};
use std::collections::BTreeMap;

/// An address outside all networks of the house.
struct Outside<'a> {
    host: &'a str,
    address: Address,
    place: Span,
}

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let Networks::List(networks) = &model.lan.networks else { return };
    let networks = Ranges::of(networks.iter().map(|network| network.value));
    let mut found = Vec::new();
    for host in &model.hosts {
        // A group is no address of the LAN, but the host can be a member of it.
        let outside = |address: Address| !address.is_group() && networks.are_outside(address);
        let outside = host.addresses.iter().find(|address| outside(address.value));
        if let Some((address, place)) = outside.and_then(|own| Some((own.value, own.given_at()?))) {
            found.push(Outside { host: &host.name, address, place });
        }
    }
    each_or_all(&found, sink, finding);
}

/// Networks of the house: the last address of each range by its first one. Ranges do not overlap.
#[derive(Default)]
pub(super) struct Ranges {
    v4: BTreeMap<u128, u128>,
    v6: BTreeMap<u128, u128>,
    /// True if an interface part is among them, which fits any IPv6 prefix.
    interface: bool,
}

impl Ranges {
    pub(super) fn of(networks: impl Iterator<Item = Address>) -> Self {
        let mut ranges = Ranges::default();
        for network in networks {
            let (family, Some((first, last))) = (network.family(), range(network)) else {
                ranges.interface = true;
                continue;
            };
            let ranges = if family == Family::Ipv4 { &mut ranges.v4 } else { &mut ranges.v6 };
            // Two prefixes overlap only if one contains the other. The larger one of equal first addresses stays.
            let end = ranges.entry(first).or_insert(last);
            *end = last.max(*end);
        }
        for ranges in [&mut ranges.v4, &mut ranges.v6] {
            let mut covered = None;
            ranges.retain(|first, last| {
                let inside = covered.is_some_and(|covered| *first <= covered);
                covered = covered.max(Some(*last));
                !inside
            });
        }
        ranges
    }

    /// True if a network contains all of this one.
    pub(super) fn contain(&self, address: Address) -> bool {
        let Some((first, last)) = range(address) else { return false };
        let ranges = if address.family() == Family::Ipv4 { &self.v4 } else { &self.v6 };
        ranges.range(..=first).next_back().is_some_and(|(_, end)| last <= *end)
    }

    /// True if there are networks of this family, and none of them has any address in common with this one.
    fn are_outside(&self, address: Address) -> bool {
        let Some((first, last)) = range(address) else { return false };
        let ranges = match address.family() {
            Family::Ipv4 => &self.v4,
            Family::Ipv6 if self.interface => return false,
            Family::Ipv6 => &self.v6,
        };
        let before = ranges.range(..=last).next_back();
        !ranges.is_empty() && before.is_none_or(|(_, end)| *end < first)
    }
}

/// Returns the first and the last address of a prefix; `None` for an interface part.
fn range(address: Address) -> Option<(u128, u128)> {
    match address {
        Address::V4(net) => Some((net.network().to_bits().into(), net.broadcast().to_bits().into())),
        Address::V6(net) => Some((net.network().to_bits(), net.broadcast().to_bits())),
        Address::V6Interface { .. } => None,
    }
}

/// True if two networks of one family have no address in common; false for interface parts.
pub(super) fn are_apart(one: Address, other: Address) -> bool {
    match (one, other) {
        (Address::V4(one), Address::V4(other)) => !one.contains(&other) && !other.contains(&one),
        (Address::V6(one), Address::V6(other)) => !one.contains(&other) && !other.contains(&one),
        // an interface part fits any prefix
        _ => false,
    }
}

fn finding(found: &[Outside<'_>]) -> Option<Diagnostic> {
    let first = found.first()?;
    let hosts: Vec<&str> = found.iter().map(|outside| outside.host).collect();
    let message = match hosts.as_slice() {
        [host] => format!(
            "{} of host {} is in no network of the LAN",
            ticked(&first.address.to_string()),
            ticked(host)
        ),
        hosts => format!("{} hosts have addresses in no network of the LAN", hosts.len()),
    };
    let label = if hosts.len() > 1 { some_of(&hosts) } else { "not in `networks` of `lan`".to_owned() };
    Some(
        Diagnostic::new(Code::HostOutsideLan, first.place, message)
            .label(label)
            .help("correct the address, or add its network to `networks`; `networks: auto` uses the networks of the LAN devices"),
    )
}
