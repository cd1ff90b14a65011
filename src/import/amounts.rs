//! Numbers with units as `tc` and its users write them.

use crate::live::words;
pub(super) use crate::live::words::time as time_of_tc;
use crate::terms::Amount;
use crate::terms::limits::RATE;
use crate::units::{Bytes, Rate};

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

/// Reads a size of `tc` in bytes.
pub(super) fn size_of_tc(text: &str) -> Option<u64> {
    words::size(text).map(Bytes::get)
}

/// Splits a text into its number and its unit.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.split_at_checked(at)
}

/// Returns a decimal number times `scale`, rounded down. `None` if it is no number or exceeds 64 bits.
pub(super) fn times(number: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.len() > 12 {
        return None;
    }
    let power = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    u64::try_from(digits.checked_mul(u128::from(scale))?.checked_div(power)?).ok()
}
