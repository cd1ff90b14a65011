//! The cost of the filters of a tree: packets per second through a compiled tree relative to the same tree with only the
//! filter for the rest. `scripts/bench filters` runs it.
#![expect(clippy::print_stderr, reason = "the table is for whoever runs it")]

use crate::house::compiled;
use crate::packet::Packet;
use crate::times;
use crate::uml::{Guest, Machine};
use qosc_compiler::tc::{CATCH_ALL_PREF, Facts, Hook};
use std::fmt::Write as _;
use std::time::Duration;

const FACTS: Facts = Facts { header: 14, split_in_leaves: false };

/// Classes besides the default class.
const CLASSES: usize = 4;

/// Copies that the kernel makes of each packet.
const COPIES: usize = 32;

/// Turns of each measurement. Other work of the machine disturbs a turn less if it is short.
const TURNS: usize = 31;

/// Lengths of the lists.
const LENGTHS: [usize; 5] = [1, 10, 100, 1_000, 10_000];

/// Entries of a list.
#[derive(Clone, Copy)]
enum Entries {
    /// Matches of a single remote port.
    Ports,
    /// Matches of a single port at either end.
    Either,
    /// Hosts with a class.
    Hosts,
    /// Matches of a single address.
    Addresses,
    /// Matches of a range of remote ports.
    Ranges,
}

const KINDS: [(&str, Entries); 5] = [
    ("ports", Entries::Ports),
    ("either end", Entries::Either),
    ("hosts", Entries::Hosts),
    ("addresses", Entries::Addresses),
    ("ranges", Entries::Ranges),
];

/// Port of a packet that meets no match, and an address of no host.
const NO_PORT: u16 = 999;
const NO_HOST: &str = "10.1.250.250";

fn address(entry: usize) -> String {
    format!("10.1.{}.{}", entry / 250, entry % 250 + 1)
}

/// First and last port of an entry. The ports of all entries spread evenly.
fn ports(entries: Entries, entry: usize, length: usize) -> (usize, usize) {
    let distance = 60_000 / length;
    let first = 1_001 + entry * distance;
    (first, if matches!(entries, Entries::Ranges) { first + distance * 2 / 3 } else { first })
}

/// A line whose matches fill one list.
fn yaml(device: &str, entries: Entries, length: usize) -> String {
    let mut hosts = String::new();
    let mut matches = vec![String::new(); CLASSES];
    for entry in 0..length {
        let (class, (first, last)) = (entry % CLASSES, ports(entries, entry, length));
        match entries {
            Entries::Hosts => {
                let _ = writeln!(hosts, "  h{entry}: {{ address: {}, class: c{class} }}", address(entry));
            }
            Entries::Addresses => {
                let _ = writeln!(matches[class], "      - {{ local: {} }}", address(entry));
            }
            Entries::Ports | Entries::Ranges => {
                let _ = writeln!(matches[class], "      - {{ protocol: udp, remote_port: {first}-{last} }}");
            }
            Entries::Either => {
                let _ = writeln!(matches[class], "      - {{ protocol: udp, port: {first} }}");
            }
        }
    }
    let mut text = format!(
        "name: cost\n\
         link: {{ device: {device}, profile: ethernet, up: 10gbit, down: 10gbit, ingress: none }}\n\
         lan: {{ device: lan0, networks: [10.1.0.0/16], nat: false }}\n\
         tuning: {{ offloads: keep }}\n\
         classes:\n"
    );
    for (class, matches) in matches.iter().enumerate() {
        let _ = writeln!(text, "  c{class}:\n    guarantee: 10%");
        if !matches.is_empty() {
            let _ = write!(text, "    match:\n{matches}");
        }
    }
    text.push_str("  rest: { default: true, share: per-flow }\n");
    if !hosts.is_empty() {
        let _ = write!(text, "hosts:\n{hosts}");
    }
    text
}

