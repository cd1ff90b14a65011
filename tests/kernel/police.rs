//! Police pass only as many packets as the bucket holds. All filters of a police share one bucket. Excess packets are
//! dropped or go to the configured class.

use crate::counters::Counters;
use crate::house::House;
use crate::packet::Packet;
use std::collections::BTreeMap;

/// Length of a packet in bytes. The line adds 38 bytes, and the bucket holds five such packets.
const LENGTH: usize = 962;

/// Protocols of the packets to and from the LAN.
const LAN: &[u8] = &[210, 210];

#[test]
fn police_passes_what_its_bucket_holds() {
    // The protocols of twenty packets in total, and the packets that each class must then have counted, up and down.
    type Counted<'a> = &'a [(&'a str, u64)];
    let cases: [(&[u8], Counted, Counted); 6] = [
        (&[220, 221], &[("rest", 5)], &[("rest", 5)]),
        (&[222], &[("rest", 5), ("late", 15)], &[("rest", 5), ("late", 15)]),
        (&[223], &[], &[]),
        (&[210], &[("first", 20)], &[("first", 5)]),
        (&[211], &[("late", 20)], &[("late", 20)]),
        // the class `first` matches this protocol, but the addresses are those of the LAN
        (LAN, &[], &[]),
    ];
    let house = House::case("every-police");
    let mut guest = house.guest("police");
    let mut shots = 0;
    for (protocols, _, _) in cases {
        for place in ["eth0", "net/eth0"] {
            let mut lines = String::new();
            for _ in 0..10 / protocols.len() {
                for protocol in protocols {
                    let ends = match *protocols == *LAN {
                        true => [("203.0.113.1", "203.0.113.2"), ("2001:db8:113::1", "2001:db8:113::2")],
                        false => [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2")],
                    };
                    for (from, to) in ends {
                        lines += &Packet::new(from, to).protocol(*protocol).length(LENGTH).line(place, 1);
                    }
                }
            }
            shots += 1;
            guest = guest.file(&format!("shots/{shots}"), lines);
        }
    }
    let Some(report) = guest.variable("SHOTS", &(shots + 1).to_string()).run("classify.sh") else { return };
    report.expect_code("dash/start", 0);

    let mut before = Counters::of(&house.program, &report.text("out/0.counters"));
    let mut shot = 0;
    let mut past_before = 0;
    for (protocols, up, down) in cases {
        for (is_up, want) in [(true, up), (false, down)] {
            shot += 1;
            let text = report.text(&format!("out/{shot}.counters"));
            let after = Counters::of(&house.program, &text);
            let mut counted = after.since(&before, is_up);
            before = after;
            // packets that bypass the classes of the WAN device
            let (_, past) = text.split_once("direct_packets_stat ").expect("HTB");
            let past: u64 =
                past.split_whitespace().next().and_then(|past| past.parse().ok()).expect("a number");
            if is_up && protocols == LAN {
                assert_eq!(past - past_before, 20, "{text}");
            }
            past_before = past;
            // The lab may have sent a packet or two of its own; each of our counts is five or more.
            counted.retain(|_, packets| *packets > 2);
            let want: BTreeMap<String, u64> = want.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
            let close = counted.len() == want.len()
                && want.iter().all(|(name, n)| counted.get(name).is_some_and(|c| c.abs_diff(*n) <= 1));
            assert!(close, "protocols {protocols:?}, up {is_up}: {counted:?}, not {want:?}\n{text}");
        }
    }
}

/// Pings above the rate are dropped, but no packet of neighbour discovery, which only neighbours can send.
#[test]
fn neighbour_discovery_passes_a_flood_of_pings() {
    let yaml = "name: police\nlink: { device: eth0, profile: ethernet, up: 100mbit, down: 100mbit }\n\
        lan: { device: br-lan, nat: false }\n\
        classes: { other: { match: { protocol: 210 } }, rest: { default: true } }\n\
        police:\n\
        \x20 in: { direction: down, match: { protocol: [icmp, icmpv6] }, rate: 16kbit, burst: 5100 }\n\
        \x20 out: { direction: up, match: { protocol: [icmp, icmpv6] }, rate: 16kbit, burst: 5100 }\n";
    let house = House::of("police", yaml.as_bytes().to_vec());
    let mut guest = house.guest("neighbours");
    for (shot, place) in [(1, "eth0"), (2, "net/eth0")] {
        let packet =
            |kind, hops| Packet::new("fe80::1", "fe80::2").icmpv6(kind, hops).length(LENGTH).line(place, 1);
        let pings = (0..20).map(|_| packet(128, 255)).chain((133..=137).map(|kind| packet(kind, 64)));
        let neighbours = (133..=137).chain(133..=137).map(|kind| packet(kind, 255));
        guest = guest.file(&format!("shots/{shot}"), pings.chain(neighbours).collect::<String>());
    }
    let Some(report) = guest.variable("SHOTS", "3").run("classify.sh") else { return };
    report.expect_code("dash/start", 0);
    let counters = |shot: usize| Counters::of(&house.program, &report.text(&format!("out/{shot}.counters")));
    for (shot, is_up) in [(1, true), (2, false)] {
        let passed = counters(shot).since(&counters(shot - 1), is_up).get("rest").copied().unwrap_or(0);
        assert!(
            (14..=17).contains(&passed),
            "up {is_up}: {passed}, not 5 pings and 10 of neighbour discovery"
        );
    }
}
