//! Packets inside a tunnel are classified as they would be without it. The test covers each kind of tunnel that does
//! not encrypt, both directions, and every key of a match. The kernel itself encapsulates and decapsulates. Packets
//! that match nothing else are in the class of their tunnel.

use crate::classify::FamilyDirection;
use crate::counters::Counters;
use crate::house::House;
use crate::packet::{ACK, FIN, PSH, Packet, RST, SYN};
use crate::uml::Guest;
use std::collections::BTreeMap;

/// A device through which packets are sent, the families that it carries (true for IPv6), and the class of packets that
/// match nothing else.
struct Into {
    device: &'static str,
    families: &'static [bool],
    class: &'static str,
}

const fn tunnel(device: &'static str, families: &'static [bool], class: &'static str) -> Into {
    Into { device, families, class }
}

const BOTH: &[bool] = &[false, true];

const DEVICES: [Into; 11] = [
    tunnel("eth0", BOTH, "rest"),
    tunnel("t-ipip", &[false], "in-ipip"),
    tunnel("t-sit", &[true], "in-sit"),
    tunnel("t-gre", BOTH, "in-gre"),
    tunnel("t-gre-all", BOTH, "in-gre"),
    tunnel("t-vxlan", BOTH, "in-vxlan"),
    tunnel("t-6", BOTH, "in-ip6tnl"),
    tunnel("t-6-bare", BOTH, "in-ip6tnl"),
    tunnel("t-6gre", BOTH, "in-ip6gre"),
    tunnel("t-6gre-key", BOTH, "in-ip6gre"),
    tunnel("t-6vxlan", BOTH, "in-vxlan"),
];

/// Packets that each satisfy a match of the case, and some that narrowly miss one. The class of the latter is `other`.
fn packets(
    family_direction: FamilyDirection,
    other: &'static str,
    only: bool,
) -> Vec<(&'static str, Packet)> {
    let packet = family_direction.packet();
    let up = family_direction.up;
    let header = if family_direction.v6 { 60 } else { 40 };
    let six = |class: &'static str| if family_direction.v6 { class } else { other };
    let upward = |class: &'static str| if up { class } else { other };
    let mut all = vec![
        ("on-ack", packet.clone().tcp(5, 6, ACK, 0)),
        ("on-ack", packet.clone().tcp(5, 6, ACK, 3)),
        (other, packet.clone().tcp(5, 6, ACK | SYN, 3)),
        ("on-flags", packet.clone().tcp(5, 6, ACK | FIN, 3)),
        ("on-flags", packet.clone().tcp(5, 6, RST, 0)),
        // A short packet counts as an acknowledgement, with or without payload.
        ("on-ack", packet.clone().tcp(5, 6, ACK, 0).length(header + 1)),
        (other, packet.clone().tcp(5, 6, ACK, 0).length(if family_direction.v6 { 104 } else { 128 })),
        (other, packet.clone().tcp(5, 6, ACK | PSH, 0)),
        (upward("on-mark"), packet.clone().mark(0x11)),
        (other, packet.clone().mark(0x20)),
        (other, packet.clone().dscp(45)),
        ("on-icmp", packet.clone().protocol(if family_direction.v6 { 58 } else { 1 })),
        (other, packet.clone().protocol(if family_direction.v6 { 1 } else { 58 })),
        ("on-protocol", packet.clone().protocol(200)),
        (other, packet.clone().protocol(199)),
        (six("on-family"), packet.clone().protocol(201)),
        (if up { "on-up" } else { "on-down" }, packet.clone().protocol(202)),
        (if only { "in-gre-of-one" } else { "on-one-of-all" }, packet.clone().protocol(210)),
    ];
    for ecn in 0..4 {
        all.push(("on-dscp", packet.clone().dscp(46).ecn(ecn)));
        all.push((other, packet.clone().dscp(47).ecn(ecn)));
    }
    for (length, class) in [(99, other), (100, "on-length"), (299, "on-length"), (300, other)] {
        all.push((class, packet.clone().protocol(203).length(length)));
    }
    for (local, class) in [
        (["10.0.0.5", "2001:db8:77::5"], "on-host"),
        (["10.0.0.4", "2001:db8:77:0:1::5"], other),
        (["10.1.0.0", "2001:db8:1:100::"], "on-local"),
        (["10.2.0.0", "2001:db8:1:200::9"], other),
    ] {
        all.push((class, family_direction.local(local)));
        all.push((other, family_direction.remote(local)));
    }
    for (remote, class) in
        [(["203.0.113.64", "2001:db8:beef::1"], "on-remote"), (["203.0.113.128", "2001:db8:bef0::1"], other)]
    {
        all.push((class, family_direction.remote(remote)));
        all.push((other, family_direction.local(remote)));
    }
    for (local, remote, class) in [
        (1000, 9, "on-local-port"),
        (1999, 9, "on-local-port"),
        (2000, 9, other),
        (9, 1500, other),
        (9, 53, "on-remote-port"),
        (53, 9, other),
    ] {
        all.push((class, family_direction.udp(packet.clone(), local, remote)));
    }
    all.push(("on-port", family_direction.tcp(packet.clone(), 9, 8080)));
    all.push(("on-port", family_direction.tcp(packet.clone(), 8080, 9)));
    all.push((other, family_direction.udp(packet.clone(), 8080, 9)));
    let server = family_direction.remote(["192.0.2.1", "2001:db8:5::1"]);
    all.push(("in-tree-one", family_direction.tcp(server, 9, 443)));
    all.push(("in-tree-rest", family_direction.tcp(packet.clone(), 9, 443)));
    if !family_direction.v6 {
        let dns = family_direction.udp(packet, 1500, 53);
        all.push((other, dns.clone().later_fragment()));
        all.push((other, dns.ip_options(1)));
    }
    all
}

