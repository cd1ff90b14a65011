//! Test of the results against every packet of a small world.

use super::part::MatcherValue;
use super::{Look, Part, STEPS, taken};
use crate::compile::{Options, Stage, compile};
use crate::diag::FileId;
use crate::model::{Alternative, Model, TcpKind};
use crate::units::{Address, Dscp, Family, LengthRange, Mark, Protocol};
use proptest::prelude::{Just, Strategy, prop_assert, prop_oneof, proptest};
use proptest::sample::{select, subsequence};
use std::cell::Cell;
use std::str::FromStr;
use std::sync::LazyLock;

/// A household with three hosts; the second is a part of the third.
static MODEL: LazyLock<Model> = LazyLock::new(|| household("{ rest: { share: per-host } }"));

/// Looks at the household, with all comparisons left.
fn look() -> Look<'static> {
    Look { model: &MODEL, steps: Box::leak(Box::new(Cell::new(STEPS))) }
}

/// The household with these classes.
fn household(classes: &str) -> Model {
    let text = format!(
        "link: {{ device: eth0, profile: docsis, up: 50mbit, down: 100mbit }}\nlan: {{ nat: false }}\n\
         hosts:\n  a: {{ address: [192.168.1.1, \"::1/-64\"] }}\n  b: {{ address: 192.168.1.9 }}\n  c: {{ address: 192.168.1.8/29 }}\n\
         classes: {classes}\n"
    );
    let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors());
    compiled.model.unwrap()
}

/// Values taken from a class `late` and the classes that take them, as in `host a by one`.
fn said(before: &str, late: &str) -> Vec<String> {
    let model = household(&format!("{{ {before}, late: {{ match: [{late}] }}, rest: {{ default: true }} }}"));
    let found = taken(&model);
    let words = found.iter().map(|taken| {
        let by: Vec<&str> = taken.by.iter().map(|(class, _)| class.name.as_str()).collect();
        assert_eq!(taken.leaf.name, "late");
        format!("{} by {}", taken.values.join(", "), by.join(", "))
    });
    words.collect()
}

#[test]
fn each_covered_value_names_the_class_that_takes_it() {
    let before = "one: { match: [{ host: a }] }, two: { match: [{ host: b, protocol: tcp }] }";
    assert_eq!(
        said(before, "{ host: [a, b, c], protocol: [tcp, udp] }"),
        ["host a by one"],
        "of b there is udp"
    );
    assert_eq!(said(before, "{ host: [a, b], protocol: tcp }"), [" by one, two"]);
}

#[test]
fn a_value_that_the_class_already_takes_is_not_lost() {
    let before = "two: { match: [{ host: b, protocol: tcp }] }";
    let late = "{ host: a }, { host: [a, b, c], protocol: [tcp, udp] }";
    assert_eq!(said(before, late), [""; 0]);
    assert_eq!(said("two: { match: [{ host: b }] }", late), ["host b by two"], "and a only by its own class");
}

#[test]
fn tcp_flags_are_separate_values() {
    let before = "one: { match: [{ tcp: syn }] }";
    assert_eq!(said(before, "{ tcp: [syn, fin] }"), ["tcp syn by one"]);
    assert_eq!(said(before, "{ tcp: syn, host: a }"), [" by one"]);
    assert_eq!(said(before, "{ tcp: ack }"), [""; 0]);
    assert_eq!(
        said("one: { match: [{ tcp: [ack, syn] }] }, two: { match: [{ tcp: rst }] }", "{ tcp: [syn, rst] }"),
        [" by one, two"]
    );
    assert_eq!(said("one: { match: [{ protocol: tcp }] }", "{ tcp: fin }"), [" by one"]);
}

/// A packet, as far as matches look at it.
#[derive(Debug, Clone)]
struct Packet {
    local: Address,
    remote: Address,
    protocol: Protocol,
    ports: (u16, u16),
    dscp: Dscp,
    mark: u32,
    length: u16,
    /// TCP flags; `None` for other protocols.
    flags: Option<u8>,
}

fn addresses(texts: &[&str]) -> Vec<Address> {
    texts.iter().map(|text| Address::from_str(text).unwrap()).collect()
}

