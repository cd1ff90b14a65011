//! Numbers that the kernel would not hold are refused, and all others are accepted (`qosc_compiler::terms::limits`).

#![cfg(test)]

use crate::beyond::beyond;
use crate::samples::{Sample, extreme, samples};
use qosc_compiler::compile::{Compilation, Options};
use qosc_compiler::diag::Severity;
use qosc_compiler::terms::limits;
use qosc_compiler::units::Rate;
use std::path::Path;

fn compiled(text: &str) -> Compilation {
    qosc_compiler::compile(text, &Options::of("limits.yaml"))
}

/// The codes of the errors.
fn refused(text: &str) -> Vec<&'static str> {
    let found = compiled(text).findings;
    found.iter().filter(|f| f.severity == Severity::Error).map(|f| f.code.as_str()).collect()
}

#[test]
fn a_limit_is_accepted_and_one_more_is_refused() {
    for sample in samples().into_iter().chain(alone()) {
        let (least, most) = sample.ends;
        for (number, high) in [(least, false), (most, true)] {
            let text = sample.file(number, high);
            assert_eq!(refused(&text), [""; 0], "{text}");
            let program = compiled(&text).program.expect("a program");
            assert_eq!(beyond(&program), [""; 0], "{text}");
        }
        if let (false, Some(less)) = (sample.codes.0.is_empty(), least.checked_sub(1)) {
            let text = sample.file(less, false);
            assert_eq!(refused(&text), [sample.codes.0], "{text}");
        }
        let text = sample.file(most + 1, true);
        assert_eq!(refused(&text), [sample.codes.1], "{text}");
    }
}

/// The time of a bucket in the steps of 64 ns that `tc` sends: whole bytes per second, then whole microseconds
/// (`tc_calc_xmittime`, `tc_core_time2tick`).
fn steps(bytes: u64, rate: u64) -> u128 {
    u128::from(bytes) * 1_000_000 / u128::from(rate / 8) * 125 / 8
}

#[test]
fn buckets_fit_into_the_steps_of_tc() {
    for rate in
        [8, 100, 8_001, 8_007, 64_123, 1_000_001, 6_271_384, 99_999_999, 1_000_000_007, 1_000_000_000_000]
    {
        let (least, most) = limits::buckets(Rate::from_bps(rate)).into_inner();
        let (least, most) = (least.get(), most.get());
        assert!(steps(least, rate) > 0, "{least} bytes at {rate} bit/s");
        assert!(steps(most, rate) <= u128::from(u32::MAX), "{most} bytes at {rate} bit/s");
        assert!(least == 1 || steps(least - 1, rate) == 0, "{least} bytes at {rate} bit/s could be less");
        let more = most + rate / 4_000_000 + 1;
        let is_longest = steps(more, rate) > u128::from(u32::MAX);
        assert!(
            most == u64::from(u32::MAX) || is_longest,
            "{most} bytes at {rate} bit/s could be two microseconds more"
        );
    }
}

/// A new row of the table needs a place in a file, so that these tests and the one on a kernel try it.
#[test]
fn every_number_that_a_file_gives_has_a_sample() {
    let samples = samples();
    for limit in limits::ALL {
        for key in limit.key.iter().flat_map(|keys| keys.split(", ")) {
            let key = format!("{}: @", key.rsplit('.').next().unwrap_or(key));
            let asks = |sample: &Sample| sample.limit == *limit && sample.entry.contains(&key);
            assert!(samples.iter().chain(&alone()).any(asks), "`{key}` of {} has no sample", limit.words);
        }
    }
}

/// Places for numbers that cannot stand in one file with the other samples.
fn alone() -> Vec<Sample> {
    vec![
        Sample {
            limit: limits::RATE,
            // The default class needs a rate, too.
            ends: (limits::RATE.least, limits::RATE.most - limits::RATE.least),
            section: "classes",
            entry: "#: { guarantee: @bit, match: { protocol: 214 } }",
            codes: ("Q0602", "Q0406"),
        },
        Sample {
            limit: limits::MARK,
            ends: (1, limits::MARK.most),
            section: "tuning",
            entry: "mark_mask: @",
            codes: ("Q0209", "Q0209"),
        },
        Sample {
            limit: limits::ROUND_TRIP,
            ends: (limits::ROUND_TRIP.least, limits::ROUND_TRIP.most),
            section: "tuning",
            entry: "tcp: { rtt: @us }",
            codes: ("Q0203", "Q0203"),
        },
    ]
}

