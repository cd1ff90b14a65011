//! The kernel counts each packet in the class that `explain --packet` names: thousands of random packets, in both
//! directions.

use crate::classify::FamilyDirection;
use crate::counters::Counters;
use crate::house::House;
use crate::packet::{ACK, FIN, PSH, Packet, RST, SYN};
use crate::random::Random;
use crate::share::shared;
use crate::uml::Guest;
use qosc_preview::explain::packet::{End, Packet as Described, answer, meet};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Number of random packets.
const PACKETS: usize = 4000;
/// Number of packets that are sent together. All have left before the counters are read.
const AT_ONCE: usize = 100;

/// Values that the matches name, and their neighbours.
const LOCAL: [[&str; 2]; 10] = [
    ["10.0.0.5", "2001:db8:77::5"],
    ["10.0.0.4", "fd00::5"],
    ["10.0.1.128", "2001:db8:1:80::1"],
    ["10.0.1.127", "2001:db8:1:7f::1"],
    ["10.1.0.0", "2001:db8:1:100::"],
    ["10.0.255.255", "2001:db8:1:200::9"],
    ["10.9.9.9", "fd00::9"],
    ["10.2.0.1", "2001:db8:1:200::1"],
    ["10.2.0.2", "2001:db8:1:200::2"],
    ["10.200.0.9", "2001:db8:1:f00::9"],
];
const REMOTE: [[&str; 2]; 11] = [
    ["198.51.100.64", "2001:db8:beef::"],
    ["198.51.100.63", "2001:db8:beee:ffff::1"],
    ["198.51.100.7", "2001:db8:ffff::7"],
    ["198.51.100.8", "2001:db8:ffff::8"],
    ["203.0.113.9", "2001:db8:ffff::9"],
    ["192.0.2.1", "2001:db8:5::1"],
    ["192.0.2.9", "2001:db8:5::9"],
    ["192.0.2.128", "2001:db8:5:1::9"],
    ["192.0.2.200", "2001:db8:9::200"],
    ["203.0.113.8", "2001:db8:ffff::a"],
    ["203.0.113.127", "2001:db8:beef:ffff::1"],
];
const PORTS: [u16; 22] = [
    9, 53, 443, 999, 1000, 1194, 1543, 1701, 1999, 2000, 2500, 4789, 5004, 6004, 6880, 6881, 6999, 7000,
    8080, 8081, 50000, 51821,
];
const LENGTHS: [usize; 12] = [76, 99, 100, 199, 200, 299, 300, 399, 400, 999, 1000, 1400];
const PROTOCOLS: [u8; 20] =
    [4, 41, 47, 50, 51, 58, 1, 115, 132, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 210];
const DSCPS: [u8; 6] = [0, 46, 8, 5, 47, 9];
/// TCP flags, words of TCP options, and the description of both.
const FLAGS: [(u8, u8, &str); 8] = [
    (ACK, 3, "ack"),
    (ACK, 3, "ack"),
    (ACK, 3, "ack"),
    (SYN, 5, "syn"),
    (SYN | ACK, 5, "syn ack"),
    (FIN | ACK, 3, "fin"),
    (RST, 0, "rst"),
    (RST | ACK, 0, "rst ack"),
];
/// The ECN field, and its name.
const ECN: [(u8, &str); 4] = [(0, "not-ect"), (1, "ect1"), (2, "ect0"), (3, "ce")];
const MARKS: [u32; 4] = [0, 0x10, 0x20, 0x1_011f];

