//! Parallel work on many items, with the results in the order of the items.

use std::sync::mpsc::sync_channel;
use std::thread::Builder;

/// Stack of a thread in bytes. The main thread on Linux has the same size.
const STACK: usize = 8 << 20;

/// Largest number of results of a thread that wait for an earlier one.
const WAITING: usize = 4;

/// Runs `work` on every item on this many threads. Passes the results to `take` on this thread, in the order of the
/// items.
///
/// The threads take turns, and none gets more than a few items ahead, so only a few results are held at once.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(&T, R),
) {
    let threads = threads.clamp(1, items.len().max(1));
    let work = &work;
    std::thread::scope(|scope| {
        let start = |first: usize| {
            let (done, results) = sync_channel(WAITING);
            let turns =
                move || items.iter().skip(first).step_by(threads).all(|item| done.send(work(item)).is_ok());
            Builder::new().stack_size(STACK).spawn_scoped(scope, turns).is_ok().then_some(results)
        };
        // A single thread besides this one gives no speedup, because this one only waits.
        let started: Vec<_> =
            (0..threads).map(|first| if threads > 1 { start(first) } else { None }).collect();
        for (item, results) in items.iter().zip(started.iter().cycle()) {
            let result = match results {
                None => work(item),
                // Without a result, the thread panicked, and so will this one.
                Some(results) => match results.recv() {
                    Ok(result) => result,
                    Err(_) => return,
                },
            };
            take(item, result);
        }
    });
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
        assert!(most <= 2 * (WAITING + 1) + 1, "{most}");
    }

    #[test]
    fn a_panic_of_one_item_ends_the_run() {
        let items: Vec<usize> = (0..100).collect();
        let work = |item: &usize| assert!(*item != 40, "as asked for");
        let run = || in_order(&items, 3, work, |_, ()| {});
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