/// True if one address is in the other. This repeats the rule's definition for single addresses, but shares no code
/// with it.
fn is_in(one: Address, wide: Address) -> bool {
    match (one, wide) {
        (Address::V4(one), Address::V4(wide)) => wide.contains(&one.addr()),
        (Address::V6(one), Address::V6(wide)) => wide.contains(&one.addr()),
        (Address::V6(one), Address::V6Interface { part, bits }) => {
            let mask = (1u128 << bits) - 1;
            one.addr().to_bits() & mask == part.to_bits() & mask
        }
        _ => false,
    }
}

/// The rule's own definition of flags: ACK without SYN, FIN, RST and PSH, or the flag by its name.
fn is_kind(kind: TcpKind, flags: u8) -> bool {
    match kind {
        TcpKind::Ack => flags & 0x10 != 0 && flags & 0x0f == 0,
        TcpKind::Syn => flags & 0x02 != 0,
        TcpKind::Fin => flags & 0x01 != 0,
        TcpKind::Rst => flags & 0x04 != 0,
    }
}

fn meets(model: &Model, a: &Alternative, packet: &Packet) -> bool {
    let asked = |list: &[Address], one: Address| list.is_empty() || list.iter().any(|wide| is_in(one, *wide));
    let of_host =
        |host: &usize| model.hosts[*host].addresses.iter().any(|own| is_in(packet.local, own.value));
    let port = |ports: &Option<crate::units::PortSet>, of: &[u16]| {
        ports.as_ref().is_none_or(|set| {
            set.ranges().iter().any(|range| of.iter().any(|port| (range.first..=range.last).contains(port)))
        })
    };
    (a.hosts.is_empty() || a.hosts.iter().any(of_host))
        && asked(&a.local, packet.local)
        && asked(&a.remote, packet.remote)
        && (a.protocol.is_empty() || a.protocol.contains(&packet.protocol))
        && port(&a.local_port, &[packet.ports.0])
        && port(&a.remote_port, &[packet.ports.1])
        && port(&a.port, &[packet.ports.0, packet.ports.1])
        && (a.dscp.is_empty() || a.dscp.contains(&packet.dscp))
        && (a.mark.is_empty() || a.mark.iter().any(|mark| packet.mark & mark.mask == mark.value))
        && a.family.is_none_or(|family| packet.local.family() == family)
        && (a.length.is_empty()
            || a.length.iter().any(|range| (range.min..=range.max).contains(&packet.length)))
        && (a.tcp.is_empty()
            || packet.flags.is_some_and(|flags| a.tcp.iter().any(|kind| is_kind(*kind, flags))))
}

const LOCAL: [&str; 5] = ["192.168.1.1", "192.168.1.9", "192.168.1.10", "2001:db8::1", "2001:db8::2"];
const WIDE: [&str; 6] =
    ["192.168.1.0/24", "192.168.1.8/29", "192.168.1.9", "2001:db8::/64", "::1/-64", "2001:db8::1"];

fn some<T: Clone + std::fmt::Debug + 'static>(of: Vec<T>) -> impl Strategy<Value = Vec<T>> {
    let most = of.len().min(2);
    subsequence(of, 0..=most)
}

fn alternative() -> impl Strategy<Value = Alternative> {
    let protocols = some(vec![Protocol::TCP, Protocol::UDP, Protocol::ICMP, Protocol::ICMPV6]);
    let ports = || some(vec!["1-3", "2", "3-4", "9"]);
    let lengths = some(vec![(0, 99), (50, 80), (100, 200)]);
    let marks = some(vec![(0x10, 0xff), (0x10, 0x10), (0x01, 0x0f)]);
    let family = select(vec![None, None, None, Some(Family::Ipv4), Some(Family::Ipv6)]);
    let dscps = some(vec![Dscp::new(46).unwrap(), Dscp::new(8).unwrap()]);
    let kinds = vec![TcpKind::Ack, TcpKind::Syn, TcpKind::Fin, TcpKind::Rst];
    let tcp = prop_oneof![3 => Just(vec![]), 1 => subsequence(kinds, 1..=4)];
    let first = (
        some(vec![0usize, 1, 2]),
        some(addresses(&WIDE)),
        some(addresses(&["203.0.113.0/24", "203.0.113.7"])),
        protocols,
    );
    let second = (ports(), ports(), ports(), lengths, marks, family, dscps, tcp);
    (first, second).prop_map(
        |((hosts, local, remote, protocol), (a, b, c, lengths, marks, family, dscp, tcp))| {
            let set = |ports: Vec<&str>| {
                (!ports.is_empty()).then(|| {
                    ports.iter().map(|text| crate::units::PortRange::from_str(text).unwrap()).collect()
                })
            };
            let whole = crate::model::Host {
                of: None,
                each: false,
                name: String::new(),
                span: crate::diag::Span { file: FileId(0), start: 0, end: 0, line: 1, column: 1 },
                addresses: Vec::new(),
                mac: Vec::new(),
                is_router: false,
                home: crate::model::Val::default(crate::model::ClassId(1), ""),
                guarantee: crate::model::PerDirection { up: None, down: None },
                ceiling: crate::model::PerDirection { up: None, down: None },
            };
            Alternative {
                hosts,
                local,
                remote,
                protocol,
                local_port: set(a),
                remote_port: set(b),
                port: set(c),
                dscp,
                mark: marks.into_iter().map(|(value, mask)| Mark { value, mask }).collect(),
                family,
                length: lengths.into_iter().map(|(min, max)| LengthRange { min, max }).collect(),
                tcp,
                ..Alternative::of_host(0, &whole)
            }
        },
    )
}

