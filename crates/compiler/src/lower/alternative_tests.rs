use super::*;
use crate::budget::Budget;
use crate::lower::tests::fixture::{addresses, anything, model, ports, span};
use crate::lower::tests::packet::{Packet, Wrapping};
use crate::model::{Ecn, Inner, TcpKind, TunnelKind};
use crate::units::{Dscp, LengthRange, Mark};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

fn some<T: Clone + std::fmt::Debug + 'static>(values: Vec<T>) -> impl Strategy<Value = Vec<T>> {
    // most keys are empty, because otherwise no packet would ever match
    prop_oneof![3 => Just(vec![]), 1 => subsequence(values.clone(), 1..=values.len())]
}

/// TCP kinds, in one of five cases.
fn kinds() -> impl Strategy<Value = Vec<TcpKind>> {
    let all = vec![TcpKind::Ack, TcpKind::Syn, TcpKind::Fin, TcpKind::Rst];
    prop_oneof![4 => Just(vec![]), 1 => subsequence(all, 1..=4)]
}

/// Ranges of up to `most` + 1 ports. Longer ranges give more selectors.
fn port_set(most: u16) -> impl Strategy<Value = Option<PortSet>> {
    let range = (select(vec![1u16, 53, 80, 443, 1024, 4789, 5060, 51820, 65_000]), 0u16..=most);
    let set = prop::collection::vec(range, 1..3);
    let set = set.prop_map(|list| {
        let list: Vec<_> =
            list.into_iter().map(|(first, more)| (first, first.saturating_add(more))).collect();
        ports(&list)
    });
    prop_oneof![3 => Just(None), 1 => set.prop_map(Some)]
}

prop_compose! {
    pub(in crate::lower) fn any_alternative(most: u16)(
        hosts in some(vec![0, 1]),
        local in some(addresses(&["192.168.1.0/24", "192.168.1.10", "::10/-64", "2001:db8:1::/64", "0.0.0.0/0"])),
        remote in some(addresses(&["198.51.100.0/24", "198.51.100.7", "2001:db8:9::/48", "2001:db8:9::7"])),
        protocol in some([6, 17, 1, 58, 4, 41, 47, 115].map(Protocol).to_vec()),
        (local_port, remote_port, port) in (port_set(most), port_set(most), port_set(most)),
        dscp in some(vec![Dscp::new(46).unwrap(), Dscp::new(8).unwrap(), Dscp::new(0).unwrap()]),
        mark in some(vec![Mark { value: 0x10, mask: 0xff }, Mark { value: 0x1234_5678, mask: u32::MAX }]),
        tunnels in some((0..9).collect()),
        length in some(vec![
            LengthRange { min: 0, max: 39 },
            LengthRange { min: 0, max: 127 },
            LengthRange { min: 101, max: u16::MAX },
            LengthRange { min: 60, max: 61 },
        ]),
        (family, direction, tcp, ecn) in (
            select(vec![None, None, None, Some(Family::Ipv4), Some(Family::Ipv6)]),
            select(vec![None, None, None, Some(Direction::Up), Some(Direction::Down)]),
            kinds(),
            some(vec![Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]),
        ),
    ) -> Alternative {
        // the resolver only accepts ports if every protocol has ports
        let ported = local_port.is_some() || remote_port.is_some() || port.is_some();
        let mut protocol = protocol;
        protocol.retain(|own| !ported || own.has_ports());
        if ported && protocol.is_empty() {
            protocol.push(Protocol::UDP);
        }
        // and it rejects TCP flags beside another protocol
        if !tcp.is_empty() {
            protocol = vec![Protocol::TCP];
        }
        Alternative {
            hosts, local, remote, protocol, local_port, remote_port, port, dscp, mark, tunnels, family, direction,
            length, tcp, ecn, ..anything()
        }
    }
}

fn address_of(family: Family, local: bool) -> impl Strategy<Value = std::net::IpAddr> {
    let list: &[&str] = match (family, local) {
        (Family::Ipv4, true) => &["192.168.1.10", "192.168.1.11", "192.168.1.12", "192.168.2.1", "10.0.0.1"],
        (Family::Ipv4, false) => {
            &["198.51.100.7", "198.51.100.8", "198.51.100.9", "198.51.100.17", "203.0.113.1"]
        }
        (Family::Ipv6, true) => &["2001:db8:1::10", "2001:db8:1::11", "2001:db8:2::10", "fd00::1:0:0:10"],
        (Family::Ipv6, false) => &["2001:db8:9::7", "2001:db8:9:8::7", "2001:db8:a::1"],
    };
    select(list.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>())
}

