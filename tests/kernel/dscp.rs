//! The DSCP that the shaper writes into packets: that of the class, or none. The ECN bits stay, and IPv4's checksum is
//! right.

use crate::house::House;
use crate::packet::Packet;

/// The type of service of each packet in this direction with this protocol number, in order. Checks the checksum of
/// each IPv4 header that was changed.
fn seen(text: &str, direction: &str, v6: bool, protocol: u8) -> Vec<u8> {
    let mut found = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(direction)) {
        let (kind, hex) = line.trim_start().split_once(' ').expect("a protocol and bytes");
        let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16).expect("hex")).collect();
        let bytes: Vec<u8> =
            digits.chunks(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).expect("a byte")).collect();
        match (kind, v6) {
            ("0800", false) if bytes[9] == protocol => {
                let sum: u32 = bytes[..20].chunks(2).map(|b| u32::from(b[0]) << 8 | u32::from(b[1])).sum();
                // A packet leaves the sender without a checksum, so any checksum was written here.
                let none = bytes[10..12] == [0, 0];
                assert!(none || (sum & 0xffff) + (sum >> 16) == 0xffff, "a wrong checksum: {hex}");
                found.push(bytes[1]);
            }
            ("86dd", true) if bytes[6] == protocol => found.push(bytes[0] << 4 | bytes[1] >> 4),
            _ => {}
        }
    }
    found
}

#[test]
fn the_dscp_is_set_or_washed_and_ecn_stays() {
    // The protocol, the DSCP sent, and the DSCPs expected upwards and downwards. Downwards, `wash` clears the DSCP
    // unless the class sets one.
    let cases: [(u8, u8, u8, u8); 6] = [
        (210, 0, 46, 46),
        (210, 63, 46, 46),
        (230, 8, 1, 0),
        (211, 10, 10, 0),
        (231, 46, 46, 0),
        (211, 0, 0, 0),
    ];
    let house = House::case("every-mark");
    let mut orders = String::new();
    for (protocol, sent, _, _) in cases {
        for ecn in 0..4 {
            let v4 = Packet::new("192.0.2.1", "192.0.2.2");
            let v6 = Packet::new("2001:db8::1", "2001:db8::2");
            for packet in [v4, v6] {
                let packet = packet.protocol(protocol).dscp(sent).ecn(ecn).length(100);
                orders.push_str(&packet.line("eth0", 1));
                orders.push_str(&packet.line("net/eth0", 1));
            }
        }
    }
    let Some(report) = house.guest("dscp").file("orders", orders).run("dscp.sh") else { return };
    report.expect_code("dash/start", 0);
    // The far end of the WAN receives the uploads of the router; the ifb sends its downloads.
    for (direction, captured) in [("up", "in"), ("down", "out")] {
        let text = report.text(&format!("out/{direction}"));
        for v6 in [false, true] {
            for protocol in [210, 211, 230, 231] {
                let want: Vec<u8> = cases
                    .iter()
                    .filter(|case| case.0 == protocol)
                    .map(|case| if direction == "up" { case.2 } else { case.3 })
                    .flat_map(|dscp| (0..4).map(move |ecn| dscp << 2 | ecn))
                    .collect();
                assert_eq!(
                    seen(&text, captured, v6, protocol),
                    want,
                    "{direction}, IPv6 {v6}, protocol {protocol}"
                );
            }
        }
    }
    report.expect_code("dash/stop", 0);
}
