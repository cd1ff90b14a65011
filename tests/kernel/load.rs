//! The output of `load.c`: the bytes that flows received, and the round-trip times of pings.

use crate::report::Report;
use std::collections::BTreeMap;

/// The bytes, without headers, that each name of a leg received.
#[track_caller]
pub fn got(report: &Report, leg: &str) -> BTreeMap<String, u64> {
    report.expect_code_of(&format!("out/{leg}/flows"), 0);
    let text = report.text(&format!("out/{leg}/flows"));
    let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    words.map(|words| (words[0].to_owned(), words[1].parse().expect("bytes"))).collect()
}

/// Jain's index in ten-thousandths: 10,000 if all get the same.
pub fn jain(got: &BTreeMap<String, u64>) -> u64 {
    let sum: u128 = got.values().map(|got| u128::from(*got)).sum();
    let squares: u128 = got.values().map(|got| u128::from(*got).pow(2)).sum();
    u64::try_from(sum * sum * 10_000 / (squares.max(1) * got.len() as u128)).expect("below 10,001")
}

/// Sorted round-trip times of this many pings, in microseconds. A lost ping counts as infinite.
#[track_caller]
fn times(report: &Report, leg: &str, ping: &str, count: usize) -> Vec<u64> {
    let text = report.text(&format!("out/{leg}/{ping}.times"));
    let mut times: Vec<u64> = text.lines().map(|line| line.parse().unwrap_or(u64::MAX)).collect();
    assert_eq!(times.len(), count, "{leg} {ping}: {}", report.text(&format!("out/{leg}/{ping}.err")));
    times.sort_unstable();
    times
}

/// The difference between busy and idle pings in microseconds, at the median and at the 99th percentile.
#[track_caller]
pub fn over_idle(report: &Report, leg: &str, [idle, busy]: [&str; 2], count: usize) -> (u64, u64) {
    let [idle, busy] = [idle, busy].map(|ping| times(report, leg, ping, count));
    let over = |hundredth: usize| {
        let at = count * hundredth / 100;
        busy[at].saturating_sub(idle[at])
    };
    (over(50), over(99))
}
