//! Numbers with units as `tc` and its users write them.

use crate::live::words;
pub(super) use crate::live::words::{amount, size as size_of_tc, time as time_of_tc};
use crate::terms::Amount;
use crate::terms::limits::RATE;
use crate::units::Rate;

/// Returns an amount as a rate. `whole` is the rate of its parent.
pub(super) fn rate_of(amount: Amount, whole: Rate) -> Rate {
    match amount {
        Amount::Rate(rate) => rate,
        Amount::Share(share) => whole.percent(share),
    }
}

/// Reads a rate of `tc`; `None` if it is none, or above the largest rate of a file.
pub(super) fn rate_of_tc(text: &str) -> Option<Rate> {
    words::rate(text).filter(|rate| rate.bps() <= RATE.most)
}
