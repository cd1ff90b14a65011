//! The share of the long walks that a run takes. A walk visits many steps, turns or packets that one assertion judges alike.
//! A run may take a tenth of them, another tenth at the next commit; `scripts/test` chooses which. Each test still runs, with
//! each of its assertions.
//!
//! `QOSC_SHARE` is a number from 0 to 9. Without it a run takes everything.

/// How many shares there are.
pub const SHARES: usize = 10;

/// The share that this run takes, from 0 on; `None` takes everything.
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
