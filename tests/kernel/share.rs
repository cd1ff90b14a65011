//! The share of the long walks that a run takes. A walk has many steps, turns or packets, and one assertion judges all
//! of them alike. A run may take a tenth of them, and the run of the next commit another tenth; `scripts/test` chooses
//! which. Each test still runs, with each of its assertions.
//!
//! `QOSC_SHARE` is a number from 0 to 9. Without it a run takes everything.

/// The number of shares.
pub const SHARES: usize = 10;

/// The share that this run takes, counted from 0; `None` takes everything.
pub fn share() -> Option<usize> {
    let chosen = std::env::var("QOSC_SHARE").ok().filter(|text| !text.is_empty())?;
    let number: usize = chosen.parse().expect("QOSC_SHARE is a number");
    assert!(number < SHARES, "QOSC_SHARE is a number from 0 to {}", SHARES - 1);
    Some(number)
}

/// Returns every tenth item of a list, and at least one. `guest/turns.sh` counts in the same manner.
pub fn shared<T>(items: Vec<T>) -> Vec<T> {
    let Some(share) = share() else { return items };
    let count = items.len();
    let takes = |at: usize| at % SHARES == share || (count <= share && at == share % count);
    items.into_iter().enumerate().filter(|(at, _)| takes(*at)).map(|(_, item)| item).collect()
}
