//! Participants of a scenario, and the helpers that all of them use.

use super::hub::{Hub, SECOND};
use crate::lab::protocol::{Record, Records, STEP};
use std::io;

/// Participant of a scenario. Times are nanoseconds since the start of the scenario.
pub(super) trait Actor {
    /// Does all work that is due. Returns the time of the next work.
    fn due(&mut self, now: u64, hub: &Hub) -> io::Result<Option<u64>>;

    /// Handles a file that became readable or writable. `number` is the number that the actor gave it.
    fn ready(&mut self, number: u32, now: u64, hub: &Hub) -> io::Result<()>;

    /// Adds the actor's results to the records.
    fn tell(&self, records: &mut Records);
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

/// Merges a record into that of the same name, or adds it.
pub(super) fn tell(records: &mut Records, own: Record) {
    match records.records.iter_mut().find(|record| record.name == own.name) {
        None => records.records.push(own),
        Some(record) => {
            record.samples.extend(own.samples);
            record.samples.sort_by_key(|sample| sample.at);
            for (sum, more) in record.bytes.iter_mut().zip(own.bytes) {
                *sum += more;
            }
            record.sent += own.sent;
        }
    }
}
