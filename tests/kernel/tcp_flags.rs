//! TCP packets are classified by their flags: every combination of FIN, SYN, RST, PSH and ACK, with and without options
//! and data. The test covers both directions and families, PPPoE frames, and every value of the ECN bits.

use crate::classify::FamilyDirection;
use crate::counters::Counters;
use crate::explain_packet::classes_of;
use crate::house::House;
use crate::packet::{ACK, FIN, PSH, Packet, RST, SYN};
use std::collections::{BTreeMap, BTreeSet};

/// A configuration with a class for a list of TCP kinds at one port, and a class for each kind. The class of
/// acknowledgements is the first, so that it would take packets of the others if its filters matched too much.
fn house(frames: &str) -> House {
    let text = format!(
        "name: flags\n\
         link: {{ device: eth0, profile: ethernet, up: 100mbit, down: 100mbit, frames: {frames} }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  \
           on-ack: {{ match: {{ tcp: ack }} }}\n  \
           listed: {{ match: {{ tcp: [syn, fin], local_port: 7 }} }}\n  \
           on-syn: {{ match: {{ tcp: syn }} }}\n  \
           on-fin: {{ match: {{ tcp: fin }} }}\n  \
           on-rst: {{ match: {{ tcp: rst }} }}\n  \
           rest: {{ default: true }}\n"
    );
    House::of("flags", text.into_bytes())
}

/// Length of the longest packet that counts as an acknowledgement.
fn longest(v6: bool) -> usize {
    if v6 { 103 } else { 127 }
}

/// The class that a packet belongs to, from the flags of RFC 9293 rather than from our filters. `short` is a packet no
/// longer than `longest`.
fn class(flags: u8, short: bool, local_port: u16) -> &'static str {
    let has = |flag: u8| flags & flag != 0;
    match () {
        () if local_port == 7 && (has(SYN) || has(FIN)) => "listed",
        () if has(SYN) => "on-syn",
        () if has(FIN) => "on-fin",
        () if has(RST) => "on-rst",
        () if has(ACK) && !has(PSH) && short => "on-ack",
        () => "rest",
    }
}

/// Packets of one direction and family, each with its class.
fn packets(family_direction: FamilyDirection) -> Vec<(&'static str, Packet)> {
    let mut all = Vec::new();
    for flags in (0..32u8).filter(|flags| flags & !(FIN | SYN | RST | PSH | ACK) == 0) {
        for (options, local) in [(0u8, 5), (3, 7), (10, 5)] {
            let (from, to) = if family_direction.up { (local, 6) } else { (6, local) };
            let packet = family_direction.packet().tcp(from, to, flags, options);
            let header = if family_direction.v6 { 60 } else { 40 } + 4 * usize::from(options);
            all.push((class(flags, true, local), packet.clone()));
            let longest = longest(family_direction.v6);
            for length in [header + 1, longest, longest + 1] {
                all.push((class(flags, length <= longest, local), packet.clone().length(length)));
            }
        }
    }
    // Two more flags belong to ECN and change nothing.
    let (from, to) = if family_direction.up { (5, 6) } else { (6, 5) };
    all.push(("on-ack", family_direction.packet().tcp(from, to, ACK | 0xc0, 3)));
    // The same bytes in packets where they are not a TCP header.
    for flags in [SYN, FIN, RST, ACK] {
        let packet = family_direction.packet().tcp(5, 6, flags, 0);
        all.push(("rest", packet.clone().protocol(17)));
        if !family_direction.v6 {
            all.push(("rest", packet.clone().later_fragment()));
            all.push(("rest", packet.ip_options(1)));
        }
    }
    all
}

fn judge(name: &str, house: &House, framed: impl Fn(Packet) -> Packet) {
    let family_directions = [(true, false), (true, true), (false, false), (false, true)]
        .map(|(up, v6)| FamilyDirection { up, v6 });
    let mut guest = house.guest(name);
    let mut shots: Vec<(FamilyDirection, BTreeMap<&str, u64>)> = Vec::new();
    for family_direction in family_directions {
        let place = if family_direction.up { "eth0" } else { "net/eth0" };
        let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
        let mut lines = String::new();
        for (number, (class, packet)) in packets(family_direction).into_iter().enumerate() {
            // Different counts reveal two packets that are swapped.
            let count = 1 + number % 3;
            *expected.entry(class).or_default() += count as u64;
            lines += &framed(packet.ecn((number % 4) as u8)).line(place, count);
        }
        shots.push((family_direction, expected));
        guest = guest.file(&format!("shots/{}", shots.len()), lines);
    }
    let Some(report) = guest.variable("SHOTS", &(shots.len() + 1).to_string()).run("classify.sh") else {
        return;
    };
    report.expect_code("dash/start", 0);
    let mut before = Counters::of(&house.program, &report.text("out/0.counters"));
    for (number, (family_direction, expected)) in shots.iter().enumerate() {
        let after = Counters::of(&house.program, &report.text(&format!("out/{}.counters", number + 1)));
        let landed = after.since(&before, family_direction.up);
        before = after;
        let classes: BTreeSet<&str> =
            expected.keys().copied().chain(landed.keys().map(String::as_str)).collect();
        assert_eq!(classes.len(), 6, "{landed:?}");
        for class in classes {
            let (wanted, got) =
                (expected.get(class).copied().unwrap_or(0), landed.get(class).copied().unwrap_or(0));
            // The lab sends a few packets of its own, but no TCP.
            let most = if class == "rest" { wanted + 8 } else { wanted };
            assert!(
                (wanted..=most).contains(&got),
                "up {}, IPv6 {}: {got} into {class}, not {wanted}\n{landed:?}",
                family_direction.up,
                family_direction.v6
            );
        }
    }
}

#[test]
fn are_matched_in_both_directions_and_families() {
    judge("flags", &house("ip"), |packet| packet);
}

#[test]
fn are_matched_in_pppoe_frames() {
    judge("flags-frames", &house("pppoe"), Packet::in_pppoe);
}

#[test]
fn explain_packet_agrees_with_the_counters() {
    let house = house("ip");
    for ends in ["192.168.1.9:PORT > 198.51.100.9:6", "[2001:db8:1::9]:PORT > [2001:db8:9::9]:6"] {
        for (words, flags, short) in [
            ("", ACK | PSH, true),
            ("ack", ACK, true),
            ("syn", SYN, true),
            ("syn ack", SYN | ACK, true),
            ("fin", FIN | ACK, true),
            ("fin length 1400", FIN | ACK, false),
            ("rst", RST, true),
            ("ack rst", RST | ACK, true),
        ] {
            for port in [5u16, 7] {
                let described = format!("up tcp {} {words}", ends.replace("PORT", &port.to_string()));
                assert_eq!(classes_of(&house, &described), [class(flags, short, port); 2], "{described}");
            }
        }
    }
}
