//! Tables of the report for a page and for a terminal.

use super::facts::{FULL, NEVER, Pair, fetch, lost, second, time};
use super::report::{ClassUnderLoad, Flows, LabReport, Situation, Small};
use super::scenarios;
use super::show;
use super::times::Times;
use crate::page::{Cell, Table};
use qosc_compiler::model::Direction;

/// Name of a figure and the function that returns its text, or `None` if it was not measured.
pub(super) type Figure<T> = (&'static str, fn(&T) -> Option<String>);

/// Figures of a situation.
pub(super) const FIGURES: [Figure<Situation>; 11] = [
    ("line used", |one| one.used.map(used)),
    ("ping p50", |one| Some(time(one.ping.p50))),
    ("ping p99", |one| Some(time(one.ping.p99))),
    ("ping max", |one| Some(time(one.ping.max))),
    ("ping lost", |one| Some(lost(&one.ping))),
    ("loader ping p99", |one| one.ping_loader.map(|times| time(times.p99))),
    ("stream lost", |one| one.stream().map(lost)),
    ("stream jitter", |one| one.stream().map(|times| time(times.jitter))),
    ("fetch p50", |one| Some(fetch(&one.fetch))),
    ("fetch unfinished", |one| Some(unfinished(&one.fetch))),
    ("second host", second),
];

/// Figures of all situations at a glance.
const GLANCE: [&str; 4] = ["ping p99", "ping lost", "fetch p50", "second host"];

/// Figures of small packets at full load.
const SMALL: [Figure<Small>; 8] = [
    ("direction, script", |one| Some(run(one.direction, one.shaped))),
    ("sent/s", |one| Some(one.sent.to_string())),
    ("received/s", |one| Some(one.came.to_string())),
    ("ping p50", |one| Some(time(one.ping.p50))),
    ("p99", |one| Some(time(one.ping.p99))),
    ("lost", |one| Some(lost(&one.ping))),
    ("stream lost", |one| Some(lost(&one.stream))),
    ("jitter", |one| Some(time(one.stream.jitter))),
];

/// Figures of one flow against eight.
const FLOWS: [Figure<Flows>; 7] = [
    ("direction, script", |one| Some(run(one.direction, one.shaped))),
    ("line used", |one| one.used.map(used)),
    ("one flow", |one| Some(show::rate(one.one.own))),
    ("eight flows", |one| Some(show::rate(one.one.load))),
    ("share of the one", |one| one.one.share.map(show::share)),
    ("ping p99", |one| Some(time(one.ping.p99))),
    ("lost", |one| Some(lost(&one.ping))),
];

/// Word for a run with or without the script.
pub(super) const fn script(shaped: bool) -> &'static str {
    if shaped { "with" } else { "without" }
}

/// Share of the line that was used, and a remark if it was never full.
fn used(share: u64) -> String {
    format!("{}{}", show::share(share), if share < FULL { ", not full" } else { "" })
}

fn run(direction: Direction, shaped: bool) -> String {
    format!("{}, {}", direction.as_str(), script(shaped))
}

fn unfinished(fetch: &Times) -> String {
    match fetch.lost {
        0 => "0".to_owned(),
        lost => format!("{lost} of {}", fetch.sent),
    }
}

/// Returns a text, or the sign for a figure that was not measured.
pub(super) fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// Returns a table of words in the first column and numbers in the others; `None` if it has no row.
pub(super) fn table(
    head: impl IntoIterator<Item = impl Into<String>>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Option<Table> {
    let cells = |row: Vec<String>| {
        let mut cells: Vec<Cell> = row.into_iter().map(Cell::number).collect();
        cells.iter_mut().take(1).for_each(|first| first.numeric = false);
        cells
    };
    let rows: Vec<Vec<Cell>> = rows.map(cells).collect();
    let head = head.into_iter().map(Into::into).collect();
    (!rows.is_empty()).then_some(Table { caption: None, head, rows })
}

/// Returns a table with a row for each result; `None` if there is no result.
fn figures<T>(results: &[T], figures: &[Figure<T>]) -> Option<Table> {
    let rows = results.iter().map(|one| figures.iter().map(|(_, of)| or_dash(of(one))).collect());
    table(figures.iter().map(|(name, _)| *name), rows)
}

/// Table of a situation's figures, without and with the script.
pub(super) fn situation(pair: Pair<'_>) -> Option<Table> {
    let rows = FIGURES.iter().filter_map(|(name, of)| {
        let [without, with] = pair.each(of);
        Some(vec![(*name).to_owned(), without?, with?])
    });
    table(["", script(false), script(true)], rows)
}

/// Table of the most important figures of all situations.
pub(super) fn glance(pairs: &[Pair<'_>]) -> Option<Table> {
    let shown = || FIGURES.iter().filter(|(name, _)| GLANCE.contains(name));
    let heads = shown().flat_map(|(name, _)| [format!("{name} without"), "with".to_owned()]);
    let rows = pairs.iter().map(|pair| {
        let cells = shown().flat_map(|(_, of)| pair.each(of)).map(or_dash);
        std::iter::once(scenarios::words(pair.load()).to_owned()).chain(cells).collect()
    });
    table(std::iter::once("load".to_owned()).chain(heads), rows)
}

/// Table of small packets at full load; `None` if they were not tried.
pub(super) fn small(report: &LabReport) -> Option<Table> {
    figures(&report.small, &SMALL)
}

/// Table of one flow against eight; `None` if they were not tried.
pub(super) fn flows(report: &LabReport) -> Option<Table> {
    figures(&report.flows, &FLOWS)
}

/// Table of every class of a direction while each other class is full; `None` if they were not tried.
pub(super) fn classes(report: &LabReport, direction: Direction) -> Option<Table> {
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
            let times = one.beside.iter().find(|(own, _)| own == name);
            or_dash(times.map(|(_, times)| above(times, &one.idle, &one.by)))
        });
        [one.class.clone(), one.by.clone(), idle(&one.idle)].into_iter().chain(beside).collect()
    });
    let heads = full.iter().map(|name| format!("{name} full"));
    table(["class", "by", "idle p99"].into_iter().map(str::to_owned).chain(heads), cells)
}

fn idle(times: &Times) -> String {
    let lost = if times.lost > 0 { format!(", {} lost", lost(times)) } else { String::new() };
    format!("{}{lost}", time(times.p99))
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
pub(super) fn expectations(report: &LabReport) -> Option<Table> {
    let rows = report.expectations.iter().map(|one| {
        let line = or_dash(one.line.map(|line| line.to_string()));
        let verdict = Cell { good: one.met, ..Cell::words(verdict(one.met)) };
        let [expected, measured] = [&one.expected, &one.measured].map(Cell::words);
        vec![Cell::words(&one.what), verdict, expected, measured, Cell::number(line)]
    });
    let rows: Vec<_> = rows.collect();
    let head = ["expectation", "", "expected", "measured", "line of the file"].map(str::to_owned).into();
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
