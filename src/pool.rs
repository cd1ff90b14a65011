//! Parallel work on many items, with the results in the order of the items.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

/// Stack of a thread in bytes. The main thread on Linux has the same size.
const STACK: usize = 8 << 20;

/// Largest number of results per thread that wait for an earlier one.
const WAITING: usize = 4;

/// Runs `work` on every item on this many threads. Passes the results to `take` on this thread, in the order of the
/// items.
///
/// No thread gets more than a few items ahead, so only a few results are held at once.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(&T, R),
) {
    let threads = threads.min(items.len());
    let shared = Shared::new(threads.saturating_mul(WAITING));
    let worker = || {
        let _farewell = Farewell(&shared);
        while let Some((at, item)) = shared.next().and_then(|at| Some((at, items.get(at)?))) {
            shared.put(at, work(item));
        }
    };
    std::thread::scope(|scope| {
        let start = |_: &usize| Builder::new().stack_size(STACK).spawn_scoped(scope, worker).is_ok();
        // A single thread besides this one gives no speedup, because this one only waits.
        if threads < 2 || (0..threads).filter(start).count() == 0 {
            items.iter().for_each(|item| take(item, work(item)));
            return;
        }
        for (at, item) in items.iter().enumerate() {
            let Some(result) = shared.get(at) else { return };
            take(item, result);
        }
    });
}

struct Shared<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
    /// Largest number of items that may be begun but not yet taken.
    ahead: usize,
}

struct State<R> {
    begun: usize,
    taken: usize,
    done: BTreeMap<usize, R>,
    /// True after a thread panicked: its results will never come.
    lost: bool,
}

impl<R> Shared<R> {
    fn new(ahead: usize) -> Self {
        let state = State { begun: 0, taken: 0, done: BTreeMap::new(), lost: false };
        Shared { state: Mutex::new(state), changed: Condvar::new(), ahead }
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<R>>) -> MutexGuard<'a, State<R>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next item to work on, as soon as it is not too far ahead.
    fn next(&self) -> Option<usize> {
        let mut state = self.lock();
        while !state.lost && state.begun >= state.taken + self.ahead {
            state = self.wait(state);
        }
        let at = (!state.lost).then_some(state.begun)?;
        state.begun += 1;
        Some(at)
    }

    fn put(&self, at: usize, result: R) {
        self.lock().done.insert(at, result);
        self.changed.notify_all();
    }

    /// Returns the result of an item, as soon as it exists.
    fn get(&self, at: usize) -> Option<R> {
        let mut state = self.lock();
        loop {
            if let Some(result) = state.done.remove(&at) {
                state.taken = at + 1;
                self.changed.notify_all();
                return Some(result);
            }
            if state.lost {
                return None;
            }
            state = self.wait(state);
        }
    }
}

/// Guard that tells the other threads when a thread panics.
struct Farewell<'a, R>(&'a Shared<R>);

impl<R> Drop for Farewell<'_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().lost = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{WAITING, in_order};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order() {
        let items: Vec<usize> = (0..500).collect();
        for threads in [0, 1, 2, 7, 1000] {
            let mut taken = Vec::new();
            // Every tenth item takes longer than the following ones.
            let work = |item: &usize| {
                std::thread::sleep(Duration::from_micros(if item.is_multiple_of(10) { 500 } else { 0 }));
                item * 2
            };
            in_order(&items, threads, work, |item, result| taken.push((*item, result)));
            let wanted: Vec<(usize, usize)> = items.iter().map(|item| (*item, item * 2)).collect();
            assert_eq!(taken, wanted, "{threads}");
        }
        in_order(&[], 4, |item: &usize| *item, |_, _| {});
    }

    #[test]
    fn few_results_wait_for_an_earlier_one() {
        let (made, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items: Vec<usize> = (0..100).collect();
        let mut taken = 0;
        let work = |item: &usize| {
            if *item == 0 {
                std::thread::sleep(Duration::from_millis(50));
            }
            made.fetch_add(1, Ordering::SeqCst);
        };
        in_order(&items, 2, work, |_, ()| {
            most.fetch_max(made.load(Ordering::SeqCst) - taken, Ordering::SeqCst);
            taken += 1;
        });
        assert_eq!(taken, 100);
        let most = most.load(Ordering::SeqCst);
        assert!(most <= 2 * WAITING + 1, "{most}");
    }

    #[test]
    fn a_panic_of_one_item_ends_the_run() {
        let items: Vec<usize> = (0..100).collect();
        let work = |item: &usize| assert!(*item != 40, "as asked for");
        let run = || in_order(&items, 3, work, |_, ()| {});
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
