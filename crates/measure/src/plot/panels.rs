//! Assignment of series and runs to the panels of a picture.

use super::reduce::Point;
use crate::page::{WITH_SCRIPT, WITHOUT_SCRIPT};
use crate::probe::{Phase, Run, Series, Times};

/// Microseconds in a millisecond, the unit of pictures.
pub(super) const MS: f64 = 1000.0;

/// Series that share a pair of axes.
pub(super) struct Panel<'a> {
    /// Title of the panel; empty if the picture has the title.
    pub(super) title: String,
    pub(super) lines: Vec<PlottedLine<'a>>,
}

/// One series in a panel.
pub(super) struct PlottedLine<'a> {
    /// Name of the series.
    pub(super) name: String,
    /// Index of the colour, modulo the number of colours.
    pub(super) colour: usize,
    pub(super) run: &'a Run,
    pub(super) series: &'a Series,
}

/// Returns the panels of a picture. A single run has one panel, in which each series has a colour. Several runs are
/// compared: each target and DSCP has a panel, and each run has the same colour in all panels.
pub(super) fn panels<'a>(runs: &'a [(String, Run)]) -> Vec<Panel<'a>> {
    if let [(_, run)] = runs {
        let lines = run.series.iter().enumerate().map(|(colour, series)| PlottedLine {
            name: both(series),
            colour,
            run,
            series,
        });
        return vec![Panel { title: String::new(), lines: lines.collect() }];
    }
    let mut panels: Vec<Panel<'a>> = Vec::new();
    for (at, (name, run)) in runs.iter().enumerate() {
        let colour = colour(runs.len(), at);
        for series in &run.series {
            let line = PlottedLine { name: name.clone(), colour, run, series };
            let title = both(series);
            match panels.iter_mut().find(|panel| panel.title == title) {
                Some(panel) => panel.lines.push(line),
                None => panels.push(Panel { title, lines: vec![line] }),
            }
        }
    }
    panels
}

/// Returns the colour of a name in the legend. If there are several runs, the first has the colour of a line without the
/// script, and the second that of a line with it, as in the reports of the lab.
pub(super) const fn colour(runs: usize, at: usize) -> usize {
    match at {
        0 if runs > 1 => WITHOUT_SCRIPT,
        1 if runs > 1 => WITH_SCRIPT,
        _ => at,
    }
}

/// Returns true if the medians or the 99th percentiles of two rows of the table differ by a factor of ten or more. Then
/// a linear scale would hide the differences among the shorter ones.
#[must_use]
pub fn needs_log(runs: &[(String, Run)]) -> bool {
    let rows = || runs.iter().flat_map(|(_, run)| run.series.iter().flat_map(|series| run.stats(series)));
    let times: Vec<Times> = rows().filter_map(|(_, stats)| stats.times).collect();
    [|one: &Times| one.p50, |one: &Times| one.p99].into_iter().any(|of| {
        let least = times.iter().map(of).min().unwrap_or_default().max(1);
        times.iter().map(of).max().unwrap_or_default() / 10 >= least
    })
}

fn both(series: &Series) -> String {
    format!("{} {}", series.target, series.dscp)
}

impl PlottedLine<'_> {
    /// Returns pairs of seconds since the start of the run and milliseconds.
    pub(super) fn points(&self) -> Vec<Point> {
        let point = |(sent, time): &(u64, Option<u64>)| (*sent as f64 / 1e6, time.map(|us| us as f64 / MS));
        self.series.samples.iter().map(point).collect()
    }

    /// Returns pairs of milliseconds and the percentage of round trips that took no longer. If there is a load, only
    /// this phase counts. The steps are limited to about a thousand, because a picture cannot show more.
    pub(super) fn shares(&self, phase: Phase) -> Vec<Point> {
        let within = |sent: u64| match &self.run.load {
            Some(load) => load.phase(sent) == phase,
            None => phase == Phase::Load,
        };
        let samples = self.series.samples.iter().filter(|(sent, _)| within(*sent));
        let mut times: Vec<u64> = Vec::new();
        let mut sent = 0_u64;
        for (_, time) in samples {
            sent += 1;
            times.extend(time);
        }
        times.sort_unstable();
        let step = times.len().div_ceil(1000).max(1);
        let last = times.len().saturating_sub(1);
        let kept = times.iter().enumerate().filter(|(at, _)| at % step == 0 || *at == last);
        kept.map(|(at, us)| (*us as f64 / MS, Some(100.0 * (at + 1) as f64 / sent as f64))).collect()
    }
}

/// Returns the periods of load in seconds. Periods that agree within a second are listed once.
pub(super) fn loads(runs: &[&Run]) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = Vec::new();
    for load in runs.iter().filter_map(|run| run.load.as_ref()) {
        let (from, to) = (load.began_us as f64 / 1e6, load.ended_us as f64 / 1e6);
        if !all.iter().any(|(a, b)| (a - from).abs() < 1.0 && (b - to).abs() < 1.0) {
            all.push((from, to));
        }
    }
    all
}
