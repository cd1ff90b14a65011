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
