//! Long lists of hosts in a hash table: the script behaves like any other, and each packet is counted in its host's
//! class.

use crate::classify::FamilyDirection;
use crate::counters::Counters;
use crate::house::House;
use crate::life_cycle::lives;
use crate::packet::Packet;
use crate::report::Report;
use crate::uml::Machine;
use qosc_compiler::tc::Classifier;
use std::fmt::Write as _;

/// More hosts than qosc matches with single filters.
const HOSTS: usize = 100;

/// Each host has its own address. A network that is also a host contains the last ten.
fn house(nat: bool) -> House {
    let mut yaml = format!(
        "name: many\n\
         link: {{ device: eth0, profile: docsis, up: 50mbit, down: 100mbit }}\n\
         lan: {{ device: br-lan, networks: [10.200.0.0/16], nat: {nat} }}\n\
         tuning: {{ offloads: keep }}\n\
         classes: {{ rest: {{ default: true, share: per-flow }} }}\n\
         hosts:\n  around: {{ address: [10.200.1.0/24, \"2001:db8:1::100/120\"], ceiling: 40% }}\n"
    );
    for host in 1..=HOSTS {
        let (place, three) = if host > HOSTS - 10 { (1, "1") } else { (2, "2") };
        let _ = writeln!(
            yaml,
            "  h{host}: {{ address: [10.200.{place}.{host}, \"2001:db8:1::{three}{host:02x}\"], ceiling: 50% }}"
        );
    }
    House::of("many", yaml.into_bytes()).with_calls()
}

/// A packet of the host with this number, or of an address that is no host's.
fn packet(family_direction: FamilyDirection, host: usize) -> Packet {
    let place = if host > HOSTS - 10 { 1 } else { 2 };
    family_direction.local([&format!("10.200.{place}.{host}"), &format!("2001:db8:1::{place}{host:02x}")])
}

