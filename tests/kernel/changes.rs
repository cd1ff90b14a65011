//! Changes of the configuration while uploads fill the line. A ping that goes through the changed tree shows what a
//! call would notice.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::load::over_idle;
use crate::uml::Machine;

/// Pings, 10 ms apart. The change comes after 150 of them.
const PINGS: usize = 400;

/// Serialization delay of a full packet in microseconds: 1538 bytes at 97 % of 6.5 mbit.
const PACKET: u64 = 1951;

fn house(up: &str, classes: &str) -> House {
    let yaml = format!(
        "link: {{ device: eth1, up: {up}, down: 30mbit, profile: ethernet, margin: 3% }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: true }}\n\
         classes:\n{classes}  normal: {{ default: true }}\n"
    );
    House::of("changes", yaml.into_bytes())
}

#[test]
fn a_change_under_load_delays_no_call() {
    // The pings have a class of their own: in `normal`, a hash could put them into the queue of a bulk flow.
    let voice = |more: &str| {
        format!("  voice: {{ priority: 0, match: [{{ protocol: udp, remote_port: 7 }}{more}] }}\n")
    };
    let (one, two) = (voice(""), voice(", { protocol: udp, remote_port: 5060 }"));
    let bulk = format!("{two}  bulk: {{ match: [{{ dscp: cs1 }}] }}\n");
    let child = format!(
        "{two}  bulk: {{ match: [{{ dscp: cs1 }}], classes: {{ backup: {{ match: [{{ protocol: tcp, remote_port: 873 }}] }} }} }}\n"
    );
    // Each step changes what the step before it has left.
    let steps = [
        ("rate", house("6mbit", &one), false),
        ("match", house("6mbit", &two), false),
        ("class", house("6mbit", &bulk), false),
        ("child", house("6mbit", &child), true),
        ("leaf", house("6mbit", &bulk), true),
        ("back", house("6.5mbit", &one), false),
    ];
    let first = house("6.5mbit", &one);
    let mut guest = first.guest("changes").on(Machine::Virtual).variable("LINE", "10ms 30mbit");
    for (step, house, _) in &steps {
        guest = guest.file(&format!("{step}.sh"), house.script.as_str());
    }
    let names = steps.each_ref().map(|(step, ..)| *step).join(" ");
    let guest = guest.variable("PINGS", &PINGS.to_string()).variable("STEPS", &names);
    let Some(report) = guest.run("changes.sh") else { return };
    report.expect_code("start/start", 0);
    let mut wrong = Vec::new();
    for (step, _, is_swap) in &steps {
        report.expect_code(&format!("{step}/change"), 0);
        let said = report.out(&format!("{step}/change"));
        if said.contains("uploads get a new tree") != *is_swap {
            wrong.push(format!("{step}: {said}"));
        }
        let (median, p99) = over_idle(&report, step, ["idle", "busy"], PINGS);
        eprintln!("{step}: pings take {median} us over idle at the median, {p99} at p99");
        // A lost ping counts as infinite, and four of these pings are above the 99th percentile.
        if p99 > 4 * PACKET {
            wrong.push(format!("{step}: p99 {p99} us over idle, of which a packet takes {PACKET}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    report.expect_code("start/stop", 0);
}
