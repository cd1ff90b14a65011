//! Which series of which runs go into which panel of a picture.

use super::reduce::Point;
use crate::probe::{Phase, Run, Series};

/// Microseconds to the milliseconds that are shown.
pub(super) const MS: f64 = 1000.0;

/// Series that are drawn over each other.
pub(super) struct Panel<'a> {
    /// What they have in common, empty if the picture says it.
    pub(super) title: String,
    pub(super) lines: Vec<Line<'a>>,
}

/// One series in a panel.
pub(super) struct Line<'a> {
    /// What it is called.
    pub(super) name: String,
    /// Which colour it has; past the last they begin again.
    pub(super) colour: usize,
    pub(super) run: &'a Run,
    pub(super) series: &'a Series,
}

/// One run is one panel, in which its series have colours. Several are compared: each target and DSCP has a panel, in which the runs have colours,
/// the same in all.
pub(super) fn panels<'a>(runs: &'a [(String, Run)]) -> Vec<Panel<'a>> {
    if let [(_, run)] = runs {
        let lines = run.series.iter().enumerate().map(|(colour, series)| Line {
            name: both(series),
            colour,
            run,
            series,
        });
        return vec![Panel { title: String::new(), lines: lines.collect() }];
    }
    let mut panels: Vec<Panel<'a>> = Vec::new();
    for (colour, (name, run)) in runs.iter().enumerate() {
        for series in &run.series {
            let line = Line { name: name.clone(), colour, run, series };
            let title = both(series);
            match panels.iter_mut().find(|panel| panel.title == title) {
                Some(panel) => panel.lines.push(line),
                None => panels.push(Panel { title, lines: vec![line] }),
            }
        }
    }
    panels
}

fn both(series: &Series) -> String {
    format!("{} {}", series.target, series.dscp)
}

impl Line<'_> {
    /// Seconds since the run began, and milliseconds.
    pub(super) fn points(&self) -> Vec<Point> {
        let point = |(sent, time): &(u64, Option<u64>)| (*sent as f64 / 1e6, time.map(|us| us as f64 / MS));
        self.series.samples.iter().map(point).collect()
    }

    /// Milliseconds, and the share of round trips in percent that took no longer; of a phase, if there is a load. The steps are
    /// in the places of the picture: more than a thousand cannot be told apart.
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

/// Periods of load in seconds, those that are the same within a second once.
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