prop_compose! {
    /// A packet without an inner packet.
    fn alone()(family in select(vec![Family::Ipv4, Family::Ipv6]))(
        local in address_of(family, true),
        remote in address_of(family, false),
        direction in select(vec![Direction::Up, Direction::Down]),
        protocol in select(vec![6u8, 6, 17, 17, 1, 58, 115]),
        local_port in select(vec![52u16, 53, 80, 553, 1024, 4789, 5060, 5061, 65_000, 65_500, 65_535]),
        remote_port in select(vec![52u16, 53, 443, 944, 1701, 4789, 5060, 51_820, 65_100]),
        (dscp, ecn) in (select(vec![0u8, 8, 46, 47, 9]), 0u8..4),
        mark in select(vec![0u32, 0x10, 0xff10, 0x11, 0x1234_5678]),
        payload in select(vec![0u16, 0, 1, 12, 32, 43, 44, 60, 87, 88, 99, 100, 1400]),
        tcp_flags in select(vec![0x10u8, 0x10, 0x00, 0x01, 0x04, 0x02, 0x03, 0x12, 0x11, 0x14, 0x15, 0x18, 0x50, 0x90]),
        tcp_options in 0u8..=10,
        (ip_options, fragment) in (
            select(vec![0u8, 0, 0, 1, 10]),
            select(vec![0u16, 0x4000, 0x4000, 0x2000, 0x0001, 0x1fff]),
        ),
    ) -> Packet {
        Packet {
            direction, local, remote, protocol, local_port, remote_port, dscp, ecn, mark, payload, tcp_flags,
            tcp_options, ip_options, fragment, inside: None,
        }
    }
}

prop_compose! {
    fn wrapped()(
        outer in alone(),
        inner in alone(),
        protocol in select(vec![4u8, 41, 47, 47, 17]),
        (gre, option, fragment) in (
            select(vec![0u8, 0x20, 0x10, 0x80, 0x30, 0xa0, 0x90, 0xb0]),
            any::<bool>(),
            select(vec![0u16, 0x4000, 0x4000, 0x4000, 0x2000]),
        ),
    ) -> Packet {
        let family = inner.family();
        // the outer protocol always names the right inner family
        let protocol = match (protocol, family) {
            (4 | 41, Family::Ipv4) => 4,
            (4 | 41, Family::Ipv6) => 41,
            _ => protocol,
        };
        let wrapping = Wrapping { option: option && outer.family() == Family::Ipv6 && protocol != 17, gre };
        let (local_port, remote_port) = match outer.direction {
            _ if protocol != 17 => (outer.local_port, outer.remote_port),
            Direction::Up => (outer.local_port, 4789),
            Direction::Down => (4789, outer.remote_port),
        };
        let inner = Packet { direction: outer.direction, mark: outer.mark, ..inner };
        Packet {
            protocol, local_port, remote_port, fragment, inside: Some((wrapping, Box::new(inner))), ..outer
        }
    }
}

/// A packet, with or without an inner packet.
pub(in crate::lower) fn any_packet() -> impl Strategy<Value = Packet> {
    prop_oneof![2 => alone(), 1 => wrapped()]
}

/// The fixture with up to two tunnels whose inner packets are matched. Each of them makes the lists longer.
pub(in crate::lower) fn looked_into(mut model: Model, tunnels: u16) -> Model {
    let count = u16::try_from(model.tunnels.len()).unwrap();
    for index in [tunnels % count, tunnels / count % count] {
        let tunnel = &mut model.tunnels[usize::from(index)];
        let secret = [TunnelKind::Wireguard, TunnelKind::L2tp, TunnelKind::Other].contains(&tunnel.kind);
        tunnel.inner.value = if secret { Inner::Opaque } else { Inner::Match };
    }
    model
}

