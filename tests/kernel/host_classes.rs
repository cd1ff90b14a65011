//! Host classes: hosts get what they are promised. Such a class appears, changes and disappears without an effect on
//! other traffic.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::load::got;
use crate::report::Report;
use crate::streams::{Streams, events, expect_exactly, unshaped};
use std::collections::BTreeMap;

/// Seconds for which bytes are counted.
const SECONDS: u64 = 6;

/// Bit/s that each name of a leg received, without headers.
fn rates(report: &Report, leg: &str) -> BTreeMap<String, u64> {
    got(report, leg).into_iter().map(|(name, bytes)| (name, bytes * 8 / SECONDS)).collect()
}

#[test]
fn hosts_get_their_guarantees_and_ceilings() {
    let house = House::of(
        "promised",
        b"link: { device: eth1, up: 6mbit, down: 12mbit, profile: ethernet, margin: 3% }\n\
          lan: { device: br-lan, nat: false }\n\
          hosts:\n  \
            tv: { address: [192.168.1.11, \"::11/-64\"], ceiling: { up: 1.5mbit, down: 4mbit } }\n  \
            work: { address: [192.168.1.12, \"::12/-64\"], guarantee: { up: 50%, down: 50% } }\n\
          classes: { normal: { default: true } }\n"
            .to_vec(),
    );
    // TCP payload is 1448 of 1538 charged bytes in IPv4, and 1428 in IPv6.
    let (v4, v6) = (("192.168.1.", "198.51.100.1"), ("2001:db8:1::", "2001:db8:ffff::1"));
    let legs: Vec<(String, String)> = [("v4", v4), ("v6", v6)]
        .into_iter()
        .flat_map(|(family, (near, far))| {
            ["up", "down"].map(|direction| {
                let flow = |name: &str, host: u8, port: u16, count: u8| {
                    format!("{name} lan/{near}{host} net/{far} {port} {count} {direction}\n")
                };
                let flows = flow("tv", 11, 5001, 8) + &flow("work", 12, 5002, 4) + &flow("desk", 10, 5003, 8);
                (format!("{family}-{direction}"), flows)
            })
        })
        .collect();
    let names: Vec<&str> = legs.iter().map(|(name, _)| name.as_str()).collect();
    let mut guest = house.guest("promised").variable("SECONDS_EACH", &SECONDS.to_string());
    for (name, flows) in &legs {
        guest = guest.file(&format!("flows/{name}"), flows.as_str());
    }
    let Some(report) = guest.variable("LEGS", &names.join(" ")).run("host_classes.sh") else { return };
    for step in ["start", "again", "stop"] {
        report.expect_code(&format!("start/{step}"), 0);
    }
    for (leg, _) in &legs {
        let got = rates(&report, leg);
        eprintln!("{leg}: {got:?} bit/s");
        let (ceiling, guarantee) =
            if leg.ends_with("up") { (1_500_000, 2_910_000) } else { (4_000_000, 5_820_000) };
        // If the machine pauses the guest, all flows lose rate, but none exceeds its ceiling. Only the guarantee has a
        // tolerance.
        assert!(got["tv"] < ceiling, "{leg}: the ceiling is {ceiling}: {got:?}");
        assert!(got["work"] > guarantee * 75 / 100, "{leg}: the guarantee is {guarantee}: {got:?}");
    }
}

/// The household, with or without a promise to one of its hosts.
fn household(promise: &str) -> House {
    let yaml = format!(
        "name: homes\n\
         link: {{ device: eth0, profile: docsis, up: 8mbit, down: 8mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         hosts: {{ tv: {{ address: 192.168.1.11{promise} }} }}\n\
         classes:\n  \
           kept: {{ guarantee: 30%, match: [{{ protocol: udp, local_port: 5004 }}] }}\n  \
           rest: {{ default: true }}\n"
    );
    House::of("homes", yaml.into_bytes())
}

#[test]
fn changes_of_a_host_class_do_not_affect_other_traffic() {
    let without = household("");
    let first = household(", ceiling: 4mbit");
    let changed = household(", ceiling: 3mbit, guarantee: 1mbit");
    let flows = "kept-up lan/192.168.1.10 5004 net/198.51.100.1 6004 2200 500\n\
                 kept-down net/198.51.100.1 6004 lan/192.168.1.10 5004 2200 500\n\
                 tv-up lan/192.168.1.11 7004 net/198.51.100.1 8004 2200 500\n\
                 tv-down net/198.51.100.1 8004 lan/192.168.1.11 7004 2200 500\n";
    let guest = without.guest("host-classes").file("without.sh", without.script.as_str());
    let guest = guest.file("first.sh", first.script.as_str()).file("changed.sh", changed.script.as_str());
    let Some(report) = guest.file("flows", flows).run("host_classes_streams.sh") else { return };
    for step in ["without", "first", "changed", "gone", "stop"] {
        report.expect_code(&format!("homes/{step}"), 0);
    }
    for (house, step) in [(&first, "first"), (&changed, "changed"), (&without, "gone")] {
        expect_exactly(house, &report, &format!("homes/{step}"));
    }
    let streams = Streams::of(&report, "homes");
    let gone = unshaped(&without, &events(&report, "homes"));
    assert!(gone.up.is_empty() && gone.down.is_empty(), "{gone:?}");
    for direction in ["up", "down"] {
        for step in 0..=4 {
            let kept = format!("kept-{direction}");
            assert_eq!(streams.cost(&kept, step), (0, 0), "{kept}, step {step}: {:?}", streams.flows[&kept]);
        }
        let costs: Vec<(u64, u64)> =
            (0..=4).map(|step| streams.cost(&format!("tv-{direction}"), step)).collect();
        eprintln!("tv-{direction}: lost and reordered by each step: {costs:?}");
        assert_eq!((costs[0], costs[2], costs[4]), ((0, 0), (0, 0), (0, 0)), "{costs:?}");
        // When a leaf class gets its first host class or loses its last, the packets in its queue are lost: about two
        // at this load.
        assert!(costs[1].0 <= 4 && costs[3].0 <= 4, "{costs:?}");
    }
}