/// Draws a packet, as bytes and in words.
fn drawn(random: &mut Random, family_direction: FamilyDirection) -> (Packet, String) {
    let which = usize::from(family_direction.v6);
    let (local, remote) = (random.pick(&LOCAL)[which], random.pick(&REMOTE)[which]);
    let (from, to) = if family_direction.up { (local, remote) } else { (remote, local) };
    let (local_port, remote_port) = (random.pick(&PORTS), random.pick(&PORTS));
    let (from_port, to_port) =
        if family_direction.up { (local_port, remote_port) } else { (remote_port, local_port) };
    let dscp = if random.chance(70) { 0 } else { random.pick(&DSCPS) };
    let length = random.pick(&LENGTHS);
    let bare = Packet::new(from, to).dscp(dscp);
    let ends = |port: bool| {
        let end = |address: &str, number: u16| match (port, family_direction.v6) {
            (false, _) => address.to_owned(),
            (true, false) => format!("{address}:{number}"),
            (true, true) => format!("[{address}]:{number}"),
        };
        format!("{} > {}", end(from, from_port), end(to, to_port))
    };
    let (mut packet, mut words) = match random.within(0, 9) {
        0..=3 => (bare.udp(from_port, to_port).length(length), format!("udp {} length {length}", ends(true))),
        4..=6 => (
            bare.tcp(from_port, to_port, ACK | PSH, 0).length(length),
            format!("tcp {} length {length}", ends(true)),
        ),
        7 => {
            let (flags, options, named) = random.pick(&FLAGS);
            (bare.tcp(from_port, to_port, flags, options), format!("tcp {} {named}", ends(true)))
        }
        _ => {
            let mut protocol = random.pick(&PROTOCOLS);
            // ICMP of the other family is not a valid packet.
            if protocol == if family_direction.v6 { 1 } else { 58 } {
                protocol = 203;
            }
            let ported = protocol == 132;
            let packet = bare.udp(from_port, to_port).protocol(protocol).length(length);
            (packet, format!("{protocol} {} length {length}", ends(ported)))
        }
    };
    let (ecn, named) = random.pick(&ECN);
    packet = packet.ecn(ecn);
    let _ = write!(words, " dscp {dscp} ecn {named}");
    if family_direction.up && random.chance(20) {
        let mark = random.pick(&MARKS);
        packet = packet.mark(mark);
        let _ = write!(words, " mark {mark}");
    }
    (packet, format!("{} {words}", if family_direction.up { "up" } else { "down" }))
}

/// Lines for the sender, by direction and expected class.
type Expected = BTreeMap<(bool, String), Vec<String>>;

/// Returns the class of a packet, and checks that exactly one filter matches it.
#[track_caller]
fn class_of(house: &House, packet: &Described) -> String {
    let met = meet(&house.model, &house.program, packet);
    let End::Class { name, .. } = &met.end else { panic!("{packet:?}: {met:?}") };
    assert_eq!(met.asked.iter().filter(|asked| asked.takes).count(), 1, "{packet:?}: {met:?}");
    name.clone()
}

