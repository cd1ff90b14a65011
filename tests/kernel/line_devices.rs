//! A television of 20 Mbit/s on a VLAN of its own, beside a PPPoE session on the same line of 51 Mbit/s. Its downloads
//! share one tree with those of the session.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::counters::packets;
use crate::house::House;
use crate::load::{got, over_idle};
use crate::packet::Packet;
use crate::report::{Report, commands};
use crate::streams::Streams;
use qosc_compiler::tc::Dev;
use std::collections::BTreeMap;

/// The number of pings, ten milliseconds apart.
const PINGS: usize = 800;

fn house(devices: &str, matches: &str) -> House {
    let text = format!(
        "name: line\nlink: {{ device: ppp0, {devices}up: 10mbit, down: 51mbit, profile: vdsl2-pppoe-vlan }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24] }}\n\
         classes:\n  \
         iptv: {{ priority: 1, guarantee: {{ down: 25mbit }}, match: [{matches}] }}\n  \
         rest: {{ default: true, share: per-host }}\n"
    );
    House::of("line", text.into_bytes())
}

fn line() -> House {
    house("devices: { eth1.8: { up: 100kbit } }, ", "{ device: eth1.8 }, { local: 224.0.0.0/4 }")
}

fn run(part: &str, line: &House) -> Option<Report> {
    let own = house("", "{ local: 224.0.0.0/4 }");
    let group = Packet::new("203.0.113.5", "232.0.20.35").udp(10_000, 10_000);
    let line_of = |place: &str| group.clone().line(place, 10);
    line.guest("line devices")
        .file("own.sh", own.script.as_str())
        .file("line.sh", line.script.as_str())
        .variable("PART", part)
        .variable("GROUP", &line_of("net/eth1.8"))
        .variable("SESSION", &line_of("net/ppp0"))
        .run("line_devices.sh")
}

#[test]
fn television_on_its_own_vlan_is_not_disturbed() {
    let line = line();
    let Some(report) = run("traffic", &line) else { return };
    report.expect_code("idle/start", 0);
    // What the four downloads received in ten seconds, in kbit/s.
    let rate = |leg: &str| got(&report, leg)["down"] * 8 / 10_000;
    let mut seen = BTreeMap::new();
    for leg in ["own-on", "own-off", "line-on", "line-off"] {
        let (_, p99) = over_idle(&report, leg, ["idle", "busy"], PINGS);
        let late = leg.ends_with("on").then(|| {
            let streams = Streams::of(&report, leg);
            let channel = &streams.flows["channel"];
            let lost: u64 = channel.values().map(|part| part.lost).sum();
            (lost, channel.values().map(|part| part.late).max().expect("packets"))
        });
        eprintln!(
            "{leg}: downloads {} kbit/s, pings {p99} us over idle at p99, lost and late {late:?}",
            rate(leg)
        );
        seen.insert(leg, (rate(leg), p99, late));
    }
    // Without `devices`, each of both shapes 51 mbit, and the queue of the provider delays both.
    assert!(seen["own-on"].1 > 100_000, "{seen:?}");
    // The line is 51 mbit. A packet of the channel is charged 14 + 34 bytes above IP every 537 us, which is 20.74 mbit.
    // The tree has 47.7 mbit, and 1440 of the 1526 bytes of a full packet are goodput.
    for (leg, expected) in [("line-on", 25_440), ("line-off", 45_010)] {
        let (rate, p99, _) = seen[leg];
        assert!(rate.abs_diff(expected) * 50 < expected, "{leg}: {rate} kbit/s, expected {expected}");
        assert!(p99 < 5_000, "{leg}: {p99} us");
    }
    let (lost, late) = seen["line-on"].2.expect("a channel");
    assert_eq!(lost, 0, "lost packets of the channel");
    // The first round trips of the downloads come faster than the line, before they see a loss.
    assert!(late < 60_000, "a packet of the channel took {late} us");
    for packets_of in ["GROUP", "SESSION"] {
        let [before, after] =
            ["before", "after"].map(|when| report.text(&format!("out/groups/{when}-{packets_of}")));
        // The tree may be in either slot.
        let count = |text: &str| packets(&line.program, Dev::Ifb, &text.replace("c05:b", "c05:a"))["iptv"];
        assert_eq!(count(&after) - count(&before), 10, "{packets_of}\n{after}");
    }
}

/// Checks that `qosc plan` for the dump lists the commands that `print` showed, in the same order.
fn expect_planned(report: &Report, step: &str) {
    let plan = report.plan(&format!("{step}-dump"), "line.sh", &[1]);
    let printed = report.out(&format!("{step}-print"));
    let printed: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with("tc ") || line.starts_with("ip ") && !line.contains(" gso_max_segs "))
        .collect();
    assert_eq!(commands(&plan["steps"]), printed, "{}", report.about(step));
}

#[test]
fn start_treats_a_device_of_the_line_like_the_device_of_a_tunnel() {
    let line = line();
    let Some(report) = run("changes", &line) else { return };
    for step in ["here/start", "drifted/mended", "anew/start", "gone/start", "back/start", "foreign/start"] {
        report.expect_code(step, 0);
        expect_planned(&report, step);
        let again = format!("{}/again", step.split_once('/').expect("a leg").0);
        report.expect_code(&again, 0);
        assert_eq!(report.out(&again).trim(), "line: up to date", "{}", report.about(&again));
    }
    report.expect_code("here/check", 0);
    report.expect_code("drifted/check", 1);
    for leg in ["here", "foreign"] {
        report.expect_code(&format!("{leg}/stop"), 0);
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
    for (step, words) in [
        ("here/status", "eth1.8: downloads are queued behind it"),
        ("anew/status", "eth1.8: downloads are not queued: it was made anew; start mends that"),
        ("gone/status", "eth1.8: downloads are not queued: it is not there"),
        ("back/status", "eth1.8: downloads are not yet queued behind it; start does that"),
        ("foreign/status", "eth1.8: downloads are not queued: others have filters at its ingress or egress"),
    ] {
        assert!(report.out(step).contains(words), "{}", report.about(step));
    }
    let warned = report.text("out/gone/start.err");
    assert!(warned.contains("eth1.8: downloads are not queued: it is not there"), "{warned}");
}