fn packet() -> impl Strategy<Value = Packet> {
    let first = (select(addresses(&LOCAL)), select(vec![1u16, 2, 3, 4, 9]), select(vec![1u16, 2, 3, 4, 9]));
    let protocol = select(vec![Protocol::TCP, Protocol::UDP, Protocol::ICMP, Protocol::ICMPV6]);
    let second = (
        protocol,
        select(vec![0u8, 8, 46]),
        select(vec![0u32, 0x10, 0x11, 0x31]),
        select(vec![10u16, 60, 90, 150]),
    );
    (first, second, select(vec!["203.0.113.7", "203.0.113.8", "2001:db8:f::1"]), 0u8..32).prop_map(
        |((local, own, far), (protocol, dscp, mark, length), remote, flags)| Packet {
            local,
            remote: Address::from_str(remote).unwrap(),
            protocol,
            ports: (own, far),
            dscp: Dscp::new(dscp).unwrap(),
            mark,
            length,
            flags: (protocol == Protocol::TCP).then_some(flags),
        },
    )
}

/// The values taken from each class of a house with tunnels, as in `direction up of office`; `all of` for all packets.
fn in_tunnels(classes: &str) -> Vec<String> {
    let text = format!(
        "link: {{ device: eth0, profile: docsis, up: 50mbit, down: 100mbit }}
hosts: {{ a: {{ address: 192.168.1.1 }}, box: {{ self: true }} }}
tunnels:
  friends: {{ kind: wireguard, device: wg0 }}
  office: {{ kind: wireguard, device: wg1, remote: 198.51.100.7 }}
  other: {{ kind: wireguard, device: wg2, remote: 198.51.100.8, port: 1234 }}
  vps: {{ kind: ipip, device: t0, remote: 198.51.100.9 }}
  theirs: {{ kind: gre, remote: 198.51.100.9, inner: opaque }}
classes: {{ {classes}, rest: {{ default: true }} }}
"
    );
    let model = compile(text, &Options::of("home.yaml").last(Stage::Model)).model.unwrap();
    let of = |values: &[String]| if values.is_empty() { "all".to_owned() } else { values.join(", ") };
    taken(&model).iter().map(|taken| format!("{} of {}", of(&taken.values), taken.leaf.name)).collect()
}

