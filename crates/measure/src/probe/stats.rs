//! Statistics of round trip times. All times are microseconds.

use serde::Serialize;

/// Statistics of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Number of requests sent.
    pub sent: u64,
    /// Number of requests without an answer.
    pub lost: u64,
    /// Statistics of the answered requests in µs; `None` if there are none.
    pub times: Option<Times>,
}

/// Statistics of round trip times in µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Times {
    /// Minimum, in µs.
    pub min: u64,
    /// Median in µs: [`quantile`] of 50 %.
    pub p50: u64,
    /// [`quantile`] of 90 %, in µs.
    pub p90: u64,
    /// [`quantile`] of 99 %, in µs.
    pub p99: u64,
    /// Maximum, in µs.
    pub max: u64,
    /// Mean absolute difference between consecutive round trip times, rounded down. Lost ones are left out; for a
    /// single one it is 0. RFC 3550 (6.4.1) smooths the same differences with a gain of 1/16. That depends on the
    /// order, the mean does not.
    pub jitter: u64,
}

/// Returns the statistics of these round trip times in µs, in the order of sending; `None` stands for a lost request.
#[must_use]
pub fn stats(round_trips: impl IntoIterator<Item = Option<u64>>) -> Stats {
    let mut sent = 0;
    let mut times: Vec<u64> = Vec::new();
    for time in round_trips {
        sent += 1;
        times.extend(time);
    }
    let lost = sent - times.len() as u64;
    let steps = times.iter().zip(times.iter().skip(1)).map(|(one, next)| u128::from(one.abs_diff(*next)));
    let jitter = steps.sum::<u128>() / (times.len().saturating_sub(1)).max(1) as u128;
    times.sort_unstable();
    let of = |percent| quantile(&times, percent);
    let found = || {
        Some(Times {
            min: *times.first()?,
            p50: of(50)?,
            p90: of(90)?,
            p99: of(99)?,
            max: *times.last()?,
            jitter: u64::try_from(jitter).unwrap_or(u64::MAX),
        })
    };
    Stats { sent, lost, times: found() }
}

/// Returns the nearest-rank percentile of sorted values. It is the smallest value that is not exceeded by this
/// percentage of them, so it is always a measured one. Above 100 %, it is the largest. Returns `None` if there are no
/// values.
#[must_use]
pub fn quantile(sorted: &[u64], percent: u64) -> Option<u64> {
    let rank = (sorted.len() as u64 * percent.min(100)).div_ceil(100);
    let at = usize::try_from(rank.saturating_sub(1)).unwrap_or(usize::MAX);
    sorted.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::{Stats, Times, quantile, stats};

    #[test]
    fn percentiles_are_nearest_ranks() {
        // the example in most texts about percentiles
        let five = [15, 20, 35, 40, 50];
        let of = |percent| quantile(&five, percent);
        assert_eq!([5, 30, 40, 50, 100].map(of), [15, 20, 20, 35, 50].map(Some));
        assert_eq!((of(0), of(101), quantile(&[], 50)), (Some(15), Some(50), None));
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!([1, 50, 90, 99].map(|percent| quantile(&hundred, percent)), [1, 50, 90, 99].map(Some));
        assert_eq!(quantile(&(1..=101).collect::<Vec<_>>(), 99), Some(100));
    }

    #[test]
    fn lost_packets_are_counted_but_have_no_time() {
        let found = stats([Some(10), None, Some(40), Some(20), None]);
        let times = Times { min: 10, p50: 20, p90: 40, p99: 40, max: 40, jitter: 25 };
        assert_eq!(found, Stats { sent: 5, lost: 2, times: Some(times) });
        assert_eq!(stats([None, None]), Stats { sent: 2, lost: 2, times: None });
        assert_eq!(stats([]), Stats { sent: 0, lost: 0, times: None });
        assert_eq!(stats([Some(7)]).times.map(|times| (times.min, times.max, times.jitter)), Some((7, 7, 0)));
    }

    #[test]
    fn the_largest_times_cause_no_overflow() {
        let times = stats([Some(u64::MAX), Some(0), Some(u64::MAX)]).times.unwrap();
        assert_eq!((times.jitter, times.p50), (u64::MAX, u64::MAX));
    }
}