#[test]
fn all_limits_fit_into_one_file() {
    for high in [false, true] {
        let text = extreme(high);
        assert_eq!(refused(&text), [""; 0], "{text}");
        assert_eq!(beyond(&compiled(&text).program.expect("a program")), [""; 0], "{text}");
    }
}

/// `tuning.tcp` writes these settings, and the kernel refuses others.
#[test]
fn socket_buffers_are_within_the_limits_of_the_kernel() {
    for (up, rtt) in [("64kbit", "1us"), ("1000gbit", "10s")] {
        let text = format!(
            "link: {{ device: eth0, profile: ethernet, up: {up}, down: {up} }}\nclasses: {{ rest: {{ default: true }} }}\n\
             tuning: {{ tcp: {{ rtt: {rtt} }} }}\n"
        );
        let mut program = compiled(&text).program.expect("a program");
        assert_eq!(beyond(&program), [""; 0], "{text}");
        for (path, words) in [
            ("net/core/rmem_max", ["2303", "2147483648"]),
            ("net/core/wmem_max", ["4607", "2147483648"]),
            ("net/ipv4/tcp_rmem", ["4095 4096 4096", "4096 4096 2147483648"]),
            ("net/ipv4/tcp_wmem", ["4095 4096 4096", "4096 4096 2147483648"]),
        ] {
            let at = program.settings.sysctls.iter().position(|sysctl| sysctl.path == path).expect(path);
            let held = program.settings.sysctls[at].value.clone();
            for word in words {
                program.settings.sysctls[at].value = word.to_owned();
                assert_eq!(beyond(&program).len(), 1, "{path} {word}");
            }
            program.settings.sysctls[at].value = held;
        }
    }
}

/// The derived numbers of any line are within the limits.
#[test]
fn derived_numbers_are_within_the_limits() {
    let rates = ["8kbit", "64kbit", "1mbit", "99.999mbit", "8gbit", "40gbit", "1000gbit"];
    for profile in ["ethernet", "vdsl2-pppoe", "adsl-pppoe-llc", "wireless"] {
        for up in rates {
            for down in rates {
                for (mtu, offloads) in [(68, "auto"), (1500, "keep"), (65_535, "keep")] {
                    let text = format!(
                        "link: {{ device: eth0, profile: {profile}, up: {up}, down: {down}, mtu: {mtu} }}\n\
                         classes:\n  quick: {{ guarantee: 0%, match: {{ dscp: ef, direction: up }} }}\n  \
                         hosts: {{ share: per-host, guarantee: 0%, match: {{ protocol: udp }} }}\n  rest: {{ default: true }}\n\
                         police:\n  few: {{ direction: up, match: {{ protocol: 220 }}, rate: 100% }}\n\
                         tuning: {{ offloads: {offloads}, tcp: {{ rtt: 10s }} }}\n"
                    );
                    let compiled = compiled(&text);
                    let Some((_, program)) = compiled.finished() else {
                        // Some of these lines are slower than a guarantee must be.
                        assert!(up == "8kbit" || down == "8kbit", "{text}{:?}", refused(&text));
                        continue;
                    };
                    assert_eq!(beyond(program), [""; 0], "{text}");
                }
            }
        }
    }
}

/// The page of limits contains the table. `QOSC_BLESS=1` writes it.
#[test]
fn the_page_of_limits_is_current() {
    const BEGIN: &str = "<!-- numbers -->\n";
    const END: &str = "<!-- end of numbers -->\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/limits.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the beginning of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let mut table =
        String::from("\n| key | in the script | from | to | unit | reason |\n|---|---|---|---|---|---|\n");
    let grouped = |number: u64| {
        let digits = number.to_string();
        let groups: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().filter_map(|part| std::str::from_utf8(part).ok()).collect();
        groups.join(",")
    };
    let ticked = |list: &str| list.split(", ").map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    for limit in limits::ALL {
        table += &format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            limit.key.map_or_else(|| "derived".to_owned(), ticked),
            ticked(limit.words),
            grouped(limit.least),
            grouped(limit.most),
            limit.unit,
            limit.source
        );
    }
    let current = format!("{before}{BEGIN}{table}\n{END}{after}");
    if std::env::var_os("QOSC_BLESS").is_some() {
        std::fs::write(&path, current).expect("the page can be written");
        return;
    }
    assert_eq!(page, current, "`QOSC_BLESS=1 cargo test --test file limits` writes the table anew");
}
