//! Identifies senders. All addresses of hosts and `local` keys are cut into ranges, so that every range lies completely
//! inside or outside each of them.

use super::places;
use crate::model::Seen;
use crate::units::{Address, Family, Mac, PortRange, PortSet};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host or key that owns addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// A host, by its index in the model.
    Host(usize),
    /// A `local` key.
    Local(Address),
    /// A set of ports, by its index among all.
    Ports(usize),
}

/// Ranges, exact addresses or MAC addresses, grouped by their owners. Addresses without an owner are omitted.
pub(super) type OwnerRanges = BTreeMap<BTreeSet<Owner>, Vec<Seen>>;

/// An address range that is still being cut.
struct Open {
    last: u128,
    /// First address that is not yet covered by a result; `None` if nothing is left.
    rest: Option<u128>,
    owners: BTreeSet<Owner>,
}

/// Returns the ranges of addresses and prefixes. Interface parts are omitted because they are no range.
pub(super) fn addresses(wanted: &[(Address, Owner)]) -> OwnerRanges {
    let mut parts = OwnerRanges::new();
    for family in [Family::Ipv4, Family::Ipv6] {
        let own: Vec<_> = wanted.iter().filter(|(address, _)| address.family() == family).copied().collect();
        for (owners, seen) in of_family(&own) {
            parts.entry(owners).or_default().extend(seen);
        }
    }
    parts
}

/// Does so for addresses of one family.
fn of_family(wanted: &[(Address, Owner)]) -> OwnerRanges {
    let mut nets: BTreeMap<(u128, std::cmp::Reverse<u128>), BTreeSet<Owner>> = BTreeMap::new();
    let mut v4 = false;
    for (address, owner) in wanted {
        let (first, last) = match address {
            Address::V4(net) => {
                v4 = true;
                (u128::from(net.network().to_bits()), u128::from(net.broadcast().to_bits()))
            }
            Address::V6(net) => (net.network().to_bits(), net.broadcast().to_bits()),
            Address::V6Interface { .. } => continue,
        };
        nets.entry((first, std::cmp::Reverse(last))).or_default().insert(*owner);
    }
    let at = |number: u128| match u32::try_from(number) {
        Ok(bits) if v4 => IpAddr::V4(Ipv4Addr::from_bits(bits)),
        _ => IpAddr::V6(Ipv6Addr::from_bits(number)),
    };
    let mut parts = OwnerRanges::new();
    let mut open: Vec<Open> = Vec::new();
    let close = |open: Open, parts: &mut OwnerRanges| {
        if let Some(first) = open.rest {
            parts.entry(open.owners).or_default().push(Seen::Range(at(first), at(open.last)));
        }
    };
    // among nets with the same first address, the larger one comes first
    for ((first, std::cmp::Reverse(last)), mut owners) in nets {
        while let Some(ended) = open.pop_if(|around| around.last < first) {
            close(ended, &mut parts);
        }
        if let Some(around) = open.last() {
            owners.extend(around.owners.iter().copied());
        }
        if first == last {
            // exact addresses are looked up before ranges, so no range has to be cut for them
            parts.entry(owners).or_default().push(Seen::Exact(at(first)));
            continue;
        }
        if let Some(around) = open.last_mut() {
            if let Some(rest) = around.rest.filter(|rest| *rest < first) {
                let range = Seen::Range(at(rest), at(first - 1));
                parts.entry(around.owners.clone()).or_default().push(range);
            }
            around.rest = last.checked_add(1).filter(|next| *next <= around.last);
        }
        open.push(Open { last, rest: Some(first), owners });
    }
    while let Some(ended) = open.pop() {
        close(ended, &mut parts);
    }
    parts
}

/// Returns the ranges of ports with their owners: the sets by their index.
pub(super) fn ports(wanted: &[PortSet]) -> OwnerRanges {
    // The ranges of a set do not touch, so it begins or ends at each of these ports.
    let mut turns: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, set) in wanted.iter().enumerate() {
        for own in set.ranges() {
            turns.entry(own.first.into()).or_default().push(index);
            turns.entry(u32::from(own.last) + 1).or_default().push(index);
        }
    }
    let mut parts = OwnerRanges::new();
    let mut open: BTreeSet<Owner> = BTreeSet::new();
    for ((first, turned), next) in turns.iter().zip(turns.keys().skip(1)) {
        for owner in turned.iter().map(|index| Owner::Ports(*index)) {
            if !open.remove(&owner) {
                open.insert(owner);
            }
        }
        if let (false, Ok(first), Ok(last)) =
            (open.is_empty(), u16::try_from(*first), u16::try_from(next - 1))
        {
            parts.entry(open.clone()).or_default().push(Seen::Ports(PortRange { first, last }));
        }
    }
    parts
}

/// Returns the MAC addresses with their owners.
pub(super) fn macs(wanted: &[(Mac, usize)]) -> OwnerRanges {
    let mut by_mac: BTreeMap<Mac, BTreeSet<Owner>> = BTreeMap::new();
    for (mac, host) in wanted {
        by_mac.entry(*mac).or_default().insert(Owner::Host(*host));
    }
    let mut parts = OwnerRanges::new();
    for (mac, owners) in by_mac {
        parts.entry(owners).or_default().push(Seen::Mac(mac));
    }
    parts
}

/// Assigns each name a number from 1 to the maximum for this many bits. There must be fewer names than numbers.
pub(super) fn numbers(names: &BTreeSet<String>, bits: u32) -> BTreeMap<String, u32> {
    let most = (1usize << bits.min(31)) - 1;
    let mut taken = BTreeSet::new();
    let placed = places::deal(names.iter().map(String::as_str), most, |place| taken.insert(place));
    let number = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
    placed.into_iter().map(|own| (own.name.to_owned(), number(own.place))).collect()
}

#[cfg(test)]
#[path = "identities_tests.rs"]
mod tests;
