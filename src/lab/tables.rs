//! Tables of the report for a page and for a terminal.

use super::facts::{FIGURES, NEVER, Pair, lost};
use super::report::{ClassUnderLoad, Report};
use super::scenarios;
use super::show;
use super::times::Times;
use crate::model::Direction;
use crate::page::{Cell, Table};

fn script(shaped: bool) -> &'static str {
    if shaped { "with" } else { "without" }
}

fn head(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn row(first: String, rest: impl IntoIterator<Item = String>) -> Vec<Cell> {
    std::iter::once(Cell::words(first)).chain(rest.into_iter().map(Cell::number)).collect()
}

/// Table of a situation's figures, without and with the script.
pub(super) fn situation(pair: Pair<'_>) -> Table {
    let rows = FIGURES.iter().filter_map(|(name, of)| {
        let [without, with] = pair.each(of);
        let cells = [without?, with?].map(Cell::number);
        Some(std::iter::once(Cell::words(*name)).chain(cells).collect())
    });
    Table { caption: None, head: head(&["", "without", "with"]), rows: rows.collect() }
}

/// Table of the most important figures of all situations.
pub(super) fn glance(pairs: &[Pair<'_>]) -> Table {
    let shown = ["ping p99", "ping lost", "fetch p50", "second host"];
    let heads = shown.iter().flat_map(|name| [format!("{name} without"), "with".to_owned()]);
    let rows = pairs.iter().map(|pair| {
        let cells = shown.iter().flat_map(|name| {
            let figure = FIGURES.iter().find(|(own, _)| own == name);
            let of = |one: &_| figure.and_then(|(_, of)| of(one)).unwrap_or_else(|| "-".to_owned());
            pair.each(of)
        });
        row(scenarios::words(pair.load()).to_owned(), cells)
    });
    Table {
        caption: None,
        head: std::iter::once("load".to_owned()).chain(heads).collect(),
        rows: rows.collect(),
    }
}

/// Table of small packets at full load; `None` if they were not tried.
pub(super) fn small(report: &Report) -> Option<Table> {
    let rows = report.small.iter().map(|one| {
        let never = |us| show::time_or(us, NEVER);
        row(
            format!("{}, {}", one.direction.as_str(), script(one.shaped)),
            [
                one.sent.to_string(),
                one.came.to_string(),
                never(one.ping.p50),
                never(one.ping.p99),
                lost(&one.ping),
                lost(&one.stream),
                never(one.stream.jitter),
            ],
        )
    });
    let head = head(&[
        "direction, script",
        "sent/s",
        "received/s",
        "ping p50",
        "p99",
        "lost",
        "stream lost",
        "jitter",
    ]);
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then_some(Table { caption: None, head, rows })
}

/// Table of one flow against eight; `None` if they were not tried.
pub(super) fn flows(report: &Report) -> Option<Table> {
    let rows = report.flows.iter().map(|one| {
        row(
            format!("{}, {}", one.direction.as_str(), script(one.shaped)),
            [
                show::rate(one.one.own),
                show::rate(one.one.load),
                one.one.share.map_or_else(|| "-".to_owned(), show::share),
                show::time_or(one.ping.p99, NEVER),
                lost(&one.ping),
            ],
        )
    });
    let head =
        head(&["direction, script", "one flow", "eight flows", "share of the one", "ping p99", "lost"]);
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then_some(Table { caption: None, head, rows })
}

/// Table of every class of a direction while each other class is full; `None` if they were not tried.
pub(super) fn classes(report: &Report, direction: Direction) -> Option<Table> {
    let rows: Vec<&ClassUnderLoad> = report.classes.iter().filter(|one| one.direction == direction).collect();
    let mut full: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|one| &one.beside) {
        if !full.contains(&name.as_str()) {
            full.push(name);
        }
    }
    if full.is_empty() {
        return None;
    }
    let cells = rows.iter().map(|one| {
        let beside = full.iter().map(|name| {
            let times = one.beside.iter().find(|(own, _)| own == name).map(|(_, times)| times);
            times.map_or_else(|| "-".to_owned(), |times| above(times, &one.idle, &one.by))
        });
        row(one.class.clone(), [one.by.to_owned(), idle(&one.idle)].into_iter().chain(beside))
    });
    let heads = full.iter().map(|name| format!("{name} full"));
    Some(Table {
        caption: None,
        head: ["class", "by", "idle p99"].into_iter().map(str::to_owned).chain(heads).collect(),
        rows: cells.collect(),
    })
}

fn idle(times: &Times) -> String {
    let lost = if times.lost > 0 { format!(", {} lost", lost(times)) } else { String::new() };
    format!("{}{lost}", show::time_or(times.p99, NEVER))
}

/// Text of the 99th percentile as a difference to the idle line, and of the lost packets.
fn above(times: &Times, idle: &Times, by: &str) -> String {
    let Some((loaded, idle)) = times.p99.zip(idle.p99) else { return NEVER.to_owned() };
    let lost = match (times.lost, by) {
        (0, _) => String::new(),
        (count, "fetch") => format!(", {count} of {} unfinished", times.sent),
        _ => format!(", {} lost", lost(times)),
    };
    let (sign, by) = if loaded < idle { ("-", idle - loaded) } else { ("+", loaded - idle) };
    format!("{sign}{}{lost}", show::time(by))
}

/// Table of the expectations' results for a page.
pub(super) fn expectations(report: &Report) -> Option<Table> {
    let rows = report.expectations.iter().map(|one| {
        let verdict = Cell::words(verdict(one.met));
        let verdict = match one.met {
            Some(met) => verdict.judged(met),
            None => verdict,
        };
        let line = one.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        vec![
            Cell::words(&one.what),
            verdict,
            Cell::words(&one.expected),
            Cell::words(&one.measured),
            Cell::number(line),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let head = head(&["expectation", "", "expected", "measured", "line of the file"]);
    (!rows.is_empty()).then_some(Table { caption: None, head, rows })
}

/// Word for an expectation's result.
pub(super) const fn verdict(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "met",
        Some(false) => "not met",
        None => "not tried",
    }
}
