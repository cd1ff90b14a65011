use super::{Owner, addresses, numbers, ports};
use crate::model::Seen;
use crate::units::{Address, PortRange, PortSet};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

fn net(text: &str) -> Address {
    text.parse().unwrap()
}

#[test]
fn ranges_belong_to_every_network_that_contains_them() {
    let wanted = [
        (net("192.168.1.0/24"), Owner::Host(0)),
        (net("192.168.1.5"), Owner::Host(1)),
        (net("192.168.1.128/25"), Owner::Host(2)),
        (net("192.168.1.200"), Owner::Local(net("192.168.1.200"))),
        (net("10.0.0.1"), Owner::Host(1)),
        (net("10.0.0.1"), Owner::Host(3)),
    ];
    let parts = addresses(&wanted);
    let of = |owners: &[Owner]| parts.get(&owners.iter().copied().collect::<BTreeSet<_>>()).unwrap().clone();
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    assert_eq!(of(&[Owner::Host(0)]), [Seen::Range(ip("192.168.1.0"), ip("192.168.1.127"))]);
    assert_eq!(of(&[Owner::Host(0), Owner::Host(1)]), [Seen::Exact(ip("192.168.1.5"))]);
    assert_eq!(
        of(&[Owner::Host(0), Owner::Host(2)]),
        [Seen::Range(ip("192.168.1.128"), ip("192.168.1.255"))]
    );
    assert_eq!(
        of(&[Owner::Host(0), Owner::Host(2), Owner::Local(net("192.168.1.200"))]),
        [Seen::Exact(ip("192.168.1.200"))]
    );
    assert_eq!(of(&[Owner::Host(1), Owner::Host(3)]), [Seen::Exact(ip("10.0.0.1"))]);
    assert_eq!(parts.len(), 5);
}

#[test]
fn a_whole_address_family_is_split_correctly() {
    let parts = addresses(&[(net("0.0.0.0/0"), Owner::Host(0)), (net("255.255.255.0/24"), Owner::Host(1))]);
    let ranges: Vec<&Seen> = parts.values().flatten().collect();
    assert_eq!(ranges.len(), 2);
    let parts = addresses(&[(net("::/0"), Owner::Host(0)), (net("2001:db8::/32"), Owner::Host(1))]);
    assert_eq!(parts.values().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn removing_a_name_keeps_most_other_numbers() {
    let all: BTreeSet<String> = (0..200).map(|n| format!("host{n}")).collect();
    let full = numbers(&all, 9);
    let fewer: BTreeSet<String> = all.iter().filter(|name| *name != "host7").cloned().collect();
    let moved =
        numbers(&fewer, 9).into_iter().filter(|(name, number)| full.get(name) != Some(number)).count();
    assert!(moved <= 5, "{moved} of 199 moved");
    assert_eq!(full.values().collect::<BTreeSet<_>>().len(), 200);
    assert!(full.values().all(|number| (1..512).contains(number)));
}

#[test]
fn every_number_except_0_is_used() {
    let all: BTreeSet<String> = (0..15).map(|n| n.to_string()).collect();
    let all: BTreeSet<u32> = numbers(&all, 4).into_values().collect();
    assert_eq!(all, (1..16).collect());
}

proptest! {
    /// Every address belongs to exactly one range, whose owners are all that contain the address.
    #[test]
    fn every_address_is_in_the_one_range_of_its_owners(
        nets in prop::collection::vec((0u32..256, 24u8..=32), 1..12),
        probe in 0u32..256,
    ) {
        let wanted: Vec<(Address, Owner)> = nets.iter().enumerate().map(|(i, (host, length))| {
            let base = Ipv4Addr::from_bits(0x0a00_0000 | host);
            let net = ipnet::Ipv4Net::new(base, *length).unwrap().trunc();
            (Address::V4(net), Owner::Host(i))
        }).collect();
        let probe = IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 | probe));
        let contains = |address: &Address| match (address, probe) {
            (Address::V4(net), IpAddr::V4(own)) => net.contains(&own),
            _ => false,
        };
        let want: BTreeSet<Owner> =
            wanted.iter().filter(|(address, _)| contains(address)).map(|(_, owner)| *owner).collect();
        let parts = addresses(&wanted);
        let hits = |exact: bool| parts.iter().filter(|(_, seen)| seen.iter().any(|seen| match seen {
            Seen::Exact(own) => exact && *own == probe,
            Seen::Range(first, last) => !exact && (*first..=*last).contains(&probe),
            Seen::Mac(_) | Seen::Ports(_) | Seen::Router => false,
        })).map(|(owners, _)| owners.clone()).collect::<Vec<_>>();
        let (exact, range) = (hits(true), hits(false));
        prop_assert!(exact.len() <= 1 && range.len() <= 1);
        let found = exact.into_iter().chain(range).next().unwrap_or_default();
        prop_assert_eq!(found, want);
    }

    /// Every port belongs to exactly one range, whose owners are all sets that contain it.
    #[test]
    fn every_port_is_in_the_one_range_of_its_owners(
        sets in prop::collection::vec(prop::collection::vec((1u16..60, 0u16..9), 1..5), 1..6),
        probe in 1u16..70,
        whole in any::<bool>(),
    ) {
        let range = |(first, more): (u16, u16)| PortRange { first, last: first + more };
        let mut sets: Vec<PortSet> =
            sets.into_iter().map(|set| set.into_iter().map(range).collect()).collect();
        sets.extend(whole.then(|| PortSet::from_iter([PortRange { first: 1, last: u16::MAX }])));
        let has = |own: &PortRange| (own.first..=own.last).contains(&probe);
        let want: BTreeSet<Owner> = sets.iter().enumerate()
            .filter(|(_, set)| set.ranges().iter().any(has))
            .map(|(index, _)| Owner::Ports(index)).collect();
        let parts = ports(&sets);
        let hits = parts.iter().filter(|(_, seen)| seen.iter().any(|seen| matches!(seen, Seen::Ports(own) if has(own))));
        let hits: Vec<_> = hits.map(|(owners, _)| owners.clone()).collect();
        prop_assert!(hits.len() <= 1);
        prop_assert_eq!(hits.into_iter().next().unwrap_or_default(), want);
    }
}
