//! Figures of sent and received packets, in whole microseconds.

use super::protocol::{Record, STEP, Sample};
use crate::probe::{quantile, stats};
use serde::{Deserialize, Serialize};

/// A period of a scenario, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Window {
    /// Start of the period, in milliseconds.
    pub from: u64,
    /// End of the period, in milliseconds.
    pub to: u64,
}

impl Window {
    /// Returns the length of the period in milliseconds.
    #[must_use]
    pub const fn length(self) -> u64 {
        self.to.saturating_sub(self.from)
    }
}

/// Durations of packets or fetches. Percentiles use the nearest rank and count only those that arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Times {
    /// Number of packets sent.
    pub sent: u64,
    /// Number of packets lost.
    pub lost: u64,
    /// Median in microseconds.
    pub p50: Option<u64>,
    /// 99th percentile in microseconds.
    pub p99: Option<u64>,
    /// Maximum in microseconds.
    pub max: Option<u64>,
    /// Mean difference between the durations of two packets that arrived one after the other, in microseconds.
    pub jitter: Option<u64>,
}

impl Times {
    /// Returns the figures of the samples that were sent within the window.
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

    /// Returns a percentile of all samples that were sent within the window. Lost samples count as longer than all
    /// others. Returns `None` if the percentile falls on a lost sample or nothing was sent.
    #[must_use]
    pub fn of_all(samples: &[Sample], window: Window, percent: u64) -> Option<u64> {
        let mut all: Vec<u64> =
            within(samples, window).map(|sample| sample.took.unwrap_or(u64::MAX)).collect();
        all.sort_unstable();
        quantile(&all, percent).filter(|took| *took < u64::MAX)
    }

    /// Returns the loss in millionths of the packets sent.
    #[must_use]
    pub fn loss(&self) -> Option<u64> {
        (self.lost * 1_000_000).checked_div(self.sent)
    }
}

/// Samples that were sent within the window. A fetch that was cut off counts only if it had already taken longer than
/// the slowest complete one.
fn within(samples: &[Sample], window: Window) -> impl Iterator<Item = &Sample> {
    let inside = move |sample: &&Sample| (window.from * 1000..window.to * 1000).contains(&sample.at);
    let slowest = samples.iter().filter(inside).filter_map(|sample| sample.took).max().unwrap_or_default();
    samples.iter().filter(inside).filter(move |sample| sample.open.is_none_or(|open| open > slowest))
}

/// Returns the rate of the data received within a window, in bit/s.
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
    fn lost_packets_have_no_round_trip_time() {
        let times = Times::of(&samples(&[Some(5), None, Some(9), None]), ALL);
        assert_eq!((times.sent, times.lost, times.p50, times.max), (4, 2, Some(5), Some(9)));
        assert_eq!((times.loss(), times.jitter), (Some(500_000), Some(4)));
        assert_eq!(Times::of(&[], ALL), Times::default());
        assert_eq!(Times::default().loss(), None);
    }

    #[test]
    fn lost_packets_rank_last_in_percentiles_of_all() {
        let all = |took: &[Option<u64>], percent| Times::of_all(&samples(took), ALL, percent);
        assert_eq!(all(&[Some(5), None, Some(9), None], 50), Some(9));
        assert_eq!(all(&[Some(5), None, Some(9), None], 99), None);
        assert_eq!(all(&[], 50), None);
    }

    #[test]
    fn an_unfinished_sample_counts_only_if_it_was_slow() {
        let mut cut = samples(&[Some(500), Some(700), None]);
        cut[2].open = Some(600);
        assert_eq!((Times::of(&cut, ALL).sent, Times::of(&cut, ALL).lost), (2, 0));
        cut[2].open = Some(800);
        assert_eq!((Times::of(&cut, ALL).sent, Times::of(&cut, ALL).lost), (3, 1));
    }

    #[test]
    fn only_samples_within_the_window_count() {
        let took: Vec<Option<u64>> = (1..=100).map(Some).collect();
        let times = Times::of(&samples(&took), Window { from: 10, to: 20 });
        assert_eq!((times.sent, times.p50, times.max), (10, Some(15), Some(20)));
        let record = Record { bytes: vec![0, 1000, 3000, 500], ..Record::default() };
        assert_eq!(rate(&record, Window { from: 100, to: 300 }), 160_000);
        assert_eq!(rate(&record, Window { from: 0, to: 0 }), 0);
    }
}
