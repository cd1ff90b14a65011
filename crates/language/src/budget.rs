//! Budget of a run, so that no file stops the machine that checks it.
//!
//! Each stage charges its work before it does it. The time of all files of a run counts together. Memory counts for one
//! file, because the next one begins after it was dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Time of a run in steps of 100 ns on a slow processor: 2 s.
const TIME: usize = 20_000_000;
/// Time that a file of a folder adds to that of the run: what a small file takes.
const TIME_OF_FILE: usize = 30_000;
/// Memory of a file in bytes: 300 MB.
const MEMORY: usize = 300_000_000;

/// Price of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// Time in steps of 100 ns.
    time: usize,
    /// Memory in bytes, until the file is dropped.
    memory: usize,
}

/// Sixteen bytes of a text.
pub const TEXT: Work = Work { time: 1, memory: 48 };
/// Key or value of a tree, from its text to its meaning.
pub const NODE: Work = Work { time: 10, memory: 260 };
/// Mapping whose keys are read.
pub const MAPPING: Work = Work { time: 3, memory: 1300 };
/// Key or value of a tree that is copied.
pub const COPY: Work = Work { time: 4, memory: 110 };
/// File that is looked up and read.
pub const FILE: Work = Work { time: 200, memory: 1000 };
/// Name of an application, whose built-in file is read.
pub const APP: Work = Work { time: 1000, memory: 1000 };
/// Compilation of a link or a variant, without its contents.
pub const COMPILATION: Work = Work { time: 1000, memory: 50_000 };
/// Class with its queues, up to the kernel objects.
pub const CLASS: Work = Work { time: 220, memory: 7500 };
/// Classes of a host in both directions, with their queues.
pub const HOST_CLASS: Work = Work { time: 150, memory: 4000 };
/// Host, tunnel or policer.
pub const OBJECT: Work = Work { time: 60, memory: 1200 };
/// Match of a class or a policer, with the rules that compare it.
pub const MATCH: Work = Work { time: 100, memory: 1500 };
/// Filter of a script.
pub const FILTER: Work = Work { time: 32, memory: 1100 };
/// Combination of two matches, or of a match and a tunnel.
pub const COMBINATION: Work = Work { time: 8, memory: 0 };
/// Comparison of two values or names, or step of a search.
pub const COMPARISON: Work = Work { time: 1, memory: 0 };
/// Sixteen bytes of a script.
pub const LINES: Work = Work { time: 5, memory: 32 };
/// Finding, without its text.
pub const FINDING: Work = Work { time: 150, memory: 3000 };

/// Remaining time of a run and memory of a file. Copies share both.
#[derive(Debug, Clone)]
pub struct Budget {
    time: Arc<AtomicUsize>,
    memory: Arc<AtomicUsize>,
    /// The divisor of [`Budget::parts`].
    parts: usize,
}

impl Default for Budget {
    fn default() -> Self {
        // A browser holds the page of the reader.
        Budget::parts(if cfg!(target_family = "wasm") { 4 } else { 1 })
    }
}

impl Budget {
    /// Returns the budget of a run divided by a number, such as for a browser.
    #[must_use]
    pub fn parts(number: usize) -> Self {
        let parts = number.max(1);
        let part = |of: usize| Arc::new(AtomicUsize::new(of / parts));
        Budget { time: part(TIME), memory: part(MEMORY), parts }
    }

    /// Returns the budget for another file or link of the same run: with the same time and all the memory.
    #[must_use]
    pub fn anew(&self) -> Self {
        Budget { time: Arc::clone(&self.time), ..Budget::parts(self.parts) }
    }

    /// Adds the time of a small file. So a folder may have many, unless they share what is large: a file on a disk takes
    /// space there, and time to get there.
    pub fn add_file(&self) {
        let more = |left: usize| (left > 0).then(|| left + TIME_OF_FILE / self.parts);
        // It fails if no time is left, and then adds none.
        let _ = self.time.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Charges work that somebody is about to do `times`. Returns false if it may not be done, and then for all further
    /// work.
    pub fn charge(&self, times: usize, work: Work) -> bool {
        let take = |left: &AtomicUsize, price: usize| {
            let price = price.saturating_mul(times);
            let less = |left: usize| Some(left.saturating_sub(price));
            let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            before.is_ok_and(|before| before > price)
        };
        let (time, memory) = (take(&self.time, work.time), take(&self.memory, work.memory));
        time && memory
    }

    /// Returns true if no further work may be done.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        [&self.time, &self.memory].iter().any(|left| left.load(Ordering::Relaxed) == 0)
    }

    /// Returns true if the time of the run is used up, so that no further file can be read.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.time.load(Ordering::Relaxed) == 0
    }

    /// Returns the used shares of the time and of the memory, in percent.
    #[must_use]
    pub fn used(&self) -> (usize, usize) {
        let used = |left: &AtomicUsize, all: usize| {
            100_usize.saturating_sub(left.load(Ordering::Relaxed) * 10 / (all / self.parts / 10))
        };
        (used(&self.time, TIME), used(&self.memory, MEMORY))
    }
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
