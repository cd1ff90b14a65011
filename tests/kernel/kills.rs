//! A start, a change and a stop, each killed after every one of its steps. A step is a process, or a line of a batch
//! that changes something. The next `start` then gives the same state as a clean start, and the next `stop` restores
//! the state before.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::report::Report;
use crate::share::{SHARES, share, shared};
use crate::streams::expect_exactly;
use crate::uml::Guest;
use std::time::Duration;

const LINK: &str = "name: cuts\nlink: { device: eth0, profile: docsis, up: UP, down: 40mbit }\n";

/// Two configurations of a link. Between them, classes appear, disappear, move and change their queue, and police
/// change.
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

/// Two configurations between which both root qdiscs must be rebuilt: the overhead falls below an Ethernet header.
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

/// Two configurations between which hosts behind NAT appear, disappear and move, so that the table of marks and the
/// filters for marks change.
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

/// Two configurations with ports in hash tables, which stay when the list changes.
pub fn hashed() -> (House, House) {
    let of = |rest: &str, ports: std::ops::Range<u16>| {
        let link = LINK.replace("UP", "20mbit");
        let ports: Vec<String> = ports.map(|port| (3 * port).to_string()).collect();
        let voice =
            format!("match: [{{ protocol: udp, remote_port: [{}], family: ipv4 }}]", ports.join(", "));
        let rest = rest.replace("VOICE", &voice);
        House::of(
            "cuts",
            format!("{link}lan: {{ device: br-lan, nat: false }}\nclasses:\n{rest}").into_bytes(),
        )
    };
    let a = "  work: { classes: { voice: { VOICE }, far: {} } }\n  rest: { default: true }\n";
    let b = "  work: { VOICE }\n  rest: { default: true }\n";
    (of(a, 100..113), of(b, 107..120))
}

/// The table of another tool, whose marks are beside ours.
const FOREIGN: &str = "
table inet balance {
    counter seen { }
    map ways { type ipv4_addr : mark; elements = { 192.168.1.5 : 0x100 } }
    chain sort {
        type filter hook prerouting priority mangle; policy accept;
        ct mark set ct mark | 0x8000
    }
}
";

/// Creates a guest for the first of two configurations. If that has marks, the guest also has the table of another
/// tool.
pub fn guest_for(a: &House, name: &str) -> Guest {
    let guest = a.guest(name);
    let guest = match share() {
        Some(share) => guest.variable("SHARE", &share.to_string()).variable("SHARES", &SHARES.to_string()),
        None => guest,
    };
    if a.model.marks.is_none() {
        return guest;
    }
    guest.variable("TABLE", "qosc_cuts").file("foreign.nft", FOREIGN)
}

/// The steps of the undisturbed call, as `spy.c` records them.
pub fn steps(report: &Report) -> Vec<String> {
    let text = report.text("out/calls");
    assert!(!text.is_empty(), "nothing was spied on\n{}", report.console());
    text.lines().map(str::to_owned).collect()
}

/// The turns that the guest took; each is the number of a step. With `all`, they must be all steps of this part of the
/// test.
#[track_caller]
pub fn turns(report: &Report, steps: &[String], (part, parts): (usize, usize), all: bool) -> Vec<usize> {
    let text = report.text("out/turns");
    let taken: Vec<usize> = text.lines().map(|line| line.parse().expect("a number")).collect();
    let mut of_part = (part..=steps.len()).step_by(parts);
    assert!(!all || shared(of_part.clone().collect()) == taken, "{taken:?} of {}", steps.len());
    assert!(!taken.is_empty(), "no turn of {}", steps.len());
    assert!(taken.iter().all(|turn| of_part.any(|own| own == *turn)), "{taken:?} of {}", steps.len());
    taken
}

/// The call that is killed, the calls that follow, and the selection of turns.
struct Cut<'a> {
    what: &'a str,
    next: &'a [&'a str],
    part: (usize, usize),
    /// The tools whose steps count; empty for all tools.
    only: &'a [&'a str],
    /// The number of turns, spread over all steps. Every call of nft is a turn as well.
    most: Option<usize>,
}

const WHOLE: Cut<'_> = Cut { what: "start", next: &["start"], part: (1, 1), only: &[], most: None };

fn kill(what: &str, next: &str, part: usize, parts: usize) {
    killed(pair(), &Cut { what, next: &[next], part: (part, parts), ..WHOLE });
}

fn killed((a, b): (House, House), cut: &Cut<'_>) {
    let guest = guest_for(&a, &format!("killed-{}-{}-{}", cut.what, cut.next.join("-"), cut.part.0));
    judge(guest, (&a, &b), cut);
}

/// The tools with which a script keeps its records.
const KEEPERS: [&str; 6] = ["cat", "ln", "mkdir", "mv", "rm", "rmdir"];

/// Kills a call only after each process that keeps a record.
fn killed_at_records(what: &str, next: &str) {
    let (a, b) = pair();
    let guest = guest_for(&a, &format!("records-{what}-{next}"));
    let guest = guest.variable("SPIED", &format!("tc ip nft ethtool {}", KEEPERS.join(" ")));
    let guest = guest.variable("ONLY", &KEEPERS.join("|"));
    judge(guest, (&a, &b), &Cut { what, next: &[next], only: &KEEPERS, ..WHOLE });
}

