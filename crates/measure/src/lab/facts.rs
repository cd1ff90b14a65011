//! Sentences on the figures of a report. They state only facts that the figures show.

use super::report::{Beside, LabReport, Situation};
use super::scenarios;
use super::show;
use super::times::Times;
use qosc_compiler::diag::ticked;
use qosc_compiler::model::{Direction, Load};

/// Word in place of a time if no packet arrived.
pub(super) const NEVER: &str = "never";

/// Least used share of a full line, in millionths.
pub(super) const FULL: u64 = 800_000;

/// A situation without the script and with it.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    /// Result without the script.
    pub(super) without: &'a Situation,
    /// Result with the script.
    pub(super) with: &'a Situation,
}

/// Returns all situations in the order in which they were played without the script.
pub(super) fn pairs(report: &LabReport) -> Vec<Pair<'_>> {
    let (with, without): (Vec<_>, Vec<_>) = report.situations.iter().partition(|one| one.shaped);
    let of = |load| with.iter().copied().find(|with| with.load == load);
    without.into_iter().filter_map(|without| Some(Pair { without, with: of(without.load)? })).collect()
}

impl Pair<'_> {
    /// Returns the load of the situation.
    pub(super) const fn load(&self) -> Load {
        self.without.load
    }

    /// Returns a figure without and with the script.
    pub(super) fn each<T>(&self, of: impl Fn(&Situation) -> T) -> [T; 2] {
        [of(self.without), of(self.with)]
    }

    /// The changes in one line: `three bulk uploads: ping p99 1.35 s without, 23.5 ms with; ...`.
    pub(super) fn in_one_line(&self) -> String {
        format!("{}: {}", scenarios::words(self.load()), self.facts().join("; "))
    }

    /// Text of a figure without and with the script.
    fn both(&self, what: &str, of: impl Fn(&Situation) -> String) -> String {
        let [without, with] = self.each(of);
        if without == with {
            format!("{what} {with} without and with")
        } else {
            format!("{what} {without} without, {with} with")
        }
    }

    /// Text of the most important figure.
    pub(super) fn headline(&self) -> String {
        self.both("ping p99", |one| time(one.ping.p99))
    }

    /// Share of another host's bulk flow; `None` if it was not measured or the line is idle.
    pub(super) fn shared(&self) -> Option<String> {
        let [Some(_), Some(_)] = self.each(second) else { return None };
        Some(self.both("share of another host", |one| second(one).unwrap_or_default()))
    }

    /// Texts of the figures that change.
    pub(super) fn facts(&self) -> Vec<String> {
        let mut facts = vec![self.both("ping p99", |one| p99(&one.ping))];
        if self.each(|one| one.used.is_some_and(|used| used < FULL)).contains(&true) {
            facts.insert(0, "the load did not fill the line, so these figures say little".to_owned());
        }
        if self.load() != Load::None {
            facts.push(self.both("fetch p50", |one| fetch(&one.fetch)));
            facts.extend(self.shared());
            return facts;
        }
        let beside = [("one bulk upload", Direction::Up), ("one bulk download", Direction::Down)];
        let measured = beside.into_iter().filter(|(_, direction)| self.with.beside(*direction).is_some());
        facts.extend(measured.map(|(name, direction)| {
            let rate = |one: &Situation| one.beside(direction).map(|beside| show::rate(beside.own));
            self.both(name, |one| rate(one).unwrap_or_else(|| NEVER.to_owned()))
        }));
        facts
    }

    /// Limits of any router, if the figures show that this router met them.
    pub(super) fn beyond(&self) -> Option<&'static str> {
        let lost = |one: &Situation| one.ping.lost > 0;
        let same = self.without.ping.p50.zip(self.with.ping.p50);
        let held = same.is_some_and(|(without, with)| with * 2 > without) || self.with.ping.p50.is_none();
        let shown = self.load() == Load::FloodDown && lost(self.without) && lost(self.with) && held;
        shown.then_some(
            "These packets are queued and lost at the provider, before they reach the router. The sender of a flood does not \
             slow down when packets are dropped, so no router can hold back that queue. Only the provider or the sender can.",
        )
    }
}

impl Situation {
    /// Returns the result of another host's bulk flow beside the load in that direction.
    pub(super) fn beside(&self, direction: Direction) -> Option<&Beside> {
        self.beside.iter().find(|one| one.direction == direction)
    }

    /// Returns the stream in the direction of the load; on an idle line, that of the upload.
    pub(super) fn stream(&self) -> Option<&Times> {
        self.stream_up.as_ref().or(self.stream_down.as_ref())
    }
}

/// Text of a time, or [`NEVER`].
pub(super) fn time(us: Option<u64>) -> String {
    show::time_or(us, NEVER)
}

/// Text of the 99th percentile and the lost packets.
fn p99(times: &Times) -> String {
    match times.p99 {
        Some(us) if times.lost > 0 => format!("{} ({} lost)", show::time(us), lost(times)),
        us => time(us),
    }
}

/// Text of the median of fetches.
pub(super) fn fetch(times: &Times) -> String {
    show::time_or(times.p50, if times.sent == 0 { "not started" } else { NEVER })
}

/// Share of the sent packets that were lost: `0`, or a percentage.
pub(super) fn lost(times: &Times) -> String {
    match times.lost {
        0 => "0".to_owned(),
        _ => times.loss().map_or_else(String::new, show::share),
    }
}

/// Share of the second host. On an idle line the share has no meaning.
pub(super) fn second(one: &Situation) -> Option<String> {
    let parts: Vec<String> = one.beside.iter().filter_map(|one| one.share).map(show::share).collect();
    (one.load != Load::None && !parts.is_empty()).then(|| parts.join(", "))
}

/// Explanation of the figures.
pub(super) const LEGEND: [&str; 4] = [
    "ping: every 20 ms, from a host without bulk traffic. loader: the host that generates the load. lost: packets that \
     never arrived; times are of packets that arrived.",
    "stream: 200 kbit/s of UDP in the direction of the load, and up on the idle line. jitter: the mean difference \
     between the delays of successive packets.",
    "fetch: 60 kB over TCP, from the connection to the last byte, one fetch after the other.",
    "second host: the share of its one bulk flow in the throughput of this flow and the load together.",
];

/// Hosts that take part.
pub(super) fn roles(report: &LabReport) -> String {
    let roles = &report.roles;
    format!(
        "{} generates the load, {} adds one bulk flow, {} only pings, streams and fetches",
        ticked(&roles.loader),
        ticked(&roles.second),
        ticked(&roles.quiet)
    )
}

/// Description of the line.
pub(super) fn line_under_test(report: &LabReport) -> String {
    let line = &report.line;
    let mut unknown = match line.unknown.as_slice() {
        [] => String::new(),
        [one] => format!("; its line rate for {} is not known, so it has the shaped rate", one.loads()),
        _ => "; its line rates are not known, so it has the shaped rates".to_owned(),
    };
    if line.unknown.contains(&Direction::Down) {
        unknown.push_str(", and downloads queue at the provider");
    }
    unknown.extend(line.varies.iter().map(|words| format!("; {words}")));
    format!(
        "{} up, {} down{unknown}; {}; round trip time {} on the idle line",
        show::rate(line.up),
        show::rate(line.down),
        line.charge,
        show::time(line.rtt)
    )
}

/// Description of the line's queues.
pub(super) fn queues(report: &LabReport) -> String {
    format!("{} packets in the modem, and as many at the provider", report.line.queue)
}
