//! Picture of runs in SVG.

use super::axis::Axis;
use super::canvas::Canvas;
use super::panels::{MS, Panel, PlottedLine, colour, loads, panels};
use super::reduce::{CROWD, Point, dots, lost, path};
use crate::page::COLOURS;
use crate::probe::{Phase, Run};

/// Width of the picture, and the left and right edges of its panels.
const WIDTH: f64 = 960.0;
const EDGES: (f64, f64) = (88.0, 936.0);
/// Top of the first panel, heights of a single panel and of several, and the distance between two panels. The distance
/// has room for the axis and for the title and marks of the next panel.
const TOP: f64 = 96.0;
const HEIGHT: (f64, f64) = (380.0, 240.0);
const BETWEEN: f64 = 96.0;
/// Height of a panel's title, and of the axis below the last panel.
const TITLE: f64 = 20.0;
const AXIS: f64 = 56.0;
/// Height of a row of marks for lost packets.
const MARKS: f64 = 7.0;

/// Kind of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A dot for each round trip over time.
    Scatter,
    /// A line through the round trips over time.
    Lines,
    /// Cumulative distribution: the share of round trips that took no longer.
    Cdf,
}

/// Style of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Kind of the drawing.
    pub look: Look,
    /// True if round trips have a logarithmic scale.
    pub is_log: bool,
    /// Largest round trip on the scale in µs; longer ones are drawn at the edge. `None` takes the largest that was
    /// measured.
    pub most_us: Option<u64>,
}

/// Returns the picture: one run in one panel, several runs in a panel for each target and DSCP. Marks above the panel
/// show lost packets, and the time of the load is grey.
#[must_use]
pub fn picture(runs: &[(String, Run)], style: Style) -> String {
    let panels = panels(runs);
    let high = if panels.len() > 1 { HEIGHT.1 } else { HEIGHT.0 };
    let rows = panels.iter().map(|panel| rows(panel, style)).fold(0.0, f64::max);
    let head = 24.0 * legend_rows(runs, &panels) as f64;
    let step = high + BETWEEN + rows * MARKS;
    let titled = panels.iter().any(|panel| !panel.title.is_empty());
    let head = head + if titled { TITLE } else { 0.0 };
    // no title follows the last panel
    let height = TOP + head + step * panels.len() as f64 - BETWEEN + AXIS;
    let (title, below) = heading(runs, &panels, style);
    let mut out = Canvas::new((WIDTH, height), EDGES.0, &title, &below);
    legend(&mut out, &names(runs, &panels), runs.len());
    let axes = scales(runs, style);
    for (at, panel) in (0_u32..).zip(&panels) {
        let top = TOP + head + f64::from(at) * step + rows * MARKS;
        let place = |axis: &Axis, start, end| Axis { start, end, ..*axis };
        let (x, y) = (place(&axes.0, EDGES.0, EDGES.1), place(&axes.1, top + high, top));
        if !panel.title.is_empty() {
            out.text((EDGES.0, top - rows * MARKS - 8.0), "start", "font-weight=\"bold\"", &panel.title);
        }
        match style.look {
            Look::Cdf => shares(&mut out, panel, (&x, &y)),
            _ => over_time(&mut out, panel, (&x, &y), style),
        }
    }
    out.finished()
}

/// Returns the number of rows with marks above a panel.
fn rows(panel: &Panel<'_>, style: Style) -> f64 {
    let has_lost = |line: &PlottedLine<'_>| line.series.samples.iter().any(|(_, time)| time.is_none());
    match style.look {
        Look::Cdf => 0.0,
        _ if panel.lines.iter().any(has_lost) => panel.lines.len() as f64,
        _ => 0.0,
    }
}

fn names<'a>(runs: &'a [(String, Run)], panels: &'a [Panel<'a>]) -> Vec<&'a str> {
    match runs {
        [_] => panels.iter().flat_map(|panel| &panel.lines).map(|line| line.name.as_str()).collect(),
        _ => runs.iter().map(|(name, _)| name.as_str()).collect(),
    }
}

/// Returns the horizontal position and the row of each entry in the legend.
fn places(names: &[&str]) -> Vec<(f64, usize)> {
    let (mut left, mut row) = (EDGES.0, 0);
    let place = |name: &&str| {
        let wide = 44.0 + 7.5 * name.chars().count() as f64;
        if left > EDGES.0 && left + wide > EDGES.1 {
            (left, row) = (EDGES.0, row + 1);
        }
        let place = (left, row);
        left += wide;
        place
    };
    names.iter().map(place).collect()
}

