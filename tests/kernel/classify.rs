//! Packets are counted in the right class. For every key of a match, one packet matches and one narrowly misses. The
//! test covers both directions and families, with every value of the ECN bits.

use crate::counters::Counters;
use crate::house::House;
use crate::packet::{ACK, PSH, Packet};

/// Direction and address family of a packet.
#[derive(Clone, Copy)]
pub struct FamilyDirection {
    pub up: bool,
    pub v6: bool,
}

impl FamilyDirection {
    const ALL: [FamilyDirection; 4] = [
        FamilyDirection { up: true, v6: false },
        FamilyDirection { up: true, v6: true },
        FamilyDirection { up: false, v6: false },
        FamilyDirection { up: false, v6: true },
    ];

    /// A packet between two ends, each given as `[IPv4, IPv6]`.
    fn between(self, local: [&str; 2], remote: [&str; 2]) -> Packet {
        let which = usize::from(self.v6);
        if self.up {
            Packet::new(local[which], remote[which])
        } else {
            Packet::new(remote[which], local[which])
        }
    }

    pub fn local(self, local: [&str; 2]) -> Packet {
        self.between(local, ["192.0.2.200", "2001:db8:9::200"])
    }

    pub fn remote(self, remote: [&str; 2]) -> Packet {
        self.between(["10.200.0.9", "2001:db8:1:f00::9"], remote)
    }

    /// A packet between two ends that no match names.
    pub fn packet(self) -> Packet {
        self.remote(["192.0.2.200", "2001:db8:9::200"])
    }

    pub fn udp(self, packet: Packet, local: u16, remote: u16) -> Packet {
        if self.up { packet.udp(local, remote) } else { packet.udp(remote, local) }
    }

    /// Adds a TCP header with the ACK and PSH flags, and a length that no pure acknowledgement has.
    pub fn tcp(self, packet: Packet, local: u16, remote: u16) -> Packet {
        let (from, to) = if self.up { (local, remote) } else { (remote, local) };
        packet.tcp(from, to, ACK | PSH, 0).length(100)
    }
}

/// A packet and the class that must count it.
struct Shot {
    what: String,
    class: &'static str,
    family_direction: FamilyDirection,
    packet: Packet,
}

#[derive(Default)]
struct Shots(Vec<Shot>);

impl Shots {
    /// Adds a packet for each direction and family, always with the same class.
    fn all(&mut self, class: &'static str, what: &str, packet: impl Fn(FamilyDirection) -> Packet) {
        for family_direction in FamilyDirection::ALL {
            self.one(family_direction, class, what, packet(family_direction));
        }
    }

