//! Traps: the kernel silently does something other than tc asks. It resets options that a change does not repeat, or
//! keeps them. It leaves a class in its place, or a filter as it was. Each test shows that a user does not notice this.

use crate::house::House;
use crate::streams::expect_exactly;

const LINK: &str = "name: traps\nlink: { device: eth0, profile: PROFILE, up: 20mbit, down: 40mbit }\n\
                    lan: { device: br-lan, nat: false }\n";

struct Trap {
    name: &'static str,
    before: String,
    after: String,
    /// Text that tc must show after the change, and only then.
    new: Vec<&'static str>,
    /// Text that tc must show before the change, and only then.
    old: Vec<&'static str>,
}

fn classes(voice: &str) -> String {
    let link =
        LINK.replace("PROFILE", "adsl-pppoe-llc").replace("20mbit", "1mbit").replace("40mbit", "8mbit");
    format!(
        "{link}classes:\n  voice: {{ {voice}, match: [{{ protocol: udp, remote_port: 5060 }}] }}\n  \
         rest: {{ default: true }}\n"
    )
}

fn trap(
    name: &'static str,
    before: String,
    after: String,
    old: &[&'static str],
    new: &[&'static str],
) -> Trap {
    Trap { name, before, after, new: new.to_vec(), old: old.to_vec() }
}

/// Classes: the kernel resets options that a change does not repeat.
fn reset() -> Vec<Trap> {
    let of = |voice: &str| classes(voice);
    let base = "priority: 5, guarantee: 20%, ceiling: 50%";
    vec![
        trap(
            "priority",
            of(base),
            of("priority: 2, guarantee: 20%, ceiling: 50%"),
            &["prio 5 "],
            &["prio 2 "],
        ),
        trap("guarantee", of(base), of("priority: 5, guarantee: 30%, ceiling: 50%"), &[], &[]),
        trap("ceiling", of(base), of("priority: 5, guarantee: 20%, ceiling: 60%"), &[], &[]),
    ]
}

/// Queues: the kernel keeps options that a change does not repeat.
fn kept() -> Vec<Trap> {
    let of = |queue: &str| classes(&format!("guarantee: 20%, queue: {queue}"));
    vec![
        trap("ecn", of("{ kind: fq_codel, ecn: true }"), of("{ kind: fq_codel, ecn: false }"), &[], &[]),
        trap(
            "fq-codel",
            of("{ kind: fq_codel, target: 21ms, interval: 210ms, limit: 321, quantum: 777, memory: 3MiB }"),
            of("{ kind: fq_codel }"),
            &["target 21ms", "interval 210ms", "limit 321p", "quantum 777", "memory_limit 3Mb"],
            &[],
        ),
        trap(
            "cake",
            of("{ kind: cake, rtt: 77ms, ack_filter: true, wash: true }"),
            of("{ kind: cake, ack_filter: false, wash: false }"),
            &["rtt 77ms", " ack-filter ", " wash "],
            &[" no-ack-filter ", " nowash "],
        ),
        trap(
            "fifo",
            of("{ kind: fifo, limit: 321 }"),
            of("{ kind: fifo, limit: 123 }"),
            &["limit 321p"],
            &["limit 123p"],
        ),
        trap(
            "tins",
            of("{ kind: cake, diffserv: diffserv8 }"),
            of("{ kind: cake, diffserv: besteffort }"),
            &["diffserv8"],
            &["besteffort"],
        ),
    ]
}

fn tree(inside: &str) -> String {
    let link = LINK.replace("PROFILE", "docsis");
    format!("{link}classes:\n{inside}  rest: {{ default: true }}\n")
}

const MATCH: &str = "match: [{ protocol: udp, remote_port: 5060 }]";

/// Places: a class that is given another parent stays where it is.
fn places() -> Vec<Trap> {
    let calls = format!("{{ {MATCH} }}");
    let other = |port: u16| format!("{{ match: [{{ protocol: tcp, remote_port: {port} }}] }}");
    let (one, two) = (other(1), other(2));
    vec![
        trap(
            "down",
            tree(&format!("  calls: {calls}\n  group:\n    classes:\n      one: {one}\n")),
            tree(&format!("  group:\n    classes:\n      one: {one}\n      calls: {calls}\n")),
            &[],
            &[],
        ),
        trap(
            "across",
            tree(&format!(
                "  a:\n    classes:\n      one: {one}\n      calls: {calls}\n  b:\n    classes:\n      two: {two}\n"
            )),
            tree(&format!(
                "  a:\n    classes:\n      one: {one}\n  b:\n    classes:\n      two: {two}\n      calls: {calls}\n"
            )),
            &[],
            &[],
        ),
        trap(
            "swapped",
            tree(&format!(
                "  a:\n    classes:\n      b:\n        classes:\n          one: {one}\n          calls: {calls}\n"
            )),
            tree(&format!(
                "  b:\n    classes:\n      a:\n        classes:\n          one: {one}\n          calls: {calls}\n"
            )),
            &[],
            &[],
        ),
        // A class with children keeps the priority that it had as a leaf class, whatever tc asks.
        trap(
            "filled",
            tree(&format!("  calls: {{ priority: 5, {MATCH} }}\n")),
            tree(&format!(
                "  calls:\n    priority: 5\n    {MATCH}\n    classes:\n      one: {{ priority: 4 }}\n"
            )),
            &["prio 5 "],
            &["prio 4 "],
        ),
        trap(
            "emptied",
            tree(&format!(
                "  calls:\n    priority: 2\n    {MATCH}\n    classes:\n      one: {{ priority: 4 }}\n"
            )),
            tree(&format!("  calls: {{ priority: 2, {MATCH} }}\n")),
            &["prio 4 "],
            &["prio 2 "],
        ),
    ]
}

/// Filters: a filter cannot change its match, and a match that is added twice exists twice.
fn matches() -> Vec<Trap> {
    let of = |what: &str| tree(&format!("  calls: {{ match: [{what}] }}\n"));
    let police = |what: &str, rate: u32| {
        let tree = of("{ protocol: udp, remote_port: 5060 }");
        format!("{tree}police:\n  guests: {{ direction: down, match: [{{ {what} }}], rate: {rate}mbit }}\n")
    };
    vec![
        trap(
            "match",
            of("{ protocol: udp, remote_port: 5060, family: ipv4 }"),
            of("{ protocol: udp, remote_port: 5062, family: ipv4 }"),
            &["000013c4/0000ffff"],
            &["000013c6/0000ffff"],
        ),
        trap(
            "fewer",
            of("{ protocol: udp, remote_port: [5060, 5062], family: ipv4 }"),
            of("{ protocol: udp, remote_port: 5062, family: ipv4 }"),
            &["000013c4/0000ffff"],
            &[],
        ),
        trap(
            "policed",
            police("local: 10.9.0.0/16", 2),
            police("local: 10.8.0.0/16", 2),
            &["0a090000/ffff0000"],
            &["0a080000/ffff0000"],
        ),
        trap(
            "police",
            police("local: 10.9.0.0/16", 2),
            police("local: 10.9.0.0/16", 3),
            &["rate 2Mbit"],
            &["rate 3Mbit"],
        ),
    ]
}

fn sprung(name: &str, traps: Vec<Trap>) {
    let houses: Vec<(Trap, House, House)> = traps
        .into_iter()
        .map(|trap| {
            let of = |yaml: &str| House::of("traps", yaml.as_bytes().to_vec());
            let (before, after) = (of(&trap.before), of(&trap.after));
            (trap, before, after)
        })
        .collect();
    let names: Vec<&str> = houses.iter().map(|(trap, ..)| trap.name).collect();
    let mut guest = houses[0].1.guest(name).variable("NAMES", &names.join(" "));
    for (trap, before, after) in &houses {
        guest = guest.file(&format!("{}/before.sh", trap.name), before.script.as_str());
        guest = guest.file(&format!("{}/after.sh", trap.name), after.script.as_str());
    }
    let Some(report) = guest.run("traps.sh") else { return };
    for (trap, before, after) in &houses {
        for (step, house) in [("before", before), ("after", after)] {
            report.expect_code(&format!("{}/{step}", trap.name), 0);
            expect_exactly(house, &report, &format!("{}/{step}", trap.name));
        }
        let (was, is) = (
            report.text(&format!("out/{}/before.held", trap.name)),
            report.text(&format!("out/{}/after.held", trap.name)),
        );
        assert!(was != is, "{}", trap.name);
        for (words, there, gone) in [(&trap.old, &was, &is), (&trap.new, &is, &was)] {
            for word in words {
                assert!(there.contains(word) && !gone.contains(word), "{}: {word}\n{was}\n{is}", trap.name);
            }
        }
    }
    report.expect_code(&format!("{}/stop", names.last().expect("one")), 0);
}

#[test]
fn class_options_that_a_change_would_reset_are_repeated() {
    sprung("traps-reset", reset());
}

#[test]
fn qdisc_options_that_a_change_would_keep_are_reset() {
    sprung("traps-kept", kept());
}

#[test]
fn classes_that_a_change_would_not_move_are_moved() {
    sprung("traps-places", places());
}

#[test]
fn filters_that_a_change_would_not_replace_are_recreated() {
    sprung("traps-matches", matches());
}
