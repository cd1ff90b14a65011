//! Numbers with units as `tc` and its users write them.

use crate::terms::Amount;
use crate::terms::limits::RATE;
use crate::units::{Micros, Rate};

/// Returns an amount as a rate. `whole` is the rate of its parent.
pub(super) fn rate_of(amount: Amount, whole: Rate) -> Rate {
    match amount {
        Amount::Rate(rate) => rate,
        Amount::Share(share) => whole.percent(share),
    }
}

/// Reads a rate of `tc` in any case: `10Mbit`, `1.5mbit`, `100kbps` (bytes), `9600` (bit/s). `None` if it is none, or above
/// the largest rate of a file.
pub(super) fn rate_of_tc(text: &str) -> Option<Rate> {
    let (number, unit) = split(text)?;
    let scale: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "bit" => 1,
        "kbit" | "k" => 1_000,
        "mbit" | "m" => 1_000_000,
        "gbit" | "g" => 1_000_000_000,
        "tbit" => 1_000_000_000_000,
        "bps" => 8,
        "kbps" => 8_000,
        "mbps" => 8_000_000,
        "gbps" => 8_000_000_000,
        _ => return None,
    };
    times(number, scale).filter(|bps| *bps <= RATE.most).map(Rate::from_bps)
}

/// Reads a time of `tc`: `5ms`, `100us`, `1s`, `2500` (microseconds).
pub(super) fn time_of_tc(text: &str) -> Option<Micros> {
    let (number, unit) = split(text)?;
    let scale = match unit.to_ascii_lowercase().as_str() {
        "" | "us" | "usec" | "usecs" => 1,
        "ms" | "msec" | "msecs" => 1_000,
        "s" | "sec" | "secs" => 1_000_000,
        _ => return None,
    };
    times(number, scale).map(Micros::from_us)
}

/// Reads a size of `tc`: `1514b`, `32Mb`, `4096`.
pub(super) fn size_of_tc(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let scale = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        _ => return None,
    };
    times(number, scale)
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

#[cfg(test)]
mod tests {
    use super::{rate_of_tc, size_of_tc, time_of_tc};
    use crate::units::{Micros, Rate};

    #[test]
    fn units_are_those_of_tc() {
        assert_eq!(rate_of_tc("1.5Mbit"), Some(Rate::from_bps(1_500_000)));
        assert_eq!(rate_of_tc("1tbit"), Some(Rate::from_bps(1_000_000_000_000)));
        assert_eq!(rate_of_tc("1000.1gbit"), None);
        assert_eq!(rate_of_tc("100kbps"), Some(Rate::from_bps(800_000)));
        assert_eq!(time_of_tc("12.3ms"), Some(Micros::from_us(12_300)));
        assert_eq!(size_of_tc("4Mb"), Some(4 << 20));
        for text in ["", ".", "x", "1x", "1.2.3mbit", "99999999999999999999gbit"] {
            assert_eq!(rate_of_tc(text), None, "{text}");
        }
    }
}