    /// Adds a packet for each direction and family, with a class for each family.
    fn each(&mut self, classes: [&'static str; 2], what: &str, packet: impl Fn(FamilyDirection) -> Packet) {
        for family_direction in FamilyDirection::ALL {
            self.one(
                family_direction,
                classes[usize::from(family_direction.v6)],
                what,
                packet(family_direction),
            );
        }
    }

    fn one(&mut self, family_direction: FamilyDirection, class: &'static str, what: &str, packet: Packet) {
        self.0.push(Shot { what: what.to_owned(), class, family_direction, packet });
    }
}

fn headers(shots: &mut Shots) {
    // The firewall sets marks. On downloads it does so only after the shaper, so only uploads have marks there.
    for (mark, class) in [(0x10, "on-mark"), (0x1_011f, "on-mark"), (0x20, "rest"), (0, "rest")] {
        for family_direction in FamilyDirection::ALL {
            let class = if family_direction.up { class } else { "rest" };
            shots.one(family_direction, class, "mark", family_direction.packet().mark(mark));
        }
    }
    for (dscp, class) in
        [(46, "on-dscp"), (8, "on-dscp"), (5, "on-dscp"), (47, "rest"), (9, "rest"), (4, "rest")]
    {
        shots.all(class, &format!("dscp {dscp}"), |family_direction| family_direction.packet().dscp(dscp));
    }
    shots.each(["on-icmp", "rest"], "protocol 1", |family_direction| family_direction.packet().protocol(1));
    shots.each(["rest", "on-icmpv6"], "protocol 58", |family_direction| {
        family_direction.packet().protocol(58)
    });
    for (protocol, class) in [(50, "on-protocol"), (200, "on-protocol"), (51, "rest"), (199, "rest")] {
        shots.all(class, &format!("protocol {protocol}"), |family_direction| {
            family_direction.packet().protocol(protocol)
        });
    }
    shots.each(["rest", "on-family"], "family", |family_direction| family_direction.packet().protocol(201));
    for family_direction in FamilyDirection::ALL {
        shots.one(
            family_direction,
            if family_direction.up { "on-up" } else { "on-down" },
            "direction",
            family_direction.packet().protocol(202),
        );
    }
    let lengths = [
        (40, "on-short"),
        (99, "on-short"),
        (100, "on-middle"),
        (299, "on-middle"),
        (300, "rest"),
        (399, "rest"),
        (400, "on-middle"),
        (401, "rest"),
        (999, "rest"),
        (1000, "on-long"),
        (1500, "on-long"),
    ];
    for (length, class) in lengths {
        shots.all(class, &format!("length {length}"), |family_direction| {
            family_direction.packet().protocol(203).length(length)
        });
    }
}

fn addresses(shots: &mut Shots) {
    let one = [
        (["10.0.0.5", "2001:db8:77::5"], "on-one"),
        (["10.0.0.5", "fd00::5"], "on-one"),
        (["10.0.0.4", "2001:db8:77::4"], "rest"),
        (["10.0.0.7", "2001:db8:77:0:1::5"], "rest"),
        (["10.0.1.128", "2001:db8:1:80::1"], "on-many"),
        (["10.0.1.255", "2001:db8:1:ff::1"], "on-many"),
        (["10.0.1.127", "2001:db8:1:7f::1"], "rest"),
        (["10.0.2.128", "2001:db8:2:80::1"], "rest"),
        (["10.1.0.0", "2001:db8:1:100::"], "on-local"),
        (["10.1.255.255", "2001:db8:1:1ff:ffff:ffff:ffff:ffff"], "on-local"),
        (["10.0.255.255", "2001:db8:1:200::9"], "rest"),
        (["10.2.0.0", "2001:db8:101:100::9"], "rest"),
    ];
    for (local, class) in one {
        shots.all(class, &format!("local {local:?}"), |family_direction| family_direction.local(local));
    }
    for remote in [["10.0.0.5", "2001:db8:77::5"], ["10.1.0.0", "2001:db8:1:100::"]] {
        shots.all("rest", &format!("on the other side {remote:?}"), |family_direction| {
            family_direction.remote(remote)
        });
    }
    let remote = [
        (["198.51.100.64", "2001:db8:beef::"], "on-remote"),
        (["198.51.100.127", "2001:db8:beef:ffff::1"], "on-remote"),
        (["198.51.100.63", "2001:db8:beee:ffff::1"], "rest"),
        (["198.51.100.128", "2001:db8:bef0::1"], "rest"),
    ];
    for (remote, class) in remote {
        shots.all(class, &format!("remote {remote:?}"), |family_direction| family_direction.remote(remote));
        shots.all("rest", &format!("on this side {remote:?}"), |family_direction| {
            family_direction.local(remote)
        });
    }
}

fn ports(shots: &mut Shots) {
    for (port, class) in [
        (1000, "on-local-port"),
        (1543, "on-local-port"),
        (1999, "on-local-port"),
        (2500, "on-local-port"),
        (999, "rest"),
        (2000, "rest"),
        (2499, "rest"),
        (2501, "rest"),
    ] {
        shots.all(class, &format!("udp local port {port}"), |family_direction| {
            family_direction.udp(family_direction.packet(), port, 9)
        });
        shots.all("rest", &format!("udp remote port {port}"), |family_direction| {
            family_direction.udp(family_direction.packet(), 9, port)
        });
        shots.all("rest", &format!("tcp local port {port}"), |family_direction| {
            family_direction.tcp(family_direction.packet(), port, 9)
        });
    }
    for (port, class) in [
        (53, "on-remote-port"),
        (6881, "on-remote-port"),
        (6900, "on-remote-port"),
        (6999, "on-remote-port"),
        (52, "rest"),
        (54, "rest"),
        (6880, "rest"),
        (7000, "rest"),
    ] {
        shots.all(class, &format!("udp remote port {port}"), |family_direction| {
            family_direction.udp(family_direction.packet(), 9, port)
        });
        shots.all(class, &format!("tcp remote port {port}"), |family_direction| {
            family_direction.tcp(family_direction.packet(), 9, port)
        });
        shots.all("rest", &format!("sctp remote port {port}"), |family_direction| {
            family_direction.udp(family_direction.packet(), 9, port).protocol(132)
        });
    }
    shots.all("on-port", "tcp port 8080 there", |family_direction| {
        family_direction.tcp(family_direction.packet(), 9, 8080)
    });
    shots.all("on-port", "tcp port 8080 here", |family_direction| {
        family_direction.tcp(family_direction.packet(), 8080, 9)
    });
    shots.all("rest", "tcp port 8081", |family_direction| {
        family_direction.tcp(family_direction.packet(), 8081, 8079)
    });
    shots.all("rest", "udp port 8080", |family_direction| {
        family_direction.udp(family_direction.packet(), 8080, 8080)
    });
    for family_direction in FamilyDirection::ALL.into_iter().filter(|family_direction| !family_direction.v6) {
        let packet = family_direction.udp(family_direction.packet(), 1543, 53);
        shots.one(family_direction, "rest", "a later fragment", packet.clone().later_fragment());
        shots.one(family_direction, "rest", "behind IP options", packet.ip_options(1));
    }
}

fn together(shots: &mut Shots) {
    let net = ["192.0.2.9", "2001:db8:5::9"];
    let beside = ["192.0.2.128", "2001:db8:5:1::9"];
    for (remote, local_port, remote_port, length, class) in [
        (net, 6004, 5004, 100, "on-all-of-it"),
        (net, 6004, 5004, 999, "on-all-of-it"),
        (net, 6004, 5004, 99, "rest"),
        (net, 6004, 5004, 1000, "rest"),
        (net, 6005, 5004, 100, "rest"),
        (net, 6004, 5005, 100, "rest"),
        (beside, 6004, 5004, 100, "rest"),
    ] {
        shots.all(class, "all of it", |family_direction| {
            family_direction.udp(family_direction.remote(remote), local_port, remote_port).length(length)
        });
    }
    let any = "on-any-of-it";
    let there = ["192.0.2.1", "2001:db8:9::1"];
    shots.each([any, "rest"], "the first", |family_direction| family_direction.remote(there).protocol(204));
    shots.each([any, "rest"], "the second", |family_direction| {
        family_direction.local(["10.9.9.9", "fd00::9"]).protocol(204)
    });
    shots.each(["rest", any], "the third", |family_direction| family_direction.packet().protocol(205));
    shots.all("rest", "none of it", |family_direction| family_direction.packet().protocol(204));

    let inner = ["192.0.2.1", "2001:db8:5::1"];
    shots.all("in-tree-one", "tree, tcp", |family_direction| {
        family_direction.tcp(family_direction.remote(inner), 9, 443)
    });
    shots.all("in-tree-one", "tree, udp", |family_direction| {
        family_direction.udp(family_direction.remote(inner), 9, 443)
    });
    shots.all("rest", "not the tree", |family_direction| {
        family_direction.udp(family_direction.remote(inner), 9, 444)
    });
    shots.all("in-tree-two-short", "tree, short", |family_direction| {
        family_direction.udp(family_direction.packet(), 9, 443).length(199)
    });
    shots.all("in-tree-two-rest", "tree, not short", |family_direction| {
        family_direction.udp(family_direction.packet(), 9, 443).length(200)
    });
    shots.all("in-tree-rest", "tree, rest", |family_direction| {
        family_direction.tcp(family_direction.packet(), 9, 443)
    });

    let (first, second) = (["10.2.0.1", "2001:db8:1:200::1"], ["10.2.0.2", "2001:db8:1:200::2"]);
    shots.all("in-branch-one", "branch", |family_direction| family_direction.local(first).protocol(206));
    shots.all("in-branch-two", "branch", |family_direction| family_direction.local(second).protocol(206));
    shots.all("after-branch", "branch, none of its children", |family_direction| {
        family_direction.packet().protocol(206)
    });
    shots.all("after-branch", "not the branch", |family_direction| {
        family_direction.local(first).protocol(207)
    });
    shots.all("rest", "neither", |family_direction| family_direction.local(first).protocol(208));
}

fn tunnels(shots: &mut Shots) {
    let (there, beside) = (["198.51.100.7", "2001:db8:ffff::7"], ["198.51.100.8", "2001:db8:ffff::8"]);
    shots.each(["in-ipip", "in-ip6tnl"], "protocol 4", |family_direction| {
        family_direction.remote(there).protocol(4)
    });
    shots.each(["in-sit", "in-ip6tnl"], "protocol 41", |family_direction| {
        family_direction.remote(there).protocol(41)
    });
    shots.each(["in-gre", "in-ip6gre"], "protocol 47", |family_direction| {
        family_direction.remote(beside).protocol(47)
    });
    shots.each(["in-l2tp", "rest"], "protocol 115", |family_direction| {
        family_direction.remote(there).protocol(115)
    });
    for protocol in [4, 41, 115] {
        shots.all("rest", "somebody else's tunnel", |family_direction| {
            family_direction.remote(beside).protocol(protocol)
        });
    }
    // Both ends of a VXLAN send to its port, from any source port.
    shots.each(["in-vxlan", "rest"], "vxlan", |family_direction| {
        family_direction.remote(there).udp(50000, 4789)
    });
    shots.all("rest", "another's vxlan", |family_direction| family_direction.remote(beside).udp(50000, 4789));
    shots.all("in-wireguard", "wireguard", |family_direction| {
        family_direction.udp(family_direction.packet(), 9, 51821)
    });
    // The file names no other end, so the router may be the server, and the port its own.
    shots.all("in-wireguard", "wireguard's port here", |family_direction| {
        family_direction.udp(family_direction.packet(), 51821, 9)
    });
    shots.all("in-openvpn", "openvpn over udp", |family_direction| {
        family_direction.udp(family_direction.packet(), 9, 1194)
    });
    shots.all("in-openvpn", "openvpn over tcp", |family_direction| {
        family_direction.tcp(family_direction.packet(), 9, 1194)
    });
    shots.each(["in-l2tp", "rest"], "l2tp over udp", |family_direction| {
        family_direction.udp(family_direction.remote(there), 9, 1701)
    });
    shots.all("in-other", "other", |family_direction| {
        family_direction.remote(["203.0.113.9", "2001:db8:ffff::9"])
    });
    shots.all("rest", "not other", |family_direction| {
        family_direction.remote(["203.0.113.8", "2001:db8:ffff::a"])
    });
}

fn judge(name: &str, fill: impl Fn(&mut Shots)) {
    let mut shots = Shots::default();
    fill(&mut shots);
    let house = House::case("every-match");
    let mut guest = house.guest(name);
    for (number, shot) in shots.0.iter().enumerate() {
        let place = if shot.family_direction.up { "eth0" } else { "net/eth0" };
        let lines: String = (0..4).map(|ecn| shot.packet.clone().ecn(ecn).line(place, 1)).collect();
        guest = guest.file(&format!("shots/{}", number + 1), lines);
    }
    let Some(report) = guest.variable("SHOTS", &(shots.0.len() + 1).to_string()).run("classify.sh") else {
        return;
    };
    report.expect_code("dash/start", 0);

    let mut wrong = Vec::new();
    let mut before = Counters::of(&house.program, &report.text("out/0.counters"));
    for (number, shot) in shots.0.iter().enumerate() {
        let after = Counters::of(&house.program, &report.text(&format!("out/{}.counters", number + 1)));
        let landed = after.since(&before, shot.family_direction.up);
        before = after;
        // The lab's own packets may be counted in other classes, but never more than four.
        if landed.get(shot.class).is_none_or(|packets| *packets < 4) || landed.values().any(|n| *n > 4) {
            let family_direction = if shot.family_direction.up { "up" } else { "down" };
            wrong.push(format!("{family_direction}, {}: into {}, not {landed:?}", shot.what, shot.class));
        }
    }
    assert!(wrong.is_empty(), "{} of {} shots\n{}", wrong.len(), shots.0.len(), wrong.join("\n"));
}

#[test]
fn packets_are_classified_by_header() {
    judge("classify-headers", headers);
}

#[test]
fn packets_are_classified_by_address() {
    judge("classify-addresses", addresses);
}

#[test]
fn packets_are_classified_by_port() {
    judge("classify-ports", ports);
}

#[test]
fn packets_are_classified_by_several_keys_and_nested_matches() {
    judge("classify-together", together);
}

#[test]
fn packets_are_classified_by_tunnel() {
    judge("classify-tunnels", tunnels);
}
