//! A start, a change and a stop, each killed after every step that it takes: every process, and every line of a batch that
//! changes something. The next `start` then gives what a clean one gives, and the next `stop` what was there before.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::report::Report;
use crate::streams::expect_exactly;
use crate::uml::Guest;
use std::time::Duration;

const LINK: &str = "name: cuts\nlink: { device: eth0, profile: docsis, up: UP, down: 40mbit }\n";

/// Two descriptions of a link between which classes come, go, move and change their queue, and police changes.
pub fn pair() -> (House, House) {
    let a = "lan: { device: br-lan, nat: false }\n\
         classes:\n  \
           voice: { priority: 0, guarantee: 10%, match: [{ protocol: udp, remote_port: 5060, family: ipv4 }] }\n  \
           film: { queue: fifo, match: [{ protocol: tcp, remote_port: 554, family: ipv6 }] }\n  \
           work:\n    classes:\n      \
             near: { match: [{ remote: 203.0.113.0/25 }] }\n      \
             far: { match: [{ remote: 203.0.113.128/25 }] }\n  \
           rest: { default: true }\n\
         police:\n  guests: { direction: down, match: [{ local: 10.9.0.0/16 }], rate: 2mbit }\n";
    let b = "lan: { device: br-lan, nat: false }\n\
         tuning: { txqueuelen: 500 }\n\
         classes:\n  \
           voice: { priority: 1, guarantee: 12%, match: [{ protocol: udp, remote_port: 5061, family: ipv4 }] }\n  \
           film: { queue: { flows: 64 }, match: [{ protocol: tcp, remote_port: 554, family: ipv6 }] }\n  \
           work:\n    classes:\n      \
             near: { match: [{ remote: 203.0.113.0/25 }] }\n  \
           far: { match: [{ remote: 203.0.113.128/25 }] }\n  \
           rest: { default: true }\n\
         police:\n  guests: { direction: down, match: [{ local: 10.9.0.0/16 }], rate: 1mbit }\n";
    let of =
        |up: &str, rest: &str| House::of("cuts", format!("{}{rest}", LINK.replace("UP", up)).into_bytes());
    (of("20mbit", a), of("18mbit", b))
}

/// Two descriptions between which both roots must be made anew: the overhead falls below an Ethernet header.
pub fn anew() -> (House, House) {
    let rest = "lan: { device: br-lan, nat: false }\n\
         classes:\n  \
           voice: { priority: 0, guarantee: 10%, match: [{ protocol: udp, remote_port: 5060, family: ipv4 }] }\n  \
           rest: { default: true }\n\
         police:\n  guests: { direction: down, match: [{ local: 10.9.0.0/16 }], rate: 2mbit }\n";
    let of = |profile: &str| {
        let link = LINK.replace("UP", "20mbit").replace("docsis", profile);
        House::of("cuts", format!("{link}{rest}").into_bytes())
    };
    (of("docsis"), of("raw"))
}

/// Two descriptions between which hosts behind NAT come, go and move, so that the table of marks and its readers change.
pub fn marked() -> (House, House) {
    let of = |rest: &str| {
        let link = LINK.replace("UP", "20mbit");
        House::of("cuts", format!("{link}lan: {{ device: br-lan }}\n{rest}").into_bytes())
    };
    let a = "hosts: { ata: { address: 192.168.1.5 }, tv: { address: 192.168.1.9 } }\n\
         classes:\n  \
           voice: { match: [{ host: ata }] }\n  \
           rest: { default: true }\n\
         police:\n  tv: { direction: down, match: [{ host: tv }], rate: 2mbit }\n";
    let b = "hosts: { ata: { address: 192.168.1.6 }, guests: { address: 192.168.1.128/25 } }\n\
         classes:\n  \
           voice: { match: [{ host: ata }] }\n  \
           slow: { match: [{ host: guests }] }\n  \
           rest: { default: true }\n\
         police:\n  guests: { direction: down, match: [{ host: guests }], rate: 2mbit }\n";
    (of(a), of(b))
}

/// A guest for the first of two descriptions: where it has marks, on a kernel that has nf_tables.
pub fn guest_for(a: &House, name: &str) -> Guest {
    let guest = a.guest(name);
    if a.model.marks.is_none() {
        return guest;
    }
    guest.variable("TABLE", "qosc_cuts")
}

/// The steps of the undisturbed call, as `spy.c` writes them.
pub fn steps(report: &Report) -> Vec<String> {
    let text = report.text("out/calls");
    assert!(!text.is_empty(), "nothing was spied on\n{}", report.console());
    text.lines().map(str::to_owned).collect()
}

