//! The packet rate of an overloaded class follows from the bytes that the profile charges for each packet.

use crate::bytes::on_the_line;
use crate::counters::Counters;
use crate::house::House;
use crate::packet::Packet;
use qosc_compiler::tc::Dev;

const SIZES: [usize; 6] = [28, 40, 64, 576, 1492, 1500];

/// Packets per second of each class. The rate is low because a busy machine may stop the kernel for a moment. No turn
/// is lost then, because a bucket holds more than a packet.
const PACKETS: u64 = 30;

/// Seconds for which packets are counted.
const SECONDS: u64 = 10;

const PROFILES: [&str; 4] = ["ethernet", "docsis", "vdsl2-pppoe", "conservative"];

/// A configuration with a class for each size. Its rate passes `PACKETS` packets per second.
fn house(profile: &str) -> House {
    let mut yaml =
        format!("link: {{ device: eth0, profile: {profile}, up: 20mbit, down: 20mbit }}\nclasses:\n");
    for size in SIZES {
        let rate = on_the_line(profile, size) * 8 * PACKETS;
        yaml += &format!(
            "  of-{size}: {{ guarantee: {rate}bit, ceiling: {rate}bit, match: {{ length: {size} }} }}\n"
        );
    }
    yaml += "  rest: { default: true }\n";
    House::of("rates", yaml.into_bytes())
}

/// The time of a reading in nanoseconds: the middle between its first line and its last.
fn time(text: &str) -> u64 {
    let first: u64 = text.lines().next().expect("a time").parse().expect("nanoseconds");
    let last: u64 = text.lines().last().expect("a time").parse().expect("nanoseconds");
    first.midpoint(last)
}

#[test]
fn packet_rates_follow_from_the_charged_bytes() {
    let houses = PROFILES.map(|name| (name, house(name)));
    let mut guest = houses[0].1.guest("packet-rates");
    for (profile, house) in &houses {
        guest = guest.file(&format!("scripts/{profile}.sh"), house.script.as_str());
    }
    let mut orders = String::new();
    for size in SIZES {
        let packet = Packet::new("192.0.2.1", "192.0.2.2").length(size);
        orders += &packet.line("eth0", 1);
        orders += &packet.line("net/eth0", 1);
    }
    let guest = guest.file("orders", orders).variable("SCRIPTS", &PROFILES.join(" "));
    let Some(report) = guest.variable("SECONDS_EACH", &SECONDS.to_string()).run("packet_rates.sh") else {
        return;
    };

    let mut wrong = Vec::new();
    for (profile, house) in &houses {
        report.expect_code(&format!("{profile}/start"), 0);
        let [first, last] =
            ["first", "last"].map(|step| report.text(&format!("out/{profile}/{step}.counters")));
        let took = time(&last) - time(&first);
        let read = |text: &str| {
            let (_, counters) = text.split_once('\n').expect("a time first");
            Counters::of(&house.program, counters)
        };
        let (before, after) = (read(&first), read(&last));
        for dev in [Dev::Wan, Dev::Ifb] {
            let sent = after.since(&before, dev == Dev::Wan);
            for size in SIZES {
                let packets = sent.get(&format!("of-{size}")).copied().unwrap_or_default();
                // Thousandths of the rate that the profile gives.
                let share = packets * 1_000 * 1_000_000_000 / (took * PACKETS);
                if !(990..=1010).contains(&share) {
                    wrong.push(format!(
                        "{profile}, {dev:?}, {size} bytes: {packets} packets, {share} in a thousand"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
