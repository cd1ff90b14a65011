//! Numbers with units as `tc` and its users write them.

use qosc_compiler::terms::Amount;
use qosc_compiler::terms::limits::RATE;
use qosc_compiler::units::Rate;
use qosc_preview::live::words;
pub(super) use qosc_preview::live::words::{amount, size as size_of_tc, time as time_of_tc};

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
