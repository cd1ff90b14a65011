//! Page of runs: the pictures as charts to zoom into, and the table.

use super::panels::{Panel, loads, panels};
use super::picture::{Look, Style};
use super::reduce::{Point, extremes};
use crate::page::{Axis, Cell, Chart, Item, Page, PageSection, Series, Table};
use crate::probe::{Phase, Run, rows};

/// Number of parts of a long series. Each part is shown by its smallest and largest round trip.
const PARTS: usize = 5000;

/// Returns a page with the round trips over time, their cumulative distribution, and the percentiles.
#[must_use]
pub fn report(runs: &[(String, Run)], style: Style) -> Page {
    let panels = panels(runs);
    let over_time = panels.iter().map(|panel| Item::Chart(over_time(panel, style))).collect();
    let shares = panels.iter().map(|panel| Item::Chart(shares(panel, style))).collect();
    let mut lead: Vec<String> = runs.iter().map(sentence).collect();
    let most = runs.iter().flat_map(|(_, run)| &run.series).map(|series| series.samples.len()).max();
    if most.unwrap_or_default() > 2 * PARTS {
        lead.push(format!(
            "A long series is drawn in {PARTS} parts, each with its smallest and its largest round trip time. The table covers all requests."
        ));
    }
    let section =
        |title: &str, items| PageSection { title: title.to_owned(), text: Vec::new(), items, folded: false };
    let mut sections = vec![
        section("Over time", over_time),
        section("Answered within", shares),
        section("Percentiles", vec![table(runs)]),
    ];
    if style.look == Look::Cdf {
        sections.swap(0, 1);
    }
    Page { title: title(runs), lead, sections }
}

fn title(runs: &[(String, Run)]) -> String {
    let names: Vec<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
    format!("Round trips: {}", names.join(", "))
}

/// Describes a run in a sentence.
fn sentence((name, run): &(String, Run)) -> String {
    let interval = qosc_compiler::units::Micros::from_us(run.interval_us);
    let load = run.load.as_ref().map(|load| format!(", under load by {}", load.command)).unwrap_or_default();
    format!("{name}: started {}, {} bytes every {interval}{load}.", run.started, run.size)
}

fn trips(style: Style) -> Axis {
    if style.is_log { Axis::log("round trip", "ms") } else { Axis::linear("round trip", "ms") }
}

fn heading(panel: &Panel<'_>, otherwise: &str) -> String {
    if panel.title.is_empty() { otherwise.to_owned() } else { panel.title.clone() }
}

fn over_time(panel: &Panel<'_>, style: Style) -> Chart {
    let series = panel.lines.iter().map(|line| Series {
        name: line.name.clone(),
        colour: line.colour,
        dashed: false,
        data: fewer(&line.points()),
    });
    let runs: Vec<&Run> = panel.lines.iter().map(|line| line.run).collect();
    Chart {
        title: heading(panel, "Round trips"),
        x: Axis::linear("time", "s"),
        y: trips(style),
        series: series.collect(),
        points: style.look == Look::Scatter,
        shaded: loads(&runs).into_iter().map(|(from, to)| (from, to, "load".to_owned())).collect(),
    }
}

fn shares(panel: &Panel<'_>, style: Style) -> Chart {
    let phases = |line: &super::panels::PlottedLine<'_>| {
        let one = |(phase, words, dashed)| Series {
            name: if line.run.load.is_some() { format!("{}, {words}", line.name) } else { line.name.clone() },
            colour: line.colour,
            dashed,
            data: line.shares(phase),
        };
        [(Phase::Before, "before load", true), (Phase::Load, "under load", false)].map(one)
    };
    let series = panel.lines.iter().flat_map(phases).filter(|series| !series.data.is_empty());
    Chart {
        title: heading(panel, "Share of requests that were answered"),
        x: Axis { label: "answered within".to_owned(), ..trips(style) },
        y: Axis::linear("share of requests", "%"),
        series: series.collect(),
        points: false,
        shaded: Vec::new(),
    }
}

/// Returns all points, or for a long series the smallest, the largest and a lost one of each part.
fn fewer(points: &[Point]) -> Vec<Point> {
    if points.len() <= 2 * PARTS {
        return points.to_vec();
    }
    let part = |points: &[Point]| {
        let mut kept = extremes(points);
        // a part that lost all has one of them already
        if kept.iter().any(|point| point.1.is_some()) {
            kept.extend(points.iter().find(|point| point.1.is_none()));
        }
        kept.sort_by(|a, b| a.0.total_cmp(&b.0));
        kept
    };
    points.chunks(points.len().div_ceil(PARTS)).flat_map(part).collect()
}

fn table(runs: &[(String, Run)]) -> Item {
    let runs: Vec<(String, &Run)> = runs.iter().map(|(name, run)| (name.clone(), run)).collect();
    let mut rows = rows(&runs).into_iter();
    let head = rows.next().unwrap_or_default().into_iter().map(|(text, _)| text).collect();
    let cells = rows.map(|row| {
        let cell = |(text, is_number)| if is_number { Cell::number(text) } else { Cell::words(text) };
        row.into_iter().map(cell).collect()
    });
    Item::Table(Table {
        caption: Some("Round trips in ms, percentiles by nearest rank".to_owned()),
        head,
        rows: cells.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::{PARTS, fewer};

    #[test]
    fn long_series_keep_their_peaks_and_losses() {
        let points: Vec<_> = (0..1_000_000_u32)
            .map(|n| {
                (
                    f64::from(n),
                    if n == 5 { None } else { Some(f64::from(n % 100) + f64::from(n == 7) * 500.0) },
                )
            })
            .collect();
        let kept = fewer(&points);
        assert!(kept.len() <= 3 * PARTS, "{}", kept.len());
        assert!(kept.contains(&(7.0, Some(507.0))) && kept.contains(&(5.0, None)));
        assert!(kept.is_sorted_by_key(|point| point.0));
        assert_eq!(fewer(points.get(..100).unwrap()).len(), 100);
    }
}
