//! Processor time in tests. Other programs on the machine disturb it, so a run asserts it only with `QOSC_TIMES=yes`,
//! which `scripts/test --exhaustive` sets. Without it, the same tests run once and assert everything else.

#![allow(dead_code, reason = "every test program uses only some of these")]

use std::time::Duration;

/// Returns true if this run asserts times.
pub fn asserted() -> bool {
    std::env::var("QOSC_TIMES").is_ok_and(|wish| wish == "yes")
}

/// Returns how often to measure: as often as given, or once if nothing is asserted.
pub fn turns(usual: usize) -> usize {
    if asserted() { usual } else { 1 }
}

/// The processor time of this thread since it began.
fn busy() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the times of this thread");
    Duration::from_nanos(stat.split(' ').next().expect("a field").parse().expect("nanoseconds"))
}

/// The result of a call, and the processor time that this thread took for it.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let start = busy();
    let result = std::hint::black_box(call());
    (result, busy().saturating_sub(start))
}
