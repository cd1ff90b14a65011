//! `each` on a kernel: every device of a prefix behind NAT gets its ceiling, and no more.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::explain_packet::classes_of;
use crate::house::House;
use crate::load::{got, jain};

/// Devices that are busy at the same time.
const DEVICES: std::ops::Range<u8> = 10..30;

/// Seconds for which bytes are counted.
const SECONDS: u64 = 6;

/// The example, with the guests in the network of the lab.
fn house() -> House {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/guests-each.yaml");
    let text = std::fs::read_to_string(file).expect("an example");
    let moved = text.replace("192.168.2.0/27", "192.168.1.0/27");
    assert_ne!(moved, text);
    House::of("guests-each", moved.into_bytes())
}

#[test]
fn busy_devices_of_a_prefix_get_their_ceilings() {
    let house = house();
    let mut guest = house.guest("each").variable("SPAN", &format!("3 {SECONDS}"));
    for direction in ["up", "down"] {
        let flow =
            |device| format!("{device} lan/192.168.1.{device} net/198.51.100.1 50{device} 2 {direction}\n");
        guest = guest.file(&format!("flows/{direction}"), DEVICES.map(flow).collect::<String>());
    }
    let Some(report) = guest.run("each.sh") else { return };
    for step in ["start", "idle", "busy", "again", "stop"] {
        report.expect_code(&format!("start/{step}"), 0);
    }
    assert!(report.out("start/again").contains("up to date"), "{}", report.out("start/again"));
    // `status` lists the devices that have sent something, in both directions.
    for (step, devices) in [("idle", 0), ("busy", 2 * DEVICES.len())] {
        let status = report.out(&format!("start/{step}"));
        assert_eq!(status.matches("guests/192.168.1.").count(), devices, "{status}");
        assert_eq!(status.matches("guests/rest").count(), 2, "{status}");
    }
    for (leg, ceiling) in [("up", 1_000_000), ("down", 2_000_000)] {
        let got = got(&report, leg);
        let index = jain(&got);
        eprintln!("{leg}: Jain {index} of 10000, {got:?}");
        assert_eq!(got.len(), DEVICES.len());
        assert!(index > 9_900, "{leg}: Jain's index is {index} of 10000: {got:?}");
        for (device, bytes) in got {
            // TCP payload is 1448 of 1518 charged bytes.
            let rate = bytes * 8 * 1518 / 1448 / SECONDS;
            let within = ceiling * 97 / 100..=ceiling * 103 / 100;
            assert!(within.contains(&rate), "{leg}: device {device} gets {rate} bit/s of {ceiling}");
        }
    }
}

/// A packet of a device, and its answer behind NAT, meet the class of the device. IPv6 packets meet no such class.
#[test]
fn packets_meet_the_class_of_their_device() {
    let house = house();
    for device in DEVICES {
        let words = format!("up udp 192.168.1.{device}:5000 > 198.51.100.1:7");
        let class = format!("guests/192.168.1.{device}");
        assert_eq!(classes_of(&house, &words), [class.as_str(), class.as_str()]);
    }
    assert_eq!(classes_of(&house, "up udp 192.168.1.40:5000 > 198.51.100.1:7"), ["house", "house"]);
}