#[test]
fn every_key_matches_inside_tunnels() {
    let house = House::of("inside", include_bytes!("inside_tunnels.yaml").to_vec());
    judge(&house, house.guest("inside-tunnels"), &DEVICES, &["in-gre", "in-ip6gre"]);
}

/// NAT outside a tunnel does not change how packets inside are classified: hosts are matched by address, not by mark.
#[test]
fn every_key_matches_inside_tunnels_behind_nat() {
    let text = include_str!("inside_tunnels.yaml").replace("nat: false", "nat: true");
    // Leaves out the hundreds of filters for GRE's header lengths, which take an emulated kernel minutes.
    let text =
        text.replace("gre: { kind", "gre: { inner: flows, kind").replace("[gre, ip6gre]", "[ipip, ip6tnl]");
    let house = House::of("inside", text.into_bytes());
    let guest = house.guest("inside behind NAT").variable("NAT", "masquerade");
    let few = ["t-ipip", "t-sit", "t-vxlan", "t-6"];
    let devices: Vec<Into> = DEVICES.into_iter().filter(|into| few.contains(&into.device)).collect();
    judge(&house, guest, &devices, &["in-ipip", "in-ip6tnl"]);
}

/// Sends packets through each device. In the tunnels of `own`, packets of protocol 210 have a class of their own.
fn judge(house: &House, mut guest: Guest, devices: &[Into], own: &[&str]) {
    let mut shots = Vec::new();
    for into in devices {
        for (up, v6) in [true, false].into_iter().flat_map(|up| into.families.iter().map(move |v6| (up, *v6)))
        {
            let place = if up { into.device.to_owned() } else { format!("net/{}", into.device) };
            let shot = packets(FamilyDirection { up, v6 }, into.class, own.contains(&into.class));
            let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
            let mut lines = String::new();
            for (class, packet) in shot {
                // Different counts reveal two packets that are swapped.
                let count = 1 + expected.len() % 3;
                *expected.entry(class).or_default() += count as u64;
                // Behind an Ethernet header, a word of a selector reads two bytes beyond the transport header; the
                // payload provides them.
                lines += &packet.payload(4).line(&place, count);
            }
            shots.push((format!("{place}, {}", if v6 { "IPv6" } else { "IPv4" }), up, expected));
            guest = guest.file(&format!("shots/{}", shots.len()), lines);
        }
    }
    let guest = guest.variable("SHOTS", &(shots.len() + 1).to_string()).variable("TUNNELS", "all");
    let Some(report) = guest.run("classify.sh") else { return };
    report.expect_code("dash/start", 0);

    let mut wrong = Vec::new();
    let mut before = Counters::of(&house.program, &report.text("out/0.counters"));
    for (number, (what, up, expected)) in shots.iter().enumerate() {
        let after = Counters::of(&house.program, &report.text(&format!("out/{}.counters", number + 1)));
        let landed = after.since(&before, *up);
        before = after;
        let classes = expected.keys().copied().chain(landed.keys().map(String::as_str));
        let classes: std::collections::BTreeSet<&str> = classes.collect();
        for class in classes {
            let of = (expected.get(class).copied().unwrap_or(0), landed.get(class).copied().unwrap_or(0));
            // These classes may also count a few of the lab's own packets.
            let lab = class == "rest" || class == "on-icmp";
            if of.0 != of.1 && !(lab && of.1 > of.0 && of.1 < of.0 + 8) {
                wrong.push(format!("{what}: {} into {class}, not {}", of.1, of.0));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
