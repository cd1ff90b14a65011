//! What round trips come to. All times are microseconds.

use serde::Serialize;

/// What a number of requests came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// How many were sent.
    pub sent: u64,
    /// How many have no answer.
    pub lost: u64,
    /// Of those that have one, in µs; `None` where there is none.
    pub times: Option<Times>,
}

/// What the round trips of answered requests came to, in µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Times {
    /// The least.
    pub min: u64,
    /// As [`quantile`] of 50 %, the median.
    pub p50: u64,
    /// Of 90 %.
    pub p90: u64,
    /// Of 99 %.
    pub p99: u64,
    /// The largest.
    pub max: u64,
    /// The mean of the absolute differences between round trips that follow each other, lost ones left out, rounded down; 0 of a
    /// single one. RFC 3550 (6.4.1) smooths the same differences with a gain of 1/16, which depends on the order; the mean does not.
    pub jitter: u64,
}

/// What requests came to, of which these are the round trips in µs, `None` of a lost one, in the order of sending.
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

/// The nearest-rank percentile of sorted values: the least of them that so many percent of all do not exceed. It is
/// always one that was measured. `None` of nothing; above 100 % as 100 %.
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
    fn percentiles_are_of_the_nearest_rank() {
        // the example that is in most texts about it
        let five = [15, 20, 35, 40, 50];
        let of = |percent| quantile(&five, percent);
        assert_eq!([5, 30, 40, 50, 100].map(of), [15, 20, 20, 35, 50].map(Some));
        assert_eq!((of(0), of(101), quantile(&[], 50)), (Some(15), Some(50), None));
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!([1, 50, 90, 99].map(|percent| quantile(&hundred, percent)), [1, 50, 90, 99].map(Some));
        assert_eq!(quantile(&(1..=101).collect::<Vec<_>>(), 99), Some(100));
    }

    #[test]
    fn what_is_lost_is_counted_and_left_out() {
        let found = stats([Some(10), None, Some(40), Some(20), None]);
        let times = Times { min: 10, p50: 20, p90: 40, p99: 40, max: 40, jitter: 25 };
        assert_eq!(found, Stats { sent: 5, lost: 2, times: Some(times) });
        assert_eq!(stats([None, None]), Stats { sent: 2, lost: 2, times: None });
        assert_eq!(stats([]), Stats { sent: 0, lost: 0, times: None });
        assert_eq!(stats([Some(7)]).times.map(|times| (times.min, times.max, times.jitter)), Some((7, 7, 0)));
    }

    #[test]
    fn the_largest_times_do_no_harm() {
        let times = stats([Some(u64::MAX), Some(0), Some(u64::MAX)]).times.unwrap();
        assert_eq!((times.jitter, times.p50), (u64::MAX, u64::MAX));
    }
}
