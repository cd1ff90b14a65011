//! Figures of what was sent and came, in whole microseconds.

use super::protocol::{Record, STEP, Sample};
use crate::probe::{quantile, stats};
use serde::{Deserialize, Serialize};

/// A part of a scene: from and to, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Its beginning.
    pub from: u64,
    /// Its end.
    pub to: u64,
}

impl Window {
    /// How long it is, in milliseconds.
    #[must_use]
    pub const fn length(self) -> u64 {
        self.to.saturating_sub(self.from)
    }
}

/// How long packets, or fetches, took. Percentiles are the nearest rank of those that came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// How many were sent.
    pub sent: u64,
    /// How many never came.
    pub lost: u64,
    /// The time that half of them took at most, in microseconds.
    pub p50: Option<u64>,
    /// The time that 99 % of them took at most, in microseconds.
    pub p99: Option<u64>,
    /// The longest, in microseconds.
    pub max: Option<u64>,
    /// The mean difference between the times of two that came one after the other, in microseconds.
    pub jitter: Option<u64>,
}

impl Times {
    /// Of those that were sent within the window.
    #[must_use]
    pub fn of(samples: &[Sample], window: Window) -> Times {
        let found = stats(within(samples, window).map(|sample| sample.took));
        let (of, came) = (found.times, found.sent - found.lost);
        Times {
            sent: found.sent,
            lost: found.lost,
            p50: of.map(|of| of.p50),
            p99: of.map(|of| of.p99),
            max: of.map(|of| of.max),
            jitter: of.filter(|_| came > 1).map(|of| of.jitter),
        }
    }

    /// The time that so many percent of all that was sent within the window took at most: what never came took longer than
    /// anything. `None` where that is so, or nothing was sent.
    #[must_use]
    pub fn of_all(samples: &[Sample], window: Window, percent: u64) -> Option<u64> {
        let mut all: Vec<u64> =
            within(samples, window).map(|sample| sample.took.unwrap_or(u64::MAX)).collect();
        all.sort_unstable();
        quantile(&all, percent).filter(|took| *took < u64::MAX)
    }

    /// What was lost, in millionths of what was sent.
    #[must_use]
    pub fn loss(&self) -> Option<u64> {
        (self.lost * 1_000_000).checked_div(self.sent)
    }
}

/// What was sent within the window, without what was cut off before it could have been slow.
fn within(samples: &[Sample], window: Window) -> impl Iterator<Item = &Sample> {
    let inside = move |sample: &&Sample| (window.from * 1000..window.to * 1000).contains(&sample.at);
    let slowest = samples.iter().filter(inside).filter_map(|sample| sample.took).max().unwrap_or_default();
    samples.iter().filter(inside).filter(move |sample| sample.open.is_none_or(|open| open > slowest))
}

/// What came within a window, in bits a second.
#[must_use]
pub fn rate(record: &Record, window: Window) -> u64 {
    let step = |time: u64| usize::try_from(time / STEP).unwrap_or(usize::MAX);
    let (from, count) = (step(window.from), step(window.to) - step(window.from));
    let bytes: u64 = record.bytes.iter().skip(from).take(count).sum();
    (bytes * 8_000).checked_div(window.length()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Times, Window, rate};
    use crate::lab::protocol::{Record, Sample};

    const ALL: Window = Window { from: 0, to: 1000 };

    fn samples(took: &[Option<u64>]) -> Vec<Sample> {
        took.iter()
            .enumerate()
            .map(|(n, took)| Sample { at: n as u64 * 1000, took: *took, open: None })
            .collect()
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let took: Vec<Option<u64>> = (1..=200).map(Some).collect();
        let times = Times::of(&samples(&took), ALL);
        assert_eq!((times.p50, times.p99, times.max), (Some(100), Some(198), Some(200)));
        assert_eq!((times.sent, times.lost, times.jitter), (200, 0, Some(1)));
        let one = Times::of(&samples(&[Some(7)]), ALL);
        assert_eq!((one.p50, one.p99, one.max, one.jitter), (Some(7), Some(7), Some(7), None));
    }

    #[test]
    fn what_is_lost_has_no_time() {
        let times = Times::of(&samples(&[Some(5), None, Some(9), None]), ALL);
        assert_eq!((times.sent, times.lost, times.p50, times.max), (4, 2, Some(5), Some(9)));
        assert_eq!((times.loss(), times.jitter), (Some(500_000), Some(4)));
        assert_eq!(Times::of(&[], ALL), Times::default());
        assert_eq!(Times::default().loss(), None);
    }

    #[test]
    fn what_never_came_took_longest_of_all() {
        let all = |took: &[Option<u64>], percent| Times::of_all(&samples(took), ALL, percent);
        assert_eq!(all(&[Some(5), None, Some(9), None], 50), Some(9));
        assert_eq!(all(&[Some(5), None, Some(9), None], 99), None);
        assert_eq!(all(&[], 50), None);
    }

    #[test]
    fn what_was_cut_off_counts_where_it_was_slow() {
        let mut cut = samples(&[Some(500), Some(700), None]);
        cut[2].open = Some(600);
        assert_eq!((Times::of(&cut, ALL).sent, Times::of(&cut, ALL).lost), (2, 0));
        cut[2].open = Some(800);
        assert_eq!((Times::of(&cut, ALL).sent, Times::of(&cut, ALL).lost), (3, 1));
    }

    #[test]
    fn only_the_window_counts() {
        let took: Vec<Option<u64>> = (1..=100).map(Some).collect();
        let times = Times::of(&samples(&took), Window { from: 10, to: 20 });
        assert_eq!((times.sent, times.p50, times.max), (10, Some(15), Some(20)));
        let record = Record { bytes: vec![0, 1000, 3000, 500], ..Record::default() };
        assert_eq!(rate(&record, Window { from: 100, to: 300 }), 160_000);
        assert_eq!(rate(&record, Window { from: 0, to: 0 }), 0);
    }
}
