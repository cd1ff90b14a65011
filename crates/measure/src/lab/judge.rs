//! Report from records.

use super::protocol::Records;
use super::report::{Beside, ClassUnderLoad, Expectation, Flows, LabReport, Small, situation, times};
use super::scenarios::{
    ONE, Played, SMALL, ScenarioBuilder, ScenarioKind, beside_name, class_by, class_name, load_name, names,
    stream_name,
};
use super::show;
use super::times::{Times, Window, rate};
use qosc_compiler::model::{Direction, Expect, Limit, LimitKind, LimitValue, Measure, Model};
use qosc_compiler::units::Protocol;

/// Adds the recorded results to the report.
pub(super) fn fill<'a>(
    report: &mut LabReport,
    builder: &ScenarioBuilder<'_>,
    done: impl Iterator<Item = (&'a Played, &'a Records)>,
) {
    let model = builder.finder.model;
    for (played, records) in done {
        let shaped = played.scenario.shaped;
        match played.kind {
            ScenarioKind::Situation(load) => {
                let direction = Direction::BOTH.into_iter().find(|direction| load.fills(*direction));
                let used = direction.and_then(|direction| used(builder, played, direction, records));
                report.situations.push(situation(played, load, records, used));
            }
            ScenarioKind::Small(direction) => {
                let load = records.get(names::LOAD);
                let flow = played.scenario.flows.iter().find(|flow| flow.name == names::LOAD);
                let headers = flow.map_or(0, |flow| u64::from(flow.net.headers()));
                let length = flow.map_or(0, |flow| flow.to - flow.from);
                let sent = load.map_or(0, |one| one.sent * 1000).checked_div(length).unwrap_or_default();
                let came = load.map_or(0, |one| rate(one, played.probe)) / 8 / (SMALL - headers);
                let of = |name| times(records, name, played.probe).unwrap_or_default();
                report.small.push(Small {
                    direction,
                    shaped,
                    sent,
                    came,
                    ping: of(names::PING),
                    stream: of(stream_name(direction)),
                });
            }
            ScenarioKind::Flows(direction) => {
                let one = records.get(ONE).map_or(0, |one| rate(one, played.probe));
                let eight = records.get(names::LOAD).map_or(0, |one| rate(one, played.probe));
                let ping = times(records, names::PING, played.probe).unwrap_or_default();
                let (one, used) =
                    (Beside::of(direction, one, eight), used(builder, played, direction, records));
                report.flows.push(Flows { direction, shaped, used, one, ping });
            }
            ScenarioKind::ClassesIdle => idle(report, builder, records, played.probe),
            ScenarioKind::ClassFull(full, direction) => {
                let leaves = model.leaves();
                let name = leaves.get(full).map_or_else(String::new, |leaf| leaf.name.clone());
                for (place, leaf) in leaves.iter().enumerate() {
                    let of = times(records, &class_name(place, direction), played.probe);
                    let row = report
                        .classes
                        .iter_mut()
                        .find(|row| row.direction == direction && row.class == leaf.name);
                    if let Some((row, times)) = row.zip(of) {
                        row.beside.push((name.clone(), times));
                    }
                }
            }
            ScenarioKind::Expect(place) => {
                if let Some(expect) = model.expect.get(place) {
                    report.expectations.push(expectation(model, expect, place, played.probe, records));
                }
            }
        }
    }
    report.expectations.sort_by_key(|one| one.place);
}

/// Bytes of the headers of IPv4 and TCP with timestamps in a packet (RFC 791, RFC 9293, RFC 7323).
const HEADERS: u64 = 52;

/// Returns the share of a direction that all flows of a scenario used, in millionths of the data that full packets of
/// TCP carry.
fn used(
    builder: &ScenarioBuilder<'_>,
    played: &Played,
    direction: Direction,
    records: &Records,
) -> Option<u64> {
    let (link, full) = (&builder.finder.model.link, u64::from(builder.full()));
    let line = *builder.finder.topology.rate.get(direction);
    let whole = if played.scenario.shaped { line.min(link.shaped.get(direction).value) } else { line };
    let most = whole.scale(full.saturating_sub(HEADERS), link.wire().bytes(full)).bps();
    let data: u64 = records.records.iter().map(|record| rate(record, played.probe)).sum();
    Some((data * 1_000_000).checked_div(most)?.min(1_000_000))
}

