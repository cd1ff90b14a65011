//! Our marks coexist with those of another tool. Its bits of every mark, its tables and its routes are the same before,
//! during and after our script. None of its rules ever sees our bits.

use crate::house::House;
use crate::report::Report;
use std::collections::BTreeMap;

const OURS: u32 = 0xff00_0000;

const HOUSE: &str = "
link: { device: eth1, up: 5mbit, down: 10mbit, profile: ethernet }
lan: { device: br-lan, networks: [192.168.1.0/24], nat: true }
hosts: { desk: { address: 192.168.1.10 }, tv: { address: 192.168.1.11 } }
tuning: { mark_mask: 0xff000000 }
classes:
  one: { match: [{ host: desk }] }
  two: { match: [{ host: tv }, { dscp: [ef] }] }
  rest: { default: true }
";

/// A tool that balances connections over several uplinks. It marks each connection once, routes by the mark, and counts
/// packets with bits that are not its own.
const FOREIGN: &str = "
table inet balance {
    counter seen { }
    counter alien-before { }
    counter alien-after { }
    chain first {
        type filter hook prerouting priority raw; policy accept;
        meta mark & 0xff000000 != 0 counter name alien-before
    }
    chain sort {
        type filter hook prerouting priority mangle; policy accept;
        ct mark & 0xf00 == 0 ip saddr { 192.168.1.10, 192.168.1.12 } ct mark set ct mark | 0x100
        ct mark & 0xf00 == 0 ip saddr 192.168.1.11 ct mark set ct mark | 0x200
        meta mark set ct mark & 0xf00
    }
    chain passing {
        type filter hook forward priority filter; policy accept;
        ct mark & 0xf00 != 0 counter name seen
        meta mark & 0xff000000 != 0 counter name alien-after
    }
}
";

/// The mark of each TCP connection, by the addresses and ports of its first packet.
fn marks(report: &Report, step: &str) -> BTreeMap<String, u32> {
    let text = report.text(&format!("out/dash/{step}.connections"));
    let mut marks = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains("ESTABLISHED")) {
        let words: Vec<&str> = line.split_whitespace().filter(|word| word.contains('=')).collect();
        let mark = words.iter().find_map(|word| word.strip_prefix("mark=")).expect("a mark");
        marks.insert(words[..4].join(" "), mark.parse().expect("a number"));
    }
    marks
}

#[test]
fn marks_of_other_tools_stay_unchanged() {
    let house = House::of("foreign", HOUSE.as_bytes().to_vec());
    let flows: String =
        [("up", 10, 5001), ("down", 10, 5002), ("up", 11, 5003), ("down", 11, 5004), ("down", 12, 5005)]
            .iter()
            .map(|(direction, host, port)| {
                format!("{direction}-{host} lan/192.168.1.{host} net/198.51.100.1 {port} 1 {direction}\n")
            })
            .collect();
    let guest = house.guest("foreign-marks").file("flows", flows).file("foreign.nft", FOREIGN);
    let Some(report) = guest.variable("SECONDS_EACH", "900").run("foreign_marks.sh") else { return };
    for step in ["start", "second", "stop"] {
        report.expect_code(&format!("dash/{step}"), 0);
    }
    // The tool's routing rules test none of our bits.
    assert!(!report.text("out/dash/start.err").contains("rule of routing"), "{}", report.about("dash/start"));
    report.expect_same("out/dash/before.theirs", "out/dash/during.theirs");
    report.expect_same("out/dash/before.theirs", "out/dash/after.theirs");
    let before = marks(&report, "before");
    assert_eq!(before.len(), 5, "{before:?}\n{}", report.console());
    for step in ["during", "after"] {
        let after = marks(&report, step);
        for (connection, mark) in &before {
            let now = after.get(connection).copied();
            assert_eq!(now.map(|now| now & !OURS), Some(*mark), "{step}: {connection} {now:?}");
        }
    }
    // The checks above would mean nothing if we set no marks. While our script runs, each connection of a known host
    // has one of our numbers.
    let during = marks(&report, "during");
    for (connection, mark) in &during {
        let known = !connection.contains("src=192.168.1.12");
        assert_eq!(mark & OURS != 0, known, "{connection}: {mark:#x}\n{}", report.about("dash/tables"));
        assert!(mark & 0xf00 != 0, "{connection}: {mark:#x}");
    }
    for step in ["before", "during", "after"] {
        let text = report.text(&format!("out/dash/{step}.counters"));
        for counter in ["alien-before", "alien-after"] {
            let (_, rest) = text.split_once(&format!("counter {counter} ")).expect("a counter");
            assert!(
                rest.split_once("packets ").is_some_and(|(_, rest)| rest.starts_with("0 ")),
                "{step}: {text}"
            );
        }
    }
    assert!(!report.out("dash/left").contains("qosc"), "{}", report.about("dash/left"));
}

#[test]
fn start_names_routing_rules_that_test_our_bits() {
    let yaml = "link: { device: eth1, up: 5mbit, down: 10mbit, profile: ethernet }
lan: { device: br-lan, networks: [192.168.1.0/24], nat: true }
hosts: { desk: { address: 192.168.1.10 } }
classes:
  one: { match: [{ host: desk }, { mark: 0x40/0xff }] }
  rest: { default: true }
";
    let house = House::of("rules", yaml.into());
    let marks = house.model.marks.as_ref().expect("marks");
    assert_eq!(marks.mask.value, 0x1f00_0000, "or the rules below look at other bits");
    let rules = "-4 pref 100 fwmark 0x100/0xf00 lookup 100
-4 pref 101 fwmark 0x1000000/0xff000000 lookup 101
-4 pref 102 not fwmark 0xca6c lookup 102
-4 pref 103 fwmark 0x20000000/0xe0000000 lookup 103
-6 pref 104 fwmark 0x8000000/0x8000000 lookup 104
-4 pref 105 fwmark 0x10000000/0x10000000 lookup 105
-4 pref 106 fwmark 0/0x10000000 lookup 106
";
    let Some(report) = house.guest("rules").file("rules", rules).run("routing_rules.sh") else { return };
    // The preference of a rule, the bits of ours that it tests, and the advice.
    let other = "take bits of 0x00ff3093, at which no rule looks, with tuning: { mark_mask: ... }";
    let named = [
        (101, "0x0f000000", other.to_owned()),
        (102, "0x0f000000", "give it a mask, such as fwmark 0xca6c/0xf0ffffff".to_owned()),
        (104, "0x08000000", other.to_owned()),
        (105, "0x10000000", other.to_owned()),
    ];
    for leg in ["dash", "busybox", "bash", "shown"] {
        report.expect_code(&format!("{leg}/start"), 0);
        report.expect_code(&format!("{leg}/stop"), 0);
        let said = report.text(&format!("out/{leg}/start.err"));
        let lines: Vec<&str> = said.lines().filter(|line| line.contains("rule of routing")).collect();
        assert_eq!(lines.len(), named.len(), "{leg}: {said}");
        for (pref, bits, cure) in &named {
            let line = lines.iter().find(|line| line.contains(&format!("\"{pref}: ")));
            let line = line.unwrap_or_else(|| panic!("{leg}: {pref} in {said}"));
            assert!(line.starts_with("rules: warning: ") && line.contains(bits), "{leg}: {line}");
            assert!(line.ends_with(cure), "{leg}: {line}");
        }
        if leg != "shown" {
            assert_eq!(report.text(&format!("out/{leg}/second.err")), "", "{leg}");
            report.expect_same(&format!("out/{leg}/before.rules"), &format!("out/{leg}/after.rules"));
        }
    }
}
