//! The processors that a test's guests may use.

use rustix::thread::{CpuSet, sched_getaffinity};

/// The processors that this process may run on.
pub fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(None).expect("the processors of this process");
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()
}
