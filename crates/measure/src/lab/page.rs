//! Report as a page: charts to zoom into, bars and tables.
#![expect(
    clippy::float_arithmetic,
    reason = "microseconds and bits become the milliseconds and megabits of an axis"
)]

use super::facts::{self, LEGEND, Pair, pairs};
use super::protocol::Sample;
use super::report::{Beside, LabReport, RoleNames, Situation};
use super::scenarios;
use super::show;
use super::tables;
use crate::page::{
    Axis, BarRow, Bars, Chart, Item, Page, PageSection, Segment, Series, Table, WITH_SCRIPT, WITHOUT_SCRIPT,
    html,
};
use qosc_compiler::diag::ticked;
use qosc_compiler::model::{Direction, Load};

/// Index of the colour of the other one of two hosts.
const OTHER: usize = 6;
/// Milliseconds over which the rates of a point are averaged.
pub(super) const POINT: u64 = 500;

/// Returns the report as one HTML file that needs no network.
///
/// # Errors
/// Returns an error if the page's frame cannot be filled; a test rules this out.
pub fn page(report: &LabReport) -> Result<String, String> {
    html(&parts(report))
}

/// Returns the elements of the page.
#[must_use]
pub fn parts(report: &LabReport) -> Page {
    let pairs = pairs(report);
    let loaded: Vec<Pair<'_>> = pairs.iter().copied().filter(|pair| pair.load() != Load::None).collect();
    let mut sections: Vec<PageSection> = glance(&pairs).into_iter().collect();
    sections.extend(expectations(report));
    sections.extend(loaded.iter().map(|pair| situation(report, *pair)));
    sections.extend(shares(report, &loaded));
    sections.extend(small(report));
    sections.extend(classes(report));
    sections.extend(loaders(&loaded));
    sections.push(how(report));
    Page { title: title(report, &loaded), lead: lead(report, &loaded), sections }
}

fn title(report: &LabReport, loaded: &[Pair<'_>]) -> String {
    let said = worst(loaded).map_or_else(
        || "without and with the script".to_owned(),
        |pair| format!("under {}, {}", scenarios::words(pair.load()), pair.headline()),
    );
    format!("{}: {said}", report.link)
}

/// Returns the load that a household notices most: uploads, which fill the slower direction.
fn worst<'a>(loaded: &[Pair<'a>]) -> Option<Pair<'a>> {
    loaded.iter().find(|pair| pair.load() == Load::Upload).or(loaded.first()).copied()
}