/// Changes a packet so that an alternative is likely to match it: some random values become values of the alternative.
pub(in crate::lower) fn towards(mut packet: Packet, asked: &Alternative, chance: u16) -> Packet {
    if let Some((wrapping, inside)) = packet.inside.take() {
        let inside = towards(*inside, asked, chance);
        packet.mark = inside.mark;
        packet.inside = Some((wrapping, Box::new(inside)));
        return packet;
    }
    if chance & 1 == 0 {
        // a packet that claims to be a tunnel packet but has no inner packet is outside the scope of the lists
        if let Some(protocol) = asked.protocol.first().filter(|protocol| ![4, 41, 47].contains(&protocol.0)) {
            packet.protocol = protocol.0;
        }
        (packet.ip_options, packet.fragment) = (0, 0x4000);
    }
    // if several conditions must hold, random packets rarely satisfy all of them
    if !asked.tcp.is_empty() && chance & 9 != 9 {
        (packet.ip_options, packet.fragment) = (0, 0x4000);
        match asked.tcp.first() {
            Some(TcpKind::Ack) => {
                (packet.protocol, packet.tcp_flags) = (6, 0x10 | packet.tcp_flags & 0xe8);
                if chance & 0x30 != 0 {
                    packet.tcp_flags &= !0x08;
                }
                if chance & 0x40 == 0 {
                    packet.payload = 0;
                }
            }
            Some(kind) => (packet.protocol, packet.tcp_flags) = (6, kind.flags().1 | packet.tcp_flags),
            None => {}
        }
    }
    if chance & 2 == 0 {
        for (asked, own) in
            [(&asked.local_port, &mut packet.local_port), (&asked.remote_port, &mut packet.remote_port)]
        {
            if let Some(range) = asked.as_ref().and_then(|set| set.ranges().first()) {
                *own = range.first + (chance >> 8).min(range.last - range.first);
            }
        }
        if let Some(range) = asked.port.as_ref().and_then(|set| set.ranges().last()) {
            packet.remote_port = range.last;
        }
    }
    if chance & 4 == 0 {
        packet.dscp = asked.dscp.first().map_or(packet.dscp, |dscp| dscp.bits());
        packet.ecn = asked.ecn.first().map_or(packet.ecn, |ecn| ecn.bits());
        packet.mark = asked.mark.first().map_or(packet.mark, |mark| mark.value);
    }
    if packet.protocol == 17 && [packet.local_port, packet.remote_port].contains(&4789) {
        packet.payload = packet.payload.max(99);
    }
    packet
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// The selectors match the bytes of a packet if and only if the alternative matches the packet.
    #[test]
    fn selectors_match_exactly_the_packets_of_the_alternative(
        asked in any_alternative(500), packet in any_packet(), chance in any::<u16>(), trust in any::<bool>(),
        tunnels in any::<u16>(),
    ) {
        let mut model = looked_into(model(vec![]), tunnels);
        model.link.trust_dscp.value = trust;
        let Ok(match_set) = MatchSet::of(&asked, &Prepared::new(&model, &Budget::default())) else { return Ok(()) };
        let packet = towards(packet, &asked, chance);
        let taken = match_set.get(packet.direction, packet.family()).iter().any(|selector| packet.meets(selector));
        prop_assert_eq!(taken, packet.is(&asked, &model), "{:?}", match_set.get(packet.direction, packet.family()));
    }

    /// The intersection matches a packet if and only if both match sets do.
    #[test]
    fn an_intersection_matches_what_both_match_sets_match(
        one in any_alternative(15), other in any_alternative(15), packet in any_packet(), chance in any::<u16>(),
        tunnels in any::<u16>(),
    ) {
        let model = looked_into(model(vec![]), tunnels);
        let (Ok(left), Ok(right)) = (MatchSet::of(&one, &Prepared::new(&model, &Budget::default())), MatchSet::of(&other, &Prepared::new(&model, &Budget::default()))) else { return Ok(()) };
        // a million pairs prove no more than a few
        let few = |match_set: &MatchSet| DIRECTIONS_AND_FAMILIES.iter().all(|(direction, family)| match_set.get(*direction, *family).len() < 50);
        if !few(&left) || !few(&right) {
            return Ok(());
        }
        let Ok(both) = left.and(&right) else { return Ok(()) };
        let packet = towards(packet, &one, chance);
        let met = |match_set: &MatchSet| {
            match_set.get(packet.direction, packet.family()).iter().any(|selector| packet.meets(selector))
        };
        prop_assert_eq!(met(&both), met(&left) && met(&right));
    }
}

/// The two properties above would also hold for matches that no packet satisfies, so this test checks that enough do.
#[test]
fn random_packets_match_often_enough() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let model = model(vec![]);
    let met = (0..2000u16).filter(|chance| {
        let asked = any_alternative(500).new_tree(&mut runner).unwrap().current();
        let packet = any_packet().new_tree(&mut runner).unwrap().current();
        towards(packet, &asked, *chance).is(&asked, &model)
    });
    let met = met.count();
    assert!((200..1800).contains(&met), "{met} of 2000");
}

fn obstacles_of(asked: Alternative, direction: Option<Direction>) -> Vec<String> {
    let model = model(vec![]);
    assert!(MatchSet::of(&asked, &Prepared::new(&model, &Budget::default())).unwrap().is_nothing(direction));
    obstacles(&asked, &Prepared::new(&model, &Budget::default()), direction)
}