fn idle(report: &mut LabReport, builder: &ScenarioBuilder<'_>, records: &Records, window: Window) {
    for direction in Direction::BOTH {
        for (place, leaf) in builder.finder.model.leaves().into_iter().enumerate() {
            let probe = builder.probe(leaf, direction);
            let by = probe.as_ref().map_or(Protocol::UDP, |probe| probe.protocol);
            match times(records, &class_name(place, direction), window).filter(|_| probe.is_some()) {
                Some(idle) => report.classes.push(ClassUnderLoad {
                    class: leaf.name.clone(),
                    direction,
                    by: class_by(by).to_owned(),
                    idle,
                    beside: Vec::new(),
                }),
                None => report.left_out.push(format!(
                    "class `{}` {}: no packet that the lab can send reaches it",
                    leaf.name,
                    direction.as_str()
                )),
            }
        }
    }
}

/// Returns the result of an expectation: the measured values and the limits that do not hold.
fn expectation(
    model: &Model,
    expect: &Expect,
    place: usize,
    window: Window,
    records: &Records,
) -> Expectation {
    let found = expect.limits.iter().map(|limit| {
        let measured = measured(expect, limit, window, records);
        let held = measured.as_ref().is_some_and(|measured| holds(limit, measured.value));
        let words = measured.map_or_else(|| "nothing arrived".to_owned(), |measured| measured.words);
        (limit, words, held)
    });
    let found: Vec<_> = found.collect();
    Expectation {
        measured: found
            .iter()
            .map(|(limit, words, _)| format!("{} {words}", limit.kind.as_str()))
            .collect::<Vec<_>>()
            .join(", "),
        met: Some(found.iter().all(|(.., held)| *held)),
        missed: found
            .iter()
            .enumerate()
            .filter(|(_, (.., held))| !held)
            .map(|(number, (_, words, _))| (number, words.clone()))
            .collect(),
        ..untried(model, expect, place, "")
    }
}

/// Returns the result of an expectation that the lab cannot try.
pub(super) fn untried(model: &Model, expect: &Expect, place: usize, why: &str) -> Expectation {
    Expectation {
        place,
        line: expect.span.own_line(),
        what: qosc_compiler::check::expect_not_met::described(model, expect),
        expected: limits(expect),
        measured: format!("not tried: {why}"),
        met: None,
        missed: Vec::new(),
    }
}

/// Text of an expectation's limits.
fn limits(expect: &Expect) -> String {
    let limits = expect.limits.iter().map(|limit| format!("{} {}", limit.kind.as_str(), limit.text));
    limits.collect::<Vec<_>>().join(", ")
}

struct Measured {
    /// Value in microseconds, millionths or bit/s.
    value: u64,
    words: String,
}

fn measured(expect: &Expect, limit: &Limit, window: Window, records: &Records) -> Option<Measured> {
    let name = match expect.measure {
        Measure::Ping => names::PING,
        Measure::Fetch => names::FETCH,
        Measure::Stream => stream_name(Direction::Up),
        Measure::StreamDown => stream_name(Direction::Down),
        Measure::Upload => beside_name(Direction::Up),
        Measure::Download => beside_name(Direction::Down),
    };
    let own = records.get(name)?;
    let of = Times::of(&own.samples, window);
    let time = |us: u64| Measured { value: us, words: show::time(us) };
    let lost = of.loss();
    let timed = |percent| match Times::of_all(&own.samples, window, percent) {
        Some(us) => time(us),
        None => Measured {
            value: u64::MAX,
            words: format!("never ({} lost)", show::share(lost.unwrap_or(1_000_000))),
        },
    };
    let share = |ppm: u64| Measured { value: ppm, words: show::share(ppm) };
    Some(match limit.kind {
        LimitKind::P50 => timed(50),
        LimitKind::P99 => timed(99),
        LimitKind::Max => timed(100),
        LimitKind::Jitter => time(of.jitter?),
        LimitKind::Loss => share(lost?),
        LimitKind::Share => {
            let direction = expect.measure.direction().unwrap_or(Direction::Up);
            let load = records.get(load_name(expect.load, direction)).map_or(0, |load| rate(load, window));
            share(Beside::of(direction, rate(own, window), load).share?)
        }
        LimitKind::Rate => {
            let value = rate(own, window);
            Measured { value, words: show::rate(value) }
        }
    })
}

fn holds(limit: &Limit, measured: u64) -> bool {
    let bound = match limit.value {
        LimitValue::Time(time) => time.us(),
        LimitValue::Percent(percent) => percent.ppm(),
        LimitValue::Rate(rate) => rate.bps(),
    };
    if limit.kind.is_least() { measured >= bound } else { measured <= bound }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
