//! The processors that a test's guests may use.

use rustix::thread::{CpuSet, sched_getaffinity};

/// The processors that this process may run on. If `scripts/test` runs one test program on each, only the one of this
/// program's `QOSC_SLOT`.
pub fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(None).expect("the processors of this process");
    let all: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect();
    match std::env::var("QOSC_SLOT").map(|slot| slot.parse::<usize>()) {
        Ok(Ok(slot)) => vec![all[slot % all.len()]],
        _ => all,
    }
}