/// One packet for each of some entries, or one that meets the whole list and belongs to the default class.
fn packets(entries: Entries, length: usize, mix: bool) -> String {
    let chosen: Vec<Option<usize>> = if mix {
        (0..100).map(|turn| (turn % 5 > 0).then(|| turn * 7919 % length)).collect()
    } else {
        vec![None]
    };
    let packet = |entry: Option<usize>| {
        let host = entry.map_or_else(|| NO_HOST.to_owned(), address);
        let port = entry.and_then(|entry| u16::try_from(ports(entries, entry, length).0).ok());
        Packet::new(&host, "203.0.113.1").udp(NO_PORT, port.unwrap_or(NO_PORT)).length(64).line("send", 1)
    };
    chosen.into_iter().map(packet).collect()
}

#[test]
#[ignore = "measures for some minutes; `scripts/bench filters`"]
fn filters_cost_little() {
    let most = std::env::var("QOSC_MOST").map_or(10_000, |most| most.parse().expect("a number"));
    let mut guest = Guest::new("filters").on(Machine::Uml).memory(1024).limit(Duration::from_secs(3000));
    let mut cases = String::new();
    let mut rows = Vec::new();
    for (kind, entries) in KINDS {
        for length in LENGTHS.into_iter().filter(|length| *length <= most) {
            let device = format!("{}{length}", kind.split_at(1).0);
            let (_, program) = compiled("cost", yaml(&device, entries, length).as_bytes());
            let filters = program.filters.iter().filter(|filter| filter.hook == Hook::Root).count();
            guest = guest
                .file(&format!("{device}.batch"), qosc_compiler::emit::batch(&program, FACTS, "cost.yaml"));
            let (_, mut bare) = compiled("cost", yaml("base", entries, length).as_bytes());
            bare.filters.retain(|filter| filter.hook != Hook::Root || filter.pref == CATCH_ALL_PREF);
            // every tree has the same classes
            guest = guest.file("base.batch", qosc_compiler::emit::batch(&bare, FACTS, "cost.yaml"));
            for (what, mix) in [("rest", false), ("mix", true)] {
                guest = guest.file(&format!("{device}.{what}"), packets(entries, length, mix));
                let rounds = if mix { 3 } else { 300 };
                let _ = write!(cases, "{device}:{what}:{rounds} ");
                rows.push((kind, length, filters, device.clone(), what, rounds * if mix { 100 } else { 1 }));
            }
        }
    }
    guest = guest.variable("CASES", &cases).variable("TURNS", &TURNS.to_string());
    let Some(report) = guest.variable("COPIES", &COPIES.to_string()).run("filter_cost.sh") else { return };
    let times = report.text("out/filters/times");
    let mut table = String::new();
    for (kind, length, filters, device, what, sent) in rows {
        report.expect_code(&format!("filters/{device}-load"), 0);
        // Pairs of turns: the bare tree, then this one.
        let (mut ratios, mut bases): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for line in times.lines().filter_map(|line| line.strip_prefix(&format!("{device}:{what} "))) {
            let both: Vec<u64> = line.split(' ').map(|time| time.parse().expect("nanoseconds")).collect();
            ratios.push(both[0] * 1_000 / both[1].max(1));
            bases.push(both[0] / (sent * COPIES) as u64);
        }
        ratios.sort_unstable();
        bases.sort_unstable();
        let (ratio, base) = (ratios[ratios.len() / 2], bases[bases.len() / 2]);
        let cost = (base * 1_000 / ratio.max(1)).saturating_sub(base);
        let _ = writeln!(
            table,
            "| {kind} | {length} | {filters} | {} | {}.{:02} | {base} ns | {cost} ns |",
            if what == "rest" { "default class" } else { "mix" },
            ratio / 1_000,
            ratio % 1_000 / 10,
        );
    }
    eprintln!(
        "| list | length | filters | packets | packets per second, relative | bare HTB | filters alone |\n\
         |---|---|---|---|---|---|---|\n{table}"
    );
    assert!(!times::asserted() || !table.contains("| 0.0"), "{table}");
}
