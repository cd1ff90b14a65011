//! The cost that police saves a gateway. In one script, tenants that do not borrow are HTB classes. In the other, they
//! are police that bypass HTB. Both scripts run in turns in one guest.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::packet::Packet;
use crate::times;
use crate::uml::Machine;
use std::collections::BTreeMap;

/// Packets that are sent in each turn, and the copies of each that reach the router.
const COUNT: usize = 6_000;
const COPIES: usize = 32;

/// The example with classes instead of its police.
fn all_in_htb(police: &str) -> String {
    let (kept, _) = police.split_once("\npolice:").expect("the police come last");
    let tenants = [("e", 8), ("f", 6), ("g", 5)];
    let classes = tenants.map(|(name, gbit)| {
        format!(
            "  tenant-{name}: {{ guarantee: {gbit}gbit, ceiling: {gbit}gbit, match: [{{ host: {name} }}] }}\n"
        )
    });
    kept.replacen("classes:\n", &format!("classes:\n{}", classes.concat()), 1) + "\n"
}

#[test]
fn police_costs_less_than_htb() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/tenants.yaml");
    let text = std::fs::read_to_string(path).expect("the example");
    let police = House::of("tenants", text.clone().into_bytes());
    let htb = House::of("tenants", all_in_htb(&text).into_bytes());
    let orders: String = ["203.0.113.65", "203.0.113.81", "203.0.113.97"]
        .map(|tenant| Packet::new("192.0.2.1", tenant).udp(1000, 2000).length(64).line("net/many", COUNT / 3))
        .concat();
    let guest = police.guest("police-cost").on(Machine::Uml).file("police.sh", police.script.as_str());
    let guest = guest.file("htb.sh", htb.script.as_str()).file("orders", orders);
    let guest = guest.variable("TURNS", &times::turns(5).to_string());
    let Some(report) = guest.run("police_cost.sh") else { return };
    for step in ["htb-start", "police-start", "htb-stop", "police-stop"] {
        report.expect_code(&format!("gateway/{step}"), 0);
    }
    let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in report.text("out/gateway/times").lines() {
        let (what, time) = line.split_once(' ').expect("a name and a time");
        times.entry(what.to_owned()).or_default().push(time.parse().expect("nanoseconds"));
    }
    let median = |what: &str| {
        let mut of = times[what].clone();
        of.sort_unstable();
        of[of.len() / 2]
    };
    let (none, htb, police) = (median("none"), median("htb"), median("police"));
    let hundredths = |a: u64, b: u64| format!("{}.{:02}", a / b, a * 100 / b % 100);
    let each = |time: u64| time / (COUNT * COPIES) as u64;
    eprintln!(
        "nanoseconds a packet: {} alone, {} with police, {} all in HTB\n\
         packets a second, police to HTB: {}; of the shaper's own work: {}",
        each(none),
        each(police),
        each(htb),
        hundredths(htb, police),
        hundredths(htb.saturating_sub(none), police.saturating_sub(none).max(1)),
    );
    // HTB must have counted all packets in the first case, and none of the policed packets in the second.
    let seen = |step: &str| report.out(step).contains(&format!(" {} pkt ", COUNT * COPIES / 3));
    assert!(seen("gateway/htb-counters"), "{}", report.about("gateway/htb-counters"));
    assert!(!seen("gateway/police-counters"), "{}", report.about("gateway/police-counters"));
    assert!(police < htb || !times::asserted(), "police {police} ns, HTB {htb} ns");
}