#[test]
fn the_packets_around_those_of_a_tunnel_are_taken_by_the_router_and_by_tunnels_with_any_end() {
    let after = |first: &str, second: &str| {
        in_tunnels(&format!("first: {{ match: {first} }}, late: {{ match: {second} }}"))
    };
    let friends = "{ tunnel: friends }";
    assert_eq!(after(friends, "{ tunnel: office }"), ["direction up of late"], "downloads are decrypted");
    assert_eq!(after("{ tunnel: friends, direction: up }", "{ tunnel: office }"), ["direction up of late"]);
    assert_eq!(after("{ tunnel: friends, direction: down }", "{ tunnel: office }"), [""; 0]);
    assert_eq!(after(friends, "{ tunnel: office, direction: up }"), ["all of late"]);
    assert_eq!(after(friends, "{ tunnel: other }"), [""; 0], "it has another port");
    assert_eq!(after(friends, "{ tunnel: vps }"), [""; 0], "it is of another kind");
    assert_eq!(after("{ tunnel: friends, protocol: udp }", "{ tunnel: office }"), [""; 0]);
    assert_eq!(after("{ tunnel: friends, direction: up }", friends), [""; 0], "the rest is meant");
    assert_eq!(after("{ tunnel: office }", friends), [""; 0]);
    let router = "{ host: box }";
    assert_eq!(after(router, "{ tunnel: office }"), ["direction up of late"]);
    assert_eq!(after(router, "{ tunnel: vps, host: a, protocol: tcp }"), ["all of late"]);
    assert_eq!(after(router, "{ tunnel: theirs }"), [""; 0], "a host may send it");
    assert_eq!(after("{ host: box, family: ipv4 }", "{ tunnel: vps }"), [""; 0]);
    assert_eq!(after("{ host: a }", "{ tunnel: vps }"), [""; 0]);
}

/// The alternative with the values of a part.
fn alternative_of(part: &Part<'_>) -> Alternative {
    let mut all = Alternative { family: part.family, ..Alternative::any(part.own.span, "") };
    for (key, value) in part.keys.iter().flat_map(|(key, values)| values.iter().map(|value| (*key, *value))) {
        let mut ports = None;
        match value {
            MatcherValue::Host(value) => all.hosts.push(value),
            MatcherValue::Address(value) if key == "local" => all.local.push(value),
            MatcherValue::Address(value) => all.remote.push(value),
            MatcherValue::Protocol(value) => all.protocol.push(value),
            MatcherValue::Ports(value) => ports = Some(value),
            MatcherValue::Dscp(value) => all.dscp.push(value),
            MatcherValue::Ecn(value) => all.ecn.push(value),
            MatcherValue::Mark(value) => all.mark.push(value),
            MatcherValue::Length(value) => all.length.push(value),
            MatcherValue::Tcp(value) => all.tcp.push(value),
            MatcherValue::Direction(value) => all.direction = Some(value),
        }
        let slot = match key {
            "local_port" => &mut all.local_port,
            "remote_port" => &mut all.remote_port,
            _ => &mut all.port,
        };
        let before = slot.iter().flat_map(|set| set.ranges()).copied();
        *slot = Some(before.chain(ports).collect())
            .filter(|set: &crate::units::PortSet| !set.ranges().is_empty());
    }
    all
}

/// True if such a packet can exist: both endpoints have the same family, and its protocol exists there.
fn is_real(packet: &Packet) -> bool {
    let family = packet.local.family();
    family == packet.remote.family()
        && (packet.protocol != Protocol::ICMP || family == Family::Ipv4)
        && (packet.protocol != Protocol::ICMPV6 || family == Family::Ipv6)
}

proptest! {
    #[test]
    fn packets_of_covered_matches_meet_the_covering_match(wide in alternative(), narrow in proptest::collection::vec(alternative(), 1..3), packets in proptest::collection::vec(packet(), 200)) {
        let parts: Vec<Part<'_>> = narrow.iter().map(Part::of).collect();
        if look().covers(&[Part::of(&wide)], &parts) {
            for packet in packets.iter().filter(|packet| is_real(packet)) {
                let all = narrow.iter().all(|part| meets(&MODEL, part, packet));
                prop_assert!(!all || meets(&MODEL, &wide, packet), "{packet:?}");
            }
        }
    }

    #[test]
    fn the_single_values_together_equal_the_match(whole in alternative(), packets in proptest::collection::vec(packet(), 100)) {
        let singles: Vec<Alternative> = Part::of(&whole).singles(look()).iter().map(alternative_of).collect();
        for packet in packets.iter().filter(|packet| is_real(packet)) {
            let any = singles.iter().any(|single| meets(&MODEL, single, packet));
            prop_assert!(any == meets(&MODEL, &whole, packet), "{packet:?}");
        }
    }

    #[test]
    fn a_match_covers_itself_and_narrower_matches(whole in alternative(), more in alternative()) {
        let part = Part::of(&whole);
        for single in part.singles(look()) {
            prop_assert!(look().covers(std::slice::from_ref(&part), std::slice::from_ref(&single)));
            prop_assert!(look().covers(std::slice::from_ref(&part), &[Part::of(&more), single]));
        }
    }
}
