//! A call executes few programs and forks seldom. On a small router, each program costs milliseconds.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use std::collections::BTreeMap;

/// Calls with the most programs and forks that they may take, besides `ethtool -K`. Those of `many` are of a script with
/// 400 classes more.
const MOST: [(&str, usize, usize); 12] = [
    ("start", 12, 22),
    ("second", 4, 8),
    ("check", 4, 10),
    ("status", 6, 14),
    ("metrics", 7, 16),
    ("change", 9, 15),
    ("rate-first", 6, 12),
    ("rate", 6, 12),
    ("stop", 9, 23),
    ("start-many", 12, 22),
    ("second-many", 4, 8),
    ("stop-many", 9, 23),
];

fn house(up: u16, classes: u16) -> House {
    let classes: String = (1..=classes)
        .map(|n| format!("  class-{n}: {{ match: [{{ protocol: tcp, remote_port: {n} }}] }}\n"))
        .collect();
    let yaml = format!(
        "name: counted\n\
         link: {{ device: eth0, profile: docsis, up: {up}mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n{classes}  rest: {{ default: true }}\n\
         police:\n  guests: {{ direction: down, match: [{{ local: 10.9.0.0/16 }}], rate: 1mbit }}\n"
    );
    House::of("counted", yaml.into_bytes()).with_calls()
}

#[test]
fn the_documented_costs_are_those_of_the_calls() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/script.md")).expect("the page of the script");
    let (_, page) = page.split_once("## What a call costs").expect("the table");
    for (row, calls) in [
        ("`start` from nothing", &["start"][..]),
        ("`start` with nothing to do", &["second"]),
        ("`start` with another configuration", &["change"]),
        ("`check`, `status`, `status --metrics`", &["check", "status", "metrics"]),
        ("`rate`", &["rate"]),
        ("`stop`", &["stop"]),
    ] {
        let line = page.lines().find_map(|line| line.strip_prefix(&format!("| {row} | "))).expect(row);
        let (programs, forks) = line.trim_end_matches(" |").split_once(" | ").expect("two cells");
        let programs = programs.split(", and").next().unwrap_or_default();
        let own = || calls.iter().flat_map(|call| MOST.iter().filter(move |(name, ..)| name == call));
        let listed = |number: fn(&(&str, usize, usize)) -> usize| {
            own().map(|one| number(one).to_string()).collect::<Vec<_>>().join(", ")
        };
        assert_eq!((programs, forks), (&*listed(|one| one.1), &*listed(|one| one.2)), "{row}");
    }
}

/// How often each word occurs.
fn counts<'a>(words: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

#[test]
fn calls_execute_few_programs() {
    let guest = house(20, 0).guest("processes").file("other.sh", house(18, 0).script);
    let Some(report) = guest.file("many.sh", house(20, 400).script).run("processes.sh") else { return };
    let text = |step: &str, kind: &str| report.text(&format!("out/{step}.{kind}"));
    for shell in ["dash", "busybox"] {
        let calls: BTreeMap<&str, String> =
            MOST.map(|(call, ..)| (call, text(&format!("{shell}/{call}"), "calls"))).into();
        // Programs by name.
        let executed = |call: &str| {
            let lines = calls[call].lines().filter(|line| !line.starts_with("ethtool -K"));
            counts(lines.map(|line| line.split(' ').next().unwrap_or(line)))
        };
        for (call, programs, forks) in MOST {
            let step = format!("{shell}/{call}");
            report.expect_code(&step, 0);
            assert_eq!(text(&step, "err"), "", "{step} says an error");
            let (names, calls) = (executed(call), &calls[call]);
            let number: usize = names.values().sum();
            let forked: usize = text(&step, "forks").trim().parse().expect("a number");
            eprintln!("{step}: {number} programs, {forked} forks {names:?}");
            if std::env::var("QOSC_LIST").is_ok() {
                eprintln!("{calls}");
            }
            assert!(number <= programs && forked <= forks, "{step}: {names:?}, {forked} forks\n{calls}");
            let of = |name: &str| names.get(name).copied().unwrap_or_default();
            match call {
                "rate" => assert_eq!((of("tc"), of("ip")), (2, 0), "{step}\n{calls}"),
                "start" | "start-many" => {
                    assert!(of("tc") + of("ip") + of("nft") <= 12, "{step}\n{calls}");
                    let ethtool = calls.lines().filter_map(|line| line.strip_prefix("ethtool "));
                    let devices = counts(ethtool.map(|words| words.split(' ').nth(1).unwrap_or_default()));
                    assert!(devices.values().all(|times| *times <= 2), "{step}: {devices:?}\n{calls}");
                }
                _ => {}
            }
        }
        for (few, many) in [("start", "start-many"), ("second", "second-many"), ("stop", "stop-many")] {
            assert_eq!(executed(few), executed(many), "{shell}: {few} and {many}");
        }
    }
}