/// The number of turns of a call if there are marks.
const SOME: usize = 12;

/// Takes only some of the turns if there are marks, because each takes its time.
fn killed_with_marks(what: &str) {
    killed(marked(), &Cut { what, next: &["start", "stop"], most: Some(SOME), ..WHOLE });
}

fn judge(guest: Guest, (a, b): (&House, &House), cut: &Cut<'_>) {
    let guest = guest.file("a.sh", a.script.as_str()).file("b.sh", b.script.as_str());
    let guest = guest.variable("WHAT", cut.what).variable("NEXT", &cut.next.join(" "));
    let guest = guest.variable("PART", &cut.part.0.to_string()).variable("PARTS", &cut.part.1.to_string());
    let guest = match cut.most {
        Some(most) => guest
            .variable("MOST", &most.to_string())
            .variable("SEED", &crate::random_walk::seed().to_string()),
        None => guest,
    };
    let Some(report) = guest.limit(Duration::from_secs(1800)).run("kills.sh") else { return };

    for step in ["start", "performed"] {
        report.expect_code(&format!("whole/{step}"), 0);
    }
    expect_exactly(a, &report, "whole/start");
    report.expect_same("out/whole/before.glance", "out/whole/wiped.glance");
    if cut.what != "stop" {
        expect_exactly(b, &report, "whole/performed");
    }
    let steps = steps(&report);
    let taken = turns(&report, &steps, cut.part, cut.only.is_empty() && cut.most.is_none());
    let mut count = 0;
    for turn in taken {
        let step = &steps[turn - 1];
        let tool = step.split(' ').next().unwrap_or_default();
        assert!(cut.only.is_empty() || cut.only.contains(&tool), "{step}");
        let follows = |next: &&&str| !report.text(&format!("out/{turn}/{next}.code")).is_empty();
        let next: Vec<&&str> = cut.next.iter().filter(follows).collect();
        let least = if tool == "nft" { cut.next.len() } else { 1 };
        assert!(next.len() >= least, "killed after {step}: {next:?}");
        for next in next {
            report.expect_code(&format!("{turn}/killed-{next}"), 137);
            let code = report.text(&format!("out/{turn}/{next}.code"));
            assert_eq!(code.trim(), "0", "killed after {step}\n{}", report.about(&format!("{turn}/{next}")));
            if *next == "start" {
                expect_exactly(b, &report, &format!("{turn}/start"));
                if b.model.marks.is_some() {
                    report.expect_same("out/last/start.marks", &format!("out/{turn}/start.marks"));
                }
            } else {
                report.expect_same("out/whole/before.glance", &format!("out/{turn}/stop.glance"));
            }
            count += 1;
        }
    }
    let least = if share().is_some() { 1 } else { cut.most.unwrap_or(1).min(steps.len()) };
    assert!(count >= least, "{count} of {} steps", steps.len());
    eprintln!("{}: {count} kills, {} steps", report.name(), steps.len());
    for step in ["start", "stop"] {
        report.expect_code(&format!("last/{step}"), 0);
    }
    report.expect_same("out/whole/before.glance", "out/last/stopped.glance");
}

#[test]
fn a_killed_start_is_repaired_by_start() {
    kill("start", "start", 1, 1);
}

#[test]
fn a_killed_start_is_undone_by_stop() {
    kill("start", "stop", 1, 1);
}

#[test]
fn a_change_killed_at_odd_steps_is_repaired_by_start() {
    kill("change", "start", 1, 2);
}

#[test]
fn a_change_killed_at_even_steps_is_repaired_by_start() {
    kill("change", "start", 2, 2);
}

#[test]
fn a_killed_change_is_undone_by_stop() {
    kill("change", "stop", 1, 1);
}

#[test]
fn a_killed_change_of_hash_tables_is_repaired_or_undone() {
    killed(hashed(), &Cut { what: "change", next: &["start", "stop"], most: Some(SOME), ..WHOLE });
}

#[test]
fn a_killed_rebuild_is_repaired_by_start() {
    killed(anew(), &Cut { what: "change", ..WHOLE });
}

#[test]
fn a_killed_rebuild_is_undone_by_stop() {
    killed(anew(), &Cut { what: "change", next: &["stop"], ..WHOLE });
}

#[test]
fn a_killed_stop_is_repaired_by_start() {
    kill("stop", "start", 1, 1);
}

#[test]
fn a_killed_stop_is_completed_by_stop() {
    kill("stop", "stop", 1, 1);
}

#[test]
fn a_start_killed_at_its_records_is_undone_by_stop() {
    killed_at_records("start", "stop");
}

#[test]
fn a_change_killed_at_its_records_is_repaired_by_start() {
    killed_at_records("change", "start");
}

#[test]
fn a_stop_killed_at_its_records_is_repaired_by_start() {
    killed_at_records("stop", "start");
}

#[test]
fn a_killed_start_with_marks_is_repaired_or_undone() {
    killed_with_marks("start");
}

#[test]
fn a_killed_change_of_marks_is_repaired_or_undone() {
    killed_with_marks("change");
}

#[test]
fn a_killed_stop_with_marks_is_repaired_or_completed() {
    killed_with_marks("stop");
}
