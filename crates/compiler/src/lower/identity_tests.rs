use super::*;
use crate::lower::tests::fixture::{addresses, anything, leaf, lowered, model};
use crate::model::{Alternative, Direction, DscpField, Flag, Identity, Need, Needed, Val};
use crate::tc::Hook;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

/// A network behind NAT with one class that is matched by `local`, and one by DSCP for downloads.
fn hidden() -> Model {
    let local = addresses(&["192.168.1.5", "192.168.1.128/25"]);
    let host = Alternative { local: local.clone(), ..anything() };
    let called =
        Alternative { dscp: vec![Dscp::new(46).unwrap()], direction: Some(Direction::Down), ..anything() };
    let mut model = model(vec![leaf("own", 0x11, Some(vec![host, called])), leaf("rest", 0xee, None)]);
    model.lan.nat = Val::default(true, "");
    let ip = |last| IpAddr::V4(Ipv4Addr::new(192, 168, 1, last));
    let identity = |number, from| Identity { number, name: number.to_string(), span: None, from };
    let field = Field {
        bits: Val::default(0x0f00_0000, ""),
        identities: vec![
            identity(3, vec![Seen::Exact(ip(5))]),
            identity(9, vec![Seen::Range(ip(128), ip(255))]),
        ],
        of_host: BTreeMap::new(),
        of_local: local.iter().copied().zip([vec![3], vec![9]]).collect(),
        of_ports: BTreeMap::new(),
    };
    let span = anything().span;
    let numbers = (0..64).map(|bits| (Dscp::new(bits).unwrap(), u32::from(bits))).collect();
    model.marks = Some(Marks {
        needs: vec![Need { kind: Needed::Address, what: "NAT".to_owned(), span }],
        mask: Val::default(0x8fff_0000, ""),
        lent: 0xff,
        address: Some(field),
        mac: None,
        port: None,
        dscp: Some(DscpField { bits: Val::default(0x003f_0000, ""), numbers }),
        flag: Some(Flag { bit: Val::default(0x8000_0000, ""), shared: None }),
    });
    model
}

#[test]
fn marks_are_restored_before_hosts_are_matched() {
    let program = lowered(&hidden());
    let marks = |dev: Dev| {
        let at_root = program.filters.iter().filter(|own| own.dev == dev && own.hook == Hook::Root);
        at_root.filter_map(|own| own.selector.mark).map(|word| (word.value, word.mask)).collect::<Vec<_>>()
    };
    let own = [(0x0300_0000, 0x0f00_0000), (0x0900_0000, 0x0f00_0000)];
    assert_eq!(marks(Dev::Wan), own);
    assert_eq!(
        marks(Dev::Ifb),
        [&own[..], &[(0x002e_0000, 0x003f_0000), (0x002e_0000, 0x003f_0000)]].concat()
    );
    let hooks: Vec<&Filter> = program.filters.iter().filter(|own| own.hook == Hook::Ingress).collect();
    let (first, rest) = hooks.split_at(2);
    for (own, protocol) in first.iter().zip([FilterProtocol::Ip, FilterProtocol::Ipv6]) {
        assert_eq!(own.actions, [Action::Restore { mask: 0x0fff_00ff, flag: 0x8000_0000 }]);
        assert_eq!(own.selector.mark, Some(Word { value: 0, mask: u32::MAX }));
        assert_eq!(own.protocol, protocol);
        assert!(rest.iter().all(|other| other.pref > own.pref));
    }
}

#[test]
fn restoring_only_our_bits_needs_no_flag() {
    let mut model = hidden();
    let marks = model.marks.as_mut().unwrap();
    (marks.lent, marks.flag) = (0, None);
    marks.mask = Val::default(0x0fff_0000, "");
    let program = lowered(&model);
    let first = program.filters.iter().find(|own| own.hook == Hook::Ingress).unwrap();
    assert_eq!(first.actions, [Action::Restore { mask: 0x0fff_0000, flag: 0 }]);
    assert_eq!(first.protocol, FilterProtocol::All);
}

#[test]
fn without_nat_hosts_are_matched_by_address() {
    let mut model = hidden();
    model.lan.nat = Val::default(false, "");
    let program = lowered(&model);
    assert!(
        program
            .filters
            .iter()
            .filter(|own| own.dev == Dev::Wan && own.hook == Hook::Root)
            .all(|own| own.selector.mark.is_none())
    );
}

#[test]
fn groups_are_matched_in_the_packet_even_behind_nat() {
    let mut model = hidden();
    let local = addresses(&["192.168.1.5", "232.0.0.0/8", "255.255.255.255", "ff3e::/32"]);
    model.classes[0].matches = Some(vec![Alternative { local, ..anything() }]);
    let program = lowered(&model);
    let at = |dev: Dev, protocol: FilterProtocol| {
        let own = program.filters.iter().filter(|own| (own.dev, own.hook) == (dev, Hook::Root));
        let own = own.filter(|own| own.protocol == protocol).map(|own| &own.selector);
        let words = |own: &Selector| {
            let word = |(offset, word): (&u16, &Word)| (*offset, word.value, word.mask);
            (own.mark.map(|mark| mark.value), own.words.iter().map(word).collect::<Vec<_>>())
        };
        own.map(words).collect::<Vec<_>>()
    };
    for (dev, offset) in [(Dev::Wan, 12), (Dev::Ifb, 16)] {
        let expected = [
            (Some(0x0300_0000), vec![]),
            (None, vec![(offset, 0xe800_0000, 0xff00_0000)]),
            (None, vec![(offset, u32::MAX, u32::MAX)]),
        ];
        assert_eq!(at(dev, FilterProtocol::Ip), expected);
    }
    assert_eq!(at(Dev::Ifb, FilterProtocol::Ipv6), [(None, vec![(24, 0xff3e_0000, u32::MAX)])]);
}

#[test]
fn each_lookup_covers_at_most_eight_bits() {
    let field = Field {
        bits: Val::default(0xffff_0300, ""),
        identities: vec![Identity {
            number: 0x2_1203,
            name: "far".to_owned(),
            span: None,
            from: vec![Seen::Exact(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)))],
        }],
        of_host: BTreeMap::new(),
        of_local: BTreeMap::new(),
        of_ports: BTreeMap::new(),
    };
    let found = digits("address", &field);
    let names: Vec<&str> = found.iter().map(|lookup| lookup.name.as_str()).collect();
    assert_eq!(names, ["address", "address2", "address3"]);
    assert!(found.iter().all(|lookup| lookup.bits.count_ones() <= 8));
    let whole = found.iter().fold(0, |whole, lookup| whole | lookup.elements[0].mark);
    assert_eq!(whole, scatter(0x2_1203, 0xffff_0300));
    assert_eq!(found.iter().fold(0, |bits, lookup| bits | lookup.bits), 0xffff_0300);
}