#[track_caller]
fn read(house: &House, words: &str) -> Described {
    Described::read(words, &house.model).unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// The classes of a packet in words and of its answer.
#[track_caller]
pub fn classes_of(house: &House, words: &str) -> [String; 2] {
    let packet = read(house, words);
    [class_of(house, &packet), class_of(house, &answer(&packet))]
}

#[test]
fn packets_are_counted_in_the_explained_class() {
    let house = House::case("every-match");
    let mut random = Random::new(7);
    let mut expected = Expected::new();
    for number in 0..PACKETS {
        let family_direction = FamilyDirection { up: number & 1 == 0, v6: number & 2 == 0 };
        let (packet, words) = drawn(&mut random, family_direction);
        let place = if family_direction.up { "eth0" } else { "net/eth0" };
        expected
            .entry((family_direction.up, class_of(&house, &read(&house, &words))))
            .or_default()
            .push(packet.line(place, 1));
    }
    assert!(expected.len() > 60, "only {} classes are met", expected.len());
    judge(&house, house.guest("explain-packet"), &expected);
}

/// Tunnels in which the kernel itself encapsulates: the name in the file, the device, and for each family that it
/// carries whether it is IPv6.
const TUNNELS: [(&str, &str, &[bool]); 6] = [
    ("ipip", "t-ipip", &[false]),
    ("sit", "t-sit", &[true]),
    ("gre", "t-gre", &[false, true]),
    ("vxlan", "t-vxlan", &[false, true]),
    ("ip6tnl", "t-6", &[false, true]),
    ("ip6gre", "t-6gre", &[false, true]),
];

#[test]
fn tunnelled_packets_are_counted_in_the_explained_class() {
    let house = House::of("inside", include_bytes!("inside_tunnels.yaml").to_vec());
    let mut random = Random::new(11);
    let mut expected = Expected::new();
    for number in 0..PACKETS {
        let (name, device, families) = random.pick(&TUNNELS);
        let family_direction = FamilyDirection { up: number & 1 == 0, v6: random.pick(families) };
        let (packet, words) = drawn(&mut random, family_direction);
        let class = class_of(&house, &read(&house, &format!("{words} in {name}")));
        let place = if family_direction.up { device.to_owned() } else { format!("net/{device}") };
        expected.entry((family_direction.up, class)).or_default().push(packet.line(&place, 1));
    }
    assert!(expected.len() > 30, "only {} classes are met", expected.len());
    judge(&house, house.guest("explained inside").variable("TUNNELS", "all"), &expected);
}

/// Sends packets to groups, and packets with each ECN field in both directions. The household is behind NAT.
fn groups_and_ecn(frames: &str) {
    let yaml = format!(
        "name: groups
link: {{ device: eth0, profile: vdsl2-pppoe-vlan, up: 100mbit, down: 100mbit, frames: {frames} }}
lan: {{ device: br-lan, nat: true }}
hosts: {{ tv: {{ address: [232.0.21.0/24, \"ff3e::21:0/112\"] }} }}
classes:
  iptv: {{ match: {{ local: [232.0.20.0/24, \"ff3e::20:0/112\"], protocol: udp }} }}
  tv: {{ match: {{ host: tv }} }}
  l4s: {{ match: {{ ecn: [ect1, ce], protocol: udp }} }}
  called: {{ match: {{ ecn: ect0, dscp: ef, direction: up }} }}
  rest: {{ default: true }}
"
    );
    let house = House::of("groups", yaml.into_bytes());
    let mut expected = Expected::new();
    let mut add = |up: bool, packet: Packet, words: &str, class: &str| {
        let direction = if up { "up" } else { "down" };
        assert_eq!(
            class_of(&house, &read(&house, &format!("{direction} {words} length 400"))),
            class,
            "{words}"
        );
        let packet = packet.length(400);
        let packet = if frames == "pppoe" { packet.in_pppoe() } else { packet };
        let place = if up { "eth0" } else { "net/eth0" };
        expected.entry((up, class.to_owned())).or_default().push(packet.line(place, 1));
    };
    for number in 0..60 {
        let group = number % 3 + 20;
        let class = ["iptv", "tv", "rest"][number % 3];
        let (four, six) = (format!("232.0.{group}.{number}"), format!("ff3e::{group}:{number}"));
        let packet = Packet::new("198.51.100.1", &four).udp(10_000, 10_000);
        add(false, packet, &format!("udp 198.51.100.1:10000 > {four}:10000"), class);
        let packet = Packet::new("2001:db8:9::1", &six).udp(10_000, 10_000);
        add(false, packet, &format!("udp [2001:db8:9::1]:10000 > [{six}]:10000"), class);
    }
    let ends = [("192.0.2.1", "198.51.100.1"), ("2001:db8:1::1", "2001:db8:9::1")];
    for (from, to) in ends.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]) {
        let up = from == ends[0].0 || from == ends[1].0;
        let end = |end: &str| if end.contains(':') { format!("[{end}]:7") } else { format!("{end}:7") };
        for ((bits, named), (dscp, protocol)) in ECN.iter().flat_map(|ecn| [(ecn, (0, 17)), (ecn, (46, 132))])
        {
            let class = match (named, dscp) {
                (&("ect1" | "ce"), 0) => "l4s",
                (&"ect0", 46) if up => "called",
                _ => "rest",
            };
            let packet = Packet::new(from, to).udp(7, 7).protocol(protocol).ecn(*bits).dscp(dscp);
            let words = format!("{protocol} {} > {} ecn {named} dscp {dscp}", end(from), end(to));
            add(up, packet, &words, class);
        }
    }
    judge(&house, house.guest(&format!("groups and ecn, {frames}")), &expected);
}

#[test]
fn packets_with_groups_and_ecn_are_counted_in_the_explained_class() {
    groups_and_ecn("ip");
}

#[test]
fn packets_with_groups_and_ecn_are_counted_in_the_explained_class_in_pppoe_frames() {
    groups_and_ecn("pppoe");
}

/// Sends all packets and checks that each is counted in its class.
fn judge(house: &House, mut guest: Guest, expected: &Expected) {
    let shots: Vec<(bool, &str, &[String])> = expected
        .iter()
        .flat_map(|((up, class), lines)| lines.chunks(AT_ONCE).map(move |some| (*up, class.as_str(), some)))
        .collect();
    let shots = shared(shots);
    for (number, (_, _, lines)) in shots.iter().enumerate() {
        guest = guest.file(&format!("shots/{}", number + 1), lines.concat());
    }
    let Some(report) = guest.variable("SHOTS", &(shots.len() + 1).to_string()).run("classify.sh") else {
        return;
    };
    report.expect_code("dash/start", 0);
    let mut before = Counters::of(&house.program, &report.text("out/0.counters"));
    let mut wrong = Vec::new();
    for (number, (up, class, lines)) in shots.iter().enumerate() {
        let after = Counters::of(&house.program, &report.text(&format!("out/{}.counters", number + 1)));
        let landed = after.since(&before, *up);
        before = after;
        // The lab may send packets of its own meanwhile, but at most four.
        let others: u64 = landed.iter().filter(|(name, _)| name != class).map(|(_, count)| count).sum();
        let (own, count) = (landed.get(*class).copied().unwrap_or_default(), lines.len() as u64);
        if own < count || own > count + 4 || others > 4 {
            wrong.push(format!("up {up}: {count} into {class}, not {landed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
