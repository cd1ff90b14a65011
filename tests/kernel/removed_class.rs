//! A class that is removed loses the packets in its queue, and nothing else is lost.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::streams::{Streams, events, expect_exactly, unshaped};

fn house(victim: &str) -> House {
    let yaml = format!(
        "name: removed\n\
         link: {{ device: eth0, profile: docsis, up: 4mbit, down: 4mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  \
           normal: {{ guarantee: 60%, match: [{{ protocol: udp, local_port: 5004 }}] }}\n{victim}  \
           rest: {{ default: true }}\n"
    );
    House::of("removed", yaml.into_bytes())
}

/// Packets that wait in all queues except that of the kept class, from `tc -s qdisc show`.
fn waiting(text: &str, kept: &str) -> u64 {
    let mut own = false;
    let mut sum = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["qdisc", ..] => own = words.contains(&"parent") && !words.contains(&kept),
            ["backlog", _, packets, ..] if own => {
                sum += packets.trim_end_matches('p').parse::<u64>().expect("a number");
            }
            _ => {}
        }
    }
    sum
}

#[test]
fn a_removed_class_loses_only_its_own_backlog() {
    let before = house(
        "  victim: { guarantee: 5%, ceiling: 10%, queue: { kind: fifo, limit: 1000 }, match: [{ protocol: udp, local_port: 7004 }] }\n",
    );
    let after = house("");
    let flows = "up lan/192.168.1.10 5004 net/198.51.100.1 6004 2200 500\n\
                 down net/198.51.100.1 6004 lan/192.168.1.10 5004 2200 500\n\
                 victim-up lan/192.168.1.10 7004 net/198.51.100.1 8004 5000 500\n\
                 victim-down net/198.51.100.1 8004 lan/192.168.1.10 7004 5000 500\n";
    let guest = before.guest("removed-class").file("before.sh", before.script.as_str());
    let guest = guest.file("after.sh", after.script.as_str()).file("flows", flows);
    let Some(report) = guest.run("removed_class.sh") else { return };
    for step in ["before", "after", "stop"] {
        report.expect_code(&format!("removed/{step}"), 0);
    }
    expect_exactly(&after, &report, "removed/after");

    let streams = Streams::of(&report, "removed");
    let events = events(&report, "removed");
    let gone = unshaped(&before, &events);
    assert!(gone.up.is_empty() && gone.down.is_empty(), "{gone:?}");
    for flow in ["up", "down"] {
        for step in 0..=3 {
            assert_eq!(streams.cost(flow, step), (0, 0), "{flow}: {:?}", streams.flows[flow]);
        }
        let kept =
            crate::counters::class(&before.program, qosc_compiler::tc::Dev::Wan, "normal").id.to_string();
        let backlog = waiting(&report.out(&format!("removed/{flow}")), &kept);
        let parts = &streams.flows[&format!("victim-{flow}")];
        let (early, late) = (&parts[&1], &parts[&2]);
        eprintln!("{flow}: of the class removed {backlog} waited, {} of them were lost", early.lost);
        assert!(backlog > 50, "{}", report.about(&format!("removed/{flow}")));
        // On a busy host, all packets of the backlog may have left before the change, and others wait then.
        assert!(early.lost + late.lost > 0 && early.lost <= backlog, "{backlog} waited: {parts:?}");
        // The lost packets are consecutive, and the last was sent before the class was removed.
        assert!(early.lost == early.run && late.lost == late.run, "{parts:?}");
        let dev = if flow == "up" { before.program.wan.as_str() } else { before.program.ifb.as_str() };
        let class_gone =
            events.iter().find(|e| e.gone && e.object == "class" && e.dev == dev).expect("deleted");
        assert!(late.lost == 0 || late.to <= class_gone.at + 20_000, "{class_gone:?} {parts:?}");
        assert!(parts[&3].lost == 0, "{parts:?}");
    }
}
