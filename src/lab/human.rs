//! The report as a terminal shows it.

use super::report::{Report, Situation, heading};
use super::times::Times;
use std::fmt::Write as _;

/// Tables of all that was measured.
#[must_use]
pub fn human(report: &Report) -> String {
    let mut out = String::new();
    let _infallible = writeln!(out, "{} on {}", report.link, report.kernel.words());
    for situation in &report.situations {
        one(&mut out, situation);
    }
    out
}

fn one(out: &mut String, situation: &Situation) {
    let _infallible = writeln!(out, "\n{}", heading(situation));
    let mut row = |name: &str, times: &Times| {
        let _infallible = writeln!(
            out,
            "  {name:24} p50 {:>10} p99 {:>10} max {:>10} lost {}/{}",
            time(times.p50),
            time(times.p99),
            time(times.max),
            times.lost,
            times.sent
        );
    };
    row("ping", &situation.ping);
    for (name, times) in [
        ("ping of the loader", &situation.ping_loader),
        ("stream up", &situation.stream_up),
        ("stream down", &situation.stream_down),
    ] {
        if let Some(times) = times {
            row(name, times);
        }
    }
    row("fetch", &situation.fetch);
    for beside in &situation.beside {
        let _infallible = writeln!(
            out,
            "  beside, {:?}: {} bit/s of {}: {:?}",
            beside.way,
            beside.own,
            beside.own + beside.load,
            beside.share
        );
    }
}

/// Microseconds in milliseconds.
fn time(us: Option<u64>) -> String {
    us.map_or_else(|| "-".to_owned(), |us| format!("{}.{:01}ms", us / 1000, us % 1000 / 100))
}