fn legend_rows(runs: &[(String, Run)], panels: &[Panel<'_>]) -> usize {
    places(&names(runs, panels)).last().map_or(0, |(_, row)| *row)
}

/// Returns the title and the line below it.
fn heading(runs: &[(String, Run)], panels: &[Panel<'_>], style: Style) -> (String, String) {
    let title = match runs {
        [(name, _)] => format!("Round trips: {name}"),
        _ => "Round trips".to_owned(),
    };
    let mut below: Vec<String> = Vec::new();
    if let [(_, run)] = runs {
        let interval = qosc_compiler::units::Micros::from_us(run.interval_us);
        below.push(format!(
            "{}, {} bytes every {interval}",
            run.started.replace(['T', 'Z'], " ").trim(),
            run.size
        ));
    }
    let loaded = runs.iter().any(|(_, run)| run.load.is_some());
    match style.look {
        Look::Cdf if loaded => below.push("solid: under load, dashed: before".to_owned()),
        Look::Cdf => below.push("lost requests keep the line below 100 %".to_owned()),
        _ if loaded => below.push("grey: load, marks above: lost".to_owned()),
        _ => below.push("marks above: lost".to_owned()),
    }
    let most = panels.iter().flat_map(|panel| &panel.lines).map(|line| line.series.samples.len()).max();
    if style.look == Look::Lines && most.unwrap_or_default() as f64 > CROWD as f64 * (EDGES.1 - EDGES.0) {
        below.push("dense parts: smallest and largest".to_owned());
    }
    (title, below.join("; "))
}

fn legend(out: &mut Canvas, names: &[&str], runs: usize) {
    for (at, (name, (left, row))) in names.iter().zip(places(names)).enumerate() {
        let y = 72.0 + 24.0 * row as f64;
        let end = left + 22.0;
        out.shape(format_args!(
            "<line x1=\"{left:.1}\" y1=\"{y}\" x2=\"{end:.1}\" y2=\"{y}\" stroke=\"{}\" stroke-width=\"3\"/>",
            paint(colour(runs, at))
        ));
        out.text((end + 7.0, y + 4.5), "start", "", name);
    }
}

/// Returns one of the eight colours that pages use, too.
fn paint(colour: usize) -> &'static str {
    COLOURS.get(colour % COLOURS.len()).map_or("#000000", |(light, _)| light)
}

/// Returns the scales of all panels, without positions.
fn scales(runs: &[(String, Run)], style: Style) -> (Axis, Axis) {
    let samples = || runs.iter().flat_map(|(_, run)| &run.series).flat_map(|series| &series.samples);
    let times = || samples().filter_map(|(_, time)| *time);
    let least = times().min().unwrap_or(1).max(1);
    let most = style.most_us.or_else(|| times().max()).unwrap_or(1).max(1);
    // a scale of length zero has no positions
    let (from, to) = if style.is_log {
        (least.min(most / 2).max(1) as f64 / MS / 1.25, most as f64 / MS * 1.25)
    } else {
        (0.0, most as f64 / MS * if style.most_us.is_some() { 1.0 } else { 1.05 })
    };
    let trips = Axis { from, to, start: 0.0, end: 1.0, is_log: style.is_log };
    if style.look == Look::Cdf {
        return (trips, Axis { from: 0.0, to: 100.0, is_log: false, ..trips });
    }
    let last = samples().map(|(sent, _)| *sent).chain(runs.iter().map(|(_, run)| run.took_us)).max();
    let seconds = last.unwrap_or(1).max(1) as f64 / 1e6;
    (Axis { from: 0.0, to: seconds, is_log: false, ..trips }, trips)
}

fn over_time(out: &mut Canvas, panel: &Panel<'_>, (x, y): (&Axis, &Axis), style: Style) {
    let runs: Vec<&Run> = panel.lines.iter().map(|line| line.run).collect();
    for (from, to) in loads(&runs) {
        let (left, right) = (x.within(from), x.within(to));
        let (top, wide, high) = (y.end, right - left, y.start - y.end);
        out.shape(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top}\" width=\"{wide:.1}\" height=\"{high}\" fill=\"#000000\" fill-opacity=\"0.06\"/>"
        ));
    }
    out.frame((x, y), "round trip, ms", "seconds since the start");
    for (row, one) in (1_u32..).zip(&panel.lines) {
        let points: Vec<Point> = one.points();
        let colour = paint(one.colour);
        let (path, more) = match style.look {
            Look::Scatter => {
                (dots(&points, x, y), "stroke-width=\"2.6\" stroke-linecap=\"round\" stroke-opacity=\"0.6\"")
            }
            _ => (
                path(&points, x, y),
                "stroke-width=\"1.2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"",
            ),
        };
        out.stroke(&path, colour, more);
        let top = y.end - f64::from(row) * MARKS;
        out.stroke(&lost(&points, x, top), colour, "stroke-width=\"1.6\"");
    }
}

fn shares(out: &mut Canvas, panel: &Panel<'_>, (x, y): (&Axis, &Axis)) {
    out.frame((x, y), "share of requests, %", "answered within, ms");
    for one in &panel.lines {
        let colour = paint(one.colour);
        for (phase, more) in [
            (Phase::Before, "stroke-width=\"1.4\" stroke-dasharray=\"6 4\""),
            (Phase::Load, "stroke-width=\"1.8\""),
        ] {
            let path = steps(&one.shares(phase), (x, y));
            out.stroke(&path, colour, more);
        }
    }
}

/// Path through a cumulative distribution, which is constant between two points.
fn steps(points: &[Point], (x, y): (&Axis, &Axis)) -> String {
    let mut path = String::new();
    for (along, share) in points {
        let (x, y) = (x.within(*along), y.within(share.unwrap_or_default()));
        path += &if path.is_empty() { format!("M{x:.1} {y:.1}") } else { format!("H{x:.1}V{y:.1}") };
    }
    path
}