/// The turns that a part takes.
pub fn turns(steps: &[String], part: usize, parts: usize) -> impl Iterator<Item = usize> {
    (part..=steps.len()).step_by(parts)
}

fn kill(what: &str, next: &str, part: usize, parts: usize) {
    killed(pair(), what, next, part, parts);
}

fn killed((a, b): (House, House), what: &str, next: &str, part: usize, parts: usize) {
    let guest = guest_for(&a, &format!("killed-{what}-{next}-{part}"));
    judge(guest, (&a, &b), what, next, (part, parts), &[]);
}

/// The tools with which a script keeps its records.
const KEEPERS: [&str; 6] = ["cat", "ln", "mkdir", "mv", "rm", "rmdir"];

/// Killed after each process that keeps a record, and by nothing else.
fn killed_at_records(what: &str, next: &str) {
    let (a, b) = pair();
    let guest = a.guest(&format!("records-{what}-{next}"));
    let guest = guest.variable("SPIED", &format!("tc ip nft ethtool {}", KEEPERS.join(" ")));
    let guest = guest.variable("ONLY", &KEEPERS.join("|"));
    judge(guest, (&a, &b), what, next, (1, 1), &KEEPERS);
}

fn judge(
    guest: Guest,
    (a, b): (&House, &House),
    what: &str,
    next: &str,
    (part, parts): (usize, usize),
    only: &[&str],
) {
    let guest = guest.file("a.sh", a.script.as_str()).file("b.sh", b.script.as_str());
    let guest = guest.variable("WHAT", what).variable("NEXT", next);
    let guest = guest.variable("PART", &part.to_string()).variable("PARTS", &parts.to_string());
    let Some(report) = guest.limit(Duration::from_secs(1800)).run("kills.sh") else { return };

    for step in ["start", "performed"] {
        report.expect_code(&format!("whole/{step}"), 0);
    }
    expect_exactly(a, &report, "whole/start");
    report.expect_same("out/whole/before.glance", "out/whole/wiped.glance");
    let target = if what == "stop" { a } else { b };
    if what != "stop" {
        expect_exactly(target, &report, "whole/performed");
    }
    let steps = steps(&report);
    let mut count = 0;
    for turn in turns(&steps, part, parts) {
        let step = &steps[turn - 1];
        if !only.is_empty() && !only.iter().any(|tool| step.starts_with(&format!("{tool} "))) {
            continue;
        }
        report.expect_code(&format!("{turn}/killed"), 137);
        let next_code = report.text(&format!("out/{turn}/next.code"));
        assert_eq!(next_code.trim(), "0", "killed after {step}\n{}", report.about(&format!("{turn}/next")));
        if next == "start" {
            expect_exactly(b, &report, &format!("{turn}/next"));
        } else {
            report.expect_same("out/whole/before.glance", &format!("out/{turn}/next.glance"));
        }
        count += 1;
    }
    eprintln!("{}: {count} of {} steps", report.name(), steps.len());
    for step in ["start", "stop"] {
        report.expect_code(&format!("last/{step}"), 0);
    }
    report.expect_same("out/whole/before.glance", "out/last/stopped.glance");
}

#[test]
fn start_is_mended_by_start() {
    kill("start", "start", 1, 1);
}

#[test]
fn start_is_undone_by_stop() {
    kill("start", "stop", 1, 1);
}

#[test]
fn change_is_mended_by_start() {
    kill("change", "start", 1, 2);
}

#[test]
fn change_is_mended_by_start_too() {
    kill("change", "start", 2, 2);
}

#[test]
fn change_is_undone_by_stop() {
    kill("change", "stop", 1, 1);
}

#[test]
fn rebuild_is_mended_by_start() {
    killed(anew(), "change", "start", 1, 1);
}

#[test]
fn rebuild_is_undone_by_stop() {
    killed(anew(), "change", "stop", 1, 1);
}

#[test]
fn stop_is_mended_by_start() {
    kill("stop", "start", 1, 1);
}

#[test]
fn stop_is_done_by_stop() {
    kill("stop", "stop", 1, 1);
}

#[test]
fn records_of_a_start_are_no_trap() {
    killed_at_records("start", "stop");
}

#[test]
fn records_of_a_change_are_no_trap() {
    killed_at_records("change", "start");
}

#[test]
fn records_of_a_stop_are_no_trap() {
    killed_at_records("stop", "start");
}