fn lead(report: &LabReport, loaded: &[Pair<'_>]) -> Vec<String> {
    let said = worst(loaded).map(|pair| {
        let [without, with] = pair.each(|one| facts::time(one.ping.p99));
        format!(
            "Under {}, 99 % of the answered pings of another host take at most {without} without the script, and at most \
             {with} with it.",
            scenarios::words(pair.load())
        )
    });
    let basis = format!("The line: {}.", facts::line_under_test(report));
    let roles = format!("The hosts: {}.", facts::roles(report));
    let script = report.script.as_ref().map_or_else(
        || format!("the script that qosc {} made", report.version),
        |script| ticked(&script.command),
    );
    let kernel = format!("Measured with {script}, on {}.", report.kernel.words());
    said.into_iter().chain([basis, roles, kernel]).collect()
}

pub(super) fn section(title: &str, text: Vec<String>, items: Vec<Item>) -> PageSection {
    PageSection { title: title.to_owned(), text, items, folded: false }
}

fn glance(pairs: &[Pair<'_>]) -> Option<PageSection> {
    tables::glance(pairs).map(|table| section("At a glance", Vec::new(), vec![Item::Table(table)]))
}

fn expectations(report: &LabReport) -> Option<PageSection> {
    let table = tables::expectations(report)?;
    let missed = report.expectations.iter().filter(|one| one.met == Some(false)).count();
    let untried = report.expectations.iter().filter(|one| one.met.is_none()).count();
    let all = report.expectations.len();
    let heading = match (missed, untried) {
        (0, 0) => "All expectations of the file are met".to_owned(),
        (0, untried) => format!("Expectations of the file: {untried} of {all} not tried, all others met"),
        (missed, _) => format!("Expectations of the file: {missed} of {all} not met"),
    };
    Some(section(&heading, Vec::new(), vec![Item::Table(table)]))
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Section on a load: pings and rates over time, and its figures.
fn situation(report: &LabReport, pair: Pair<'_>) -> PageSection {
    let title = format!("{}: {}", capital(scenarios::words(pair.load())), pair.headline());
    let idle = report.situations.iter().find(|one| one.load == Load::None && one.shaped);
    let mut items = vec![Item::Chart(pings(
        format!("Round trip times of {}, which has no bulk traffic", report.roles.quiet),
        (pair, idle),
        |one| &one.course.ping,
    ))];
    items.extend(rates(report, pair).map(Item::Chart));
    items.extend(tables::situation(pair).map(Item::Table));
    let changes = capital(&pair.facts().join("; ")) + ".";
    let text = std::iter::once(changes).chain(pair.beyond().map(str::to_owned));
    section(&title, text.collect(), items)
}

pub(super) fn milliseconds(us: u64) -> f64 {
    us as f64 / 1000.0
}

fn pings(
    title: String,
    (pair, idle): (Pair<'_>, Option<&Situation>),
    of: impl Fn(&Situation) -> &[Sample],
) -> Chart {
    let series = |name: &str, colour, one| Series {
        name: name.to_owned(),
        colour,
        dashed: false,
        data: of(one).iter().map(|sample| (sample.at as f64 / 1e6, sample.took.map(milliseconds))).collect(),
    };
    Chart {
        title,
        x: Axis::linear("time since the load started", "s"),
        y: Axis::log("round trip time", "ms"),
        series: idle
            .map(|idle| series("idle", OTHER, idle))
            .into_iter()
            .chain([
                series("without the script", WITHOUT_SCRIPT, pair.without),
                series("with it", WITH_SCRIPT, pair.with),
            ])
            .collect(),
        points: true,
        shaded: Vec::new(),
    }
}

/// Chart of the rates of the load and the flow beside it; `None` if there is no such flow.
fn rates(report: &LabReport, pair: Pair<'_>) -> Option<Chart> {
    let finding = pair.shared()?;
    let roles = &report.roles;
    let names = [scenarios::names::LOAD, scenarios::names::BESIDE_UP, scenarios::names::BESIDE_DOWN];
    let series =
        [(pair.without, WITHOUT_SCRIPT), (pair.with, WITH_SCRIPT)].into_iter().flat_map(|(one, colour)| {
            names.iter().filter_map(move |name| {
                let dashed = *name == scenarios::names::LOAD;
                let who = if dashed { &roles.loader } else { &roles.second };
                let name_shown = format!("{who}, {}", tables::script(one.shaped));
                Some(Series { name: name_shown, colour, dashed, data: rate(one, name)? })
            })
        });
    let counted = pair.with.course.beside.iter();
    let shaded =
        counted.map(|when| (when.from as f64 / 1000.0, when.to as f64 / 1000.0, "counts".to_owned()));
    Some(Chart {
        title: format!("Throughput of {} and {}: {finding}", roles.loader, roles.second),
        x: Axis::linear("time since the load started", "s"),
        y: Axis::linear("received data", "Mbit/s"),
        series: series.collect(),
        points: false,
        shaded: shaded.collect(),
    })
}

/// Mean rates of half seconds, until the load ends.
fn rate(one: &Situation, name: &str) -> Option<Vec<(f64, Option<f64>)>> {
    let (_, rates) = one.course.rates.iter().find(|(own, _)| own == name)?;
    let end = one.course.beside.iter().map(|when| when.to).max().unwrap_or_default();
    averaged(rates, one.course.step, end)
}

/// Averages rates over each half second until `end`. Times are milliseconds.
pub(super) fn averaged(rates: &[u64], step: u64, end: u64) -> Option<Vec<(f64, Option<f64>)>> {
    let steps = usize::try_from(POINT.checked_div(step)?.max(1)).ok()?;
    let points = rates.chunks_exact(steps).enumerate().map(|(number, part)| {
        let middle = (number as f64 + 0.5) * steps as f64 * step as f64 / 1000.0;
        (middle, Some(part.iter().sum::<u64>() as f64 / part.len() as f64 / 1e6))
    });
    Some(points.filter(|(at, _)| *at < end as f64 / 1000.0).collect())
}

/// Section on the shares of the hosts.
fn shares(report: &LabReport, loaded: &[Pair<'_>]) -> Option<PageSection> {
    let RoleNames { loader, second, .. } = &report.roles;
    let mut items = Vec::new();
    for direction in Direction::BOTH {
        let rows = loaded.iter().flat_map(|pair| {
            let load = scenarios::words(pair.load());
            let beside = pair.each(|one| Some((*one.beside(direction)?, one.shaped)));
            beside
                .into_iter()
                .flatten()
                .map(move |(beside, shaped)| bar(load, beside, [second, loader], shaped))
        });
        let title =
            format!("{}: a bulk flow of {second} beside the load of {loader}", capital(direction.as_str()));
        items.extend(bars(title, rows.collect()));
        let flows = report.flows.iter().filter(|one| one.direction == direction);
        let rows =
            flows.map(|one| bar("one flow against eight", one.one, [loader, second], one.shaped)).collect();
        let title =
            format!("{}: one flow of {loader} against eight of {second}", capital(direction.as_str()));
        items.extend(bars(title, rows));
    }
    let caption = "One bulk flow of a host against eight of another";
    items.extend(tables::flows(report).map(|table| captioned(caption, table)));
    let text = vec!["Received data without headers. The whole bar is the sum of both hosts.".to_owned()];
    (!items.is_empty()).then(|| section("Who gets what", text, items))
}

fn captioned(caption: &str, table: Table) -> Item {
    Item::Table(Table { caption: Some(caption.to_owned()), ..table })
}

fn bars(title: String, rows: Vec<BarRow>) -> Option<Item> {
    (!rows.is_empty()).then_some(Item::Bars(Bars { title, full: 100.0, stacked: true, rows }))
}

fn bar(label: &str, beside: Beside, [own, other]: [&String; 2], shaped: bool) -> BarRow {
    let part = |name: &String, rate, share: u64, colour| Segment {
        name: name.clone(),
        value: share as f64 / 10_000.0,
        text: format!("{}, {}", show::share(share), show::rate(rate)),
        colour,
    };
    let colour = if shaped { WITH_SCRIPT } else { WITHOUT_SCRIPT };
    let (share, rest) = beside.share.map_or((0, 0), |share| (share, 1_000_000 - share));
    BarRow {
        label: format!("{label}, {}", tables::script(shaped)),
        parts: vec![part(own, beside.own, share, colour), part(other, beside.load, rest, OTHER)],
    }
}

fn small(report: &LabReport) -> Option<PageSection> {
    let table = tables::small(report)?;
    let text = "Packets of 64 bytes fill the line. The charge per packet decides here, so an overhead that is too low in the file shows as \
                a queue in the modem."
        .to_owned();
    Some(section("Small packets", vec![text], vec![Item::Table(table)]))
}

fn classes(report: &LabReport) -> Option<PageSection> {
    let items: Vec<Item> = Direction::BOTH
        .into_iter()
        .filter_map(|direction| {
            let caption = format!("{}: increase of p99 over the idle line", capital(direction.as_str()));
            Some(captioned(&caption, tables::classes(report, direction)?))
        })
        .collect();
    let text = "With the script. A row is the measured class. A column is the full class, which is offered slightly more than the script lets through.".to_owned();
    (!items.is_empty()).then(|| section("Every class while another is full", vec![text], items))
}

/// Section on the pings of the host that makes the load. They resemble those of the other host, so the section is
/// folded.
fn loaders(loaded: &[Pair<'_>]) -> Option<PageSection> {
    let chart = |pair: &Pair<'_>| {
        Item::Chart(pings(capital(scenarios::words(pair.load())), (*pair, None), |one| {
            &one.course.ping_loader
        }))
    };
    let items = loaded.iter().map(chart).collect();
    let text = vec!["The same host pings while its own flows fill the line.".to_owned()];
    (!loaded.is_empty()).then(|| PageSection {
        folded: true,
        ..section("Pings of the host that generates the load", text, items)
    })
}

fn how(report: &LabReport) -> PageSection {
    let mut items: Vec<Item> = LEGEND.iter().map(|words| Item::Text(capital(words))).collect();
    items.push(Item::Text(format!("Queues of the modelled line: {}.", facts::queues(report))));
    items.push(Item::Text("Not measured:".to_owned()));
    items.extend(report.left_out.iter().map(|words| Item::Text(capital(words) + ".")));
    section("Scope of the measurement", Vec::new(), items)
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