fn classifiers(house: &House) -> Vec<Classifier> {
    let mut found: Vec<Classifier> = house.program.filters.iter().map(|filter| filter.classifier).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn judge(report: &Report, house: &House, shots: &[(FamilyDirection, String)]) {
    report.expect_code("dash/start", 0);
    let mut before = Counters::of(&house.program, &report.text("out/0.counters"));
    let mut wrong = Vec::new();
    for (number, (family_direction, class)) in shots.iter().enumerate() {
        let after = Counters::of(&house.program, &report.text(&format!("out/{}.counters", number + 1)));
        let landed = after.since(&before, family_direction.up);
        before = after;
        // The lab's own packets may be counted too.
        if landed.get(class).is_none_or(|packets| *packets < 5) || landed.values().any(|count| *count > 7) {
            let (up, v6) = (family_direction.up, family_direction.v6);
            wrong.push(format!("shot {number}, up {up}, IPv6 {v6}: {landed:?}, not {class}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn addresses_are_looked_up_in_hash_tables() {
    let house = house(false);
    assert_eq!(classifiers(&house), [Classifier::U32, Classifier::Hash]);
    lives("many hosts", &house, Machine::Virtual);
    let (mut guest, mut shots) = (house.guest("many hosts, counted"), Vec::new());
    for host in [1, 2, 57, 90, 91, 100, 101, 250] {
        for up in [true, false] {
            for v6 in [true, false] {
                let family_direction = FamilyDirection { up, v6 };
                let class = if host > HOSTS { "rest/around".to_owned() } else { format!("rest/h{host}") };
                shots.push((family_direction, class));
                let place = if up { "eth0" } else { "net/eth0" };
                guest = guest
                    .file(&format!("shots/{}", shots.len()), packet(family_direction, host).line(place, 5));
            }
        }
    }
    let Some(report) = guest.variable("SHOTS", &(shots.len() + 1).to_string()).run("classify.sh") else {
        return;
    };
    judge(&report, &house, &shots);
}

#[test]
fn marks_are_looked_up_in_hash_tables() {
    let house = house(true);
    assert_eq!(classifiers(&house), [Classifier::U32, Classifier::Hash, Classifier::Fw]);
    lives("many hosts behind NAT", &house, Machine::Virtual);
    let field = house.model.marks.as_ref().and_then(|marks| marks.address.as_ref()).expect("marks");
    let (mut guest, mut shots) = (house.guest("many marks, counted"), Vec::new());
    let family_direction = FamilyDirection { up: true, v6: false };
    for (index, host) in house.model.hosts.iter().enumerate().step_by(9) {
        // Addresses in a network that have a class of their own keep their own marks.
        let others: Vec<usize> = (0..=HOSTS).filter(|other| *other != index).collect();
        let others = field.hosts(&others);
        let own =
            field.hosts(&[index]).into_iter().filter(|mark| host.name != "around" || !others.contains(mark));
        for mark in own.take(1) {
            let class = format!("rest/{}", host.name);
            shots.push((family_direction, class));
            let packet = family_direction.packet().mark(mark | 0x10);
            guest = guest.file(&format!("shots/{}", shots.len()), packet.line("eth0", 5));
        }
    }
    let Some(report) = guest.variable("SHOTS", &(shots.len() + 1).to_string()).run("classify.sh") else {
        return;
    };
    judge(&report, &house, &shots);
}

/// Ports of several classes overlap, at both ends and in several protocols: the first match decides, in every bucket.
#[test]
fn ports_are_looked_up_in_hash_tables() {
    let list = |first: usize, step: usize, count: usize| {
        let ports: Vec<String> = (0..count).map(|number| (first + step * number).to_string()).collect();
        ports.join(", ")
    };
    let yaml = format!(
        "name: many\n\
         link: {{ device: eth0, profile: docsis, up: 50mbit, down: 100mbit }}\n\
         lan: {{ device: br-lan, networks: [10.200.0.0/16], nat: false }}\n\
         tuning: {{ offloads: keep }}\n\
         classes:\n  one: {{ match: [{{ family: ipv4, protocol: udp, remote_port: [{}] }}, {{ protocol: [udp, tcp], port: [{}] }}] }}\n  \
         two: {{ match: [{{ family: ipv4, protocol: udp, remote_port: [5000-5003, 5010-8001, {}] }}] }}\n  \
         three: {{ match: [{{ local: 10.200.9.9 }}, {{ protocol: udp, port: 1001-60000 }}] }}\n  rest: {{ default: true }}\n",
        list(5_000, 2, 1_100),
        list(10_000, 3, 20),
        list(30_000, 2, 50),
    );
    let house = House::of("many", yaml.into_bytes());
    assert_eq!(classifiers(&house), [Classifier::U32, Classifier::Hash]);
    let (mut guest, mut shots) = (house.guest("many ports, counted"), Vec::new());
    for (local, remote, class) in [
        (900, 5_000, "one"),
        (900, 5_001, "two"),
        (900, 5_004, "one"),
        (900, 5_005, "three"),
        (900, 7_198, "one"),
        (900, 7_199, "two"),
        (900, 8_001, "two"),
        (900, 8_002, "three"),
        (900, 30_002, "two"),
        (900, 30_003, "three"),
        (10_003, 30_002, "one"),
        (10_004, 30_002, "two"),
        (10_004, 900, "three"),
        (900, 60_000, "three"),
        (900, 60_001, "rest"),
    ] {
        for (up, v6) in [(true, false), (true, true), (false, false), (false, true)] {
            let family_direction = FamilyDirection { up, v6 };
            let (from, to) = if up { (local, remote) } else { (remote, local) };
            let packet = family_direction.packet();
            // The long lists are of IPv4.
            let class =
                if v6 && class != "rest" && local == 900 || v6 && class == "two" { "three" } else { class };
            let mut packets = vec![(packet.clone().udp(from, to), class)];
            if !v6 {
                // No port is found behind options or in a fragment, and a packet may end before any port.
                packets.push((packet.clone().udp(from, to).ip_options(1), "rest"));
                packets.push((packet.clone().udp(from, to).later_fragment(), "rest"));
            }
            packets.push((packet, "rest"));
            for (packet, class) in packets {
                shots.push((family_direction, class.to_owned()));
                let place = if up { "eth0" } else { "net/eth0" };
                guest = guest.file(&format!("shots/{}", shots.len()), packet.line(place, 5));
            }
        }
    }
    let Some(report) = guest.variable("SHOTS", &(shots.len() + 1).to_string()).run("classify.sh") else {
        return;
    };
    judge(&report, &house, &shots);
}
