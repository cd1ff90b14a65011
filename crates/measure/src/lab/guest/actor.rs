//! Participants of a scenario, and the helpers that all of them use.

use super::hub::{Hub, SECOND};
use crate::lab::protocol::{Record, STEP, Sample};
use std::io;

/// Participant of a scenario. Times are nanoseconds since the start of the scenario.
pub(super) trait Actor {
    /// Does all work that is due. Returns the time of the next work.
    fn due(&mut self, now: u64, hub: &Hub) -> io::Result<Option<u64>>;

    /// Handles a file that became readable or writable. `number` is the number that the actor gave it.
    fn ready(&mut self, number: u32, now: u64, hub: &Hub) -> io::Result<()>;

    /// Returns the actor's results.
    fn record(&self) -> Record;
}

/// Converts milliseconds of a scenario into nanoseconds.
pub(super) const fn nanoseconds(milliseconds: u64) -> u64 {
    milliseconds * (SECOND / 1000)
}

/// Returns zeros for the steps of a scenario of this many milliseconds.
pub(super) fn steps(length: u64) -> Vec<u64> {
    vec![0; usize::try_from(length.div_ceil(STEP)).unwrap_or_default()]
}

/// Adds received bytes to the current step.
pub(super) fn count(bytes: &mut [u64], now: u64, length: usize) {
    let step = usize::try_from(now / nanoseconds(STEP)).unwrap_or(usize::MAX);
    if let Some(bytes) = bytes.get_mut(step) {
        *bytes += u64::try_from(length).unwrap_or_default();
    }
}

/// Adds the sample of a packet or fetch that begins now.
pub(super) fn begin(samples: &mut Vec<Sample>, now: u64) {
    samples.push(Sample { at: now / 1000, took: None, open: None });
}

/// Ends the sample with this number now, unless it has ended already. Returns true if it ends now.
pub(super) fn end(samples: &mut [Sample], number: u64, now: u64) -> bool {
    let sample = usize::try_from(number).ok().and_then(|number| samples.get_mut(number));
    let open = sample.filter(|sample| sample.took.is_none());
    open.is_some_and(|sample| sample.took.replace((now / 1000).saturating_sub(sample.at)).is_none())
}
