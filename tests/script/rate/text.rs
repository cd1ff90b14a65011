//! Rates as people write them.

use super::{SHELLS, compiled, said};
use crate::tools;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use qosc_compiler::units::Rate;
use std::fmt::Write as _;

/// The rates that the script reads from texts.
fn read(shell: &[&str], functions: &str, texts: &[String]) -> Vec<Option<u64>> {
    let mut then = "fail() { :; }\n".to_owned();
    for text in texts {
        let quoted = text.replace('\'', r"'\''");
        let _ = writeln!(then, "if read_rate '{quoted}'; then echo \"$bps\"; else echo none; fi");
    }
    said(shell, functions, &then).lines().map(|line| line.parse().ok()).collect()
}

#[test]
fn the_rate_call_reads_rates_as_the_yaml() {
    if !tools::found(&["dash", "busybox"]) {
        return;
    }
    let own = compiled("own", b"link: { device: eth0, up: 10mbit, down: 10mbit }\n").expect("it compiles");
    let mut texts: Vec<String> = [
        "6.5mbit",
        "6.5 MBit/s",
        "400kbit /s",
        " 1gbit ",
        "0.000000001gbit",
        "1.0bit",
        "1.5bit",
        "0.5kbit",
        "1000gbit",
        "1000.000000001gbit",
        "010mbit",
        "0mbit",
        "0.0gbit",
        "",
        "mbit",
        ".5mbit",
        "5.mbit",
        "1.2.3mbit",
        "5",
        "5mbps",
        "5MB/s",
        "5mbit/sec",
        "5 m bit",
        "5mbits",
        "-5mbit",
        "+5mbit",
        "1e3kbit",
        "0x10bit",
        "1_000kbit",
        "1,5mbit",
        "5%",
        "99999999999999999999999gbit",
        "0.1234567890mbit",
        "007bit",
        "00bit",
        "5mbit;reboot",
        "$(reboot)",
        "*",
        "'",
        "12 34bit",
        "5 /s",
        "08.5mbit",
        "0.08mbit",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut runner = TestRunner::deterministic();
    let random = "[0-9]{0,3}[.]?[0-9]{0,4} ?[kKmMgG]?[bB][iI][tT](/s|/S)?";
    texts.extend((0..200).map(|_| random.new_tree(&mut runner).expect("a text").current()));
    let meant: Vec<Option<u64>> = texts
        .iter()
        .map(|text| {
            text.parse::<Rate>().ok().map(Rate::bps).filter(|bps| (1..=1_000_000_000_000).contains(bps))
        })
        .collect();
    for (shell, _) in &SHELLS[..3] {
        for ((text, meant), read) in texts.iter().zip(&meant).zip(read(shell, &own.functions, &texts)) {
            assert_eq!(read, *meant, "{shell:?} of {text:?}");
        }
    }
}

#[test]
fn the_rate_call_prints_rates_as_the_yaml() {
    if !tools::found(&["dash", "busybox"]) {
        return;
    }
    let own = compiled("own", b"link: { device: eth0, up: 10mbit, down: 10mbit }\n").expect("it compiles");
    let rates = [
        1,
        999,
        1_000,
        1_001,
        1_500,
        6_271_384,
        6_500_000,
        999_999_999_999,
        1_000_000_000_000,
        40_000_000_000,
        123_450,
    ];
    let then: String = rates.iter().map(|bps| format!("speak_rate {bps}; echo \"$spoken\"\n")).collect();
    for (shell, _) in &SHELLS[..3] {
        let said = said(shell, &own.functions, &then);
        let meant: Vec<String> = rates.iter().map(|bps| Rate::from_bps(*bps).to_string()).collect();
        assert_eq!(said.lines().collect::<Vec<_>>(), meant, "{shell:?}");
    }
}