#[test]
fn the_reason_why_no_packet_matches_is_stated() {
    let ef = vec![Dscp::new(46).unwrap()];
    let down = Some(Direction::Down);
    assert_eq!(
        obstacles_of(Alternative { dscp: ef.clone(), direction: down, ..anything() }, None),
        ["the DSCP of downloads is not matched, because any sender can set it"]
    );
    assert_eq!(
        obstacles_of(Alternative { dscp: ef, ..anything() }, down),
        ["the DSCP of downloads is not matched, because any sender can set it"]
    );
    let six = Some(Family::Ipv6);
    assert_eq!(
        obstacles_of(Alternative { protocol: vec![Protocol::ICMP], family: six, ..anything() }, None),
        ["IPv6 has none of its protocols"]
    );
    assert_eq!(
        obstacles_of(Alternative { hosts: vec![1], family: six, ..anything() }, None),
        ["its `host` has no IPv6 address"]
    );
    assert_eq!(
        obstacles_of(
            Alternative {
                local: addresses(&["192.168.1.5"]),
                remote: addresses(&["2001:db8::1"]),
                ..anything()
            },
            None
        ),
        ["its `remote` has no IPv4 address", "its `local` has no IPv6 address"]
    );
    assert_eq!(
        obstacles_of(Alternative { tunnels: vec![1], family: Some(Family::Ipv4), ..anything() }, None),
        ["the outer packets of its tunnel are not IPv4"]
    );
    let short = vec![LengthRange { min: 0, max: 30 }];
    assert_eq!(
        obstacles_of(Alternative { length: short.clone(), family: six, ..anything() }, None),
        ["no IPv6 packet is that short"]
    );
    assert_eq!(
        obstacles_of(
            Alternative { length: short, tcp: vec![TcpKind::Syn], family: Some(Family::Ipv4), ..anything() },
            None
        ),
        ["no IPv4 packet with TCP is that short"]
    );
    assert_eq!(
        obstacles_of(Alternative { direction: Some(Direction::Up), ..anything() }, down),
        ["it is for the other direction"]
    );
    let by_device = |asked: Alternative| Alternative { devices: vec![0], ..asked };
    assert_eq!(
        obstacles_of(by_device(anything()), Some(Direction::Up)),
        ["only downloads are matched by their `device`"]
    );
    let mark = vec![Mark { value: 0x10, mask: 0xff }];
    assert_eq!(
        obstacles_of(by_device(Alternative { mark, ..anything() }), down),
        ["the mark of a connection is only restored at the WAN device"]
    );
    assert_eq!(
        obstacles_of(by_device(Alternative { tunnels: vec![1], ..anything() }), down),
        ["packets of its `tunnel` come by another device"]
    );
}

/// Behind NAT, downloads by another device of the line show the address of the host, and no mark of it.
#[test]
fn downloads_by_another_device_are_matched_by_the_packet_alone() {
    let mut model = model(vec![]);
    model.lan.nat.value = true;
    let device: IfName = "eth1.8".parse().unwrap();
    let own = crate::model::Val::default(device.clone(), "test");
    model.link.devices = vec![LinkDevice { device: own, up: None }];
    let asked = Alternative { devices: vec![0], local: addresses(&["192.168.1.20"]), ..anything() };
    let match_set = MatchSet::looked_up(&asked, &Prepared::new(&model, &Budget::default())).unwrap();
    let [taken] = match_set.get(Direction::Down, Family::Ipv4) else { panic!("{match_set:?}") };
    assert_eq!((taken.came_by.as_ref(), taken.mark), (Some(&device), None));
    assert_eq!(taken.words.keys().collect::<Vec<_>>(), [&16], "the destination");
    assert!(match_set.get(Direction::Up, Family::Ipv4).is_empty());
}

#[test]
fn too_many_combinations_are_rejected() {
    let model = model(vec![]);
    let some = |count: u16| ports(&(0..count).map(|n| (2 * n + 1, 2 * n + 1)).collect::<Vec<_>>());
    let asked = |local: u16, remote: u16| Alternative {
        span: span(1),
        protocol: vec![Protocol::UDP],
        local_port: Some(some(local)),
        remote_port: Some(some(remote)),
        ..anything()
    };
    let match_set = MatchSet::looked_up(&asked(40, 100), &Prepared::new(&model, &Budget::default())).unwrap();
    assert_eq!(match_set.get(Direction::Up, Family::Ipv4).len(), COMPARED);
    assert_eq!(
        MatchSet::looked_up(&asked(41, 100), &Prepared::new(&model, &Budget::default())),
        Err(TooLarge)
    );
}
