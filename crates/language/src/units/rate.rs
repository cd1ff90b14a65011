//! Rates in bits per second.

use super::number::{self, Decimal, Misfit, What};
use super::written::{self, Written, written};
use super::{Micros, Percent, UnitError};
use crate::diag::{did_you_mean, ticked};
use std::str::FromStr;

/// A rate in bit/s, exact. Largest: 2^63 - 1 bit/s.
///
/// Text: a number, with or without decimals, and one of `bit kbit mbit gbit` (powers of 1000). Any case, a space and
/// `/s` are accepted: `6.5mbit`, `400 kbit/s`. A rate that is not a whole number of bit/s is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Creates a rate from bits per second.
    #[must_use]
    pub const fn from_bps(bps: u64) -> Self {
        Rate(bps)
    }

    /// Returns the bits per second.
    #[must_use]
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// Returns `numerator / denominator` of this rate, rounded down to a whole bit/s. A zero denominator gives zero.
    #[must_use]
    pub fn scale(self, numerator: u64, denominator: u64) -> Self {
        let scaled =
            (u128::from(self.0) * u128::from(numerator)).checked_div(u128::from(denominator)).unwrap_or(0);
        Rate(u64::try_from(scaled).unwrap_or(u64::MAX))
    }

    /// Returns this percentage of the rate, rounded down to a whole bit/s.
    #[must_use]
    pub fn percent(self, share: Percent) -> Self {
        self.scale(share.ppm(), 1_000_000)
    }

    /// Returns the time for `bytes` at this rate, rounded up to a whole microsecond; [`Micros::MAX`] for rate zero.
    #[must_use]
    pub fn time_for(self, bytes: u64) -> Micros {
        match self.0 {
            0 => Micros::MAX,
            bps => {
                let us = (u128::from(bytes) * 8_000_000).div_ceil(u128::from(bps));
                u64::try_from(us).map_or(Micros::MAX, Micros::from_us)
            }
        }
    }

    /// Returns the whole bytes that this rate carries in `time`.
    #[must_use]
    pub fn bytes_in(self, time: Micros) -> u64 {
        let bytes = u128::from(self.0) * u128::from(time.us()) / 8_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// Returns `self - other`, or zero if that would be negative.
    #[must_use]
    pub fn saturating_sub(self, other: Rate) -> Rate {
        Rate(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Rate {
    fn sum<I: Iterator<Item = Rate>>(rates: I) -> Rate {
        Rate(rates.fold(0u64, |sum, rate| sum.saturating_add(rate.0)))
    }
}

/// Bit/s per unit, smallest unit first.
pub(super) const UNITS: &[(u64, &str)] =
    &[(1, "bit"), (1_000, "kbit"), (1_000_000, "mbit"), (1_000_000_000, "gbit")];

const WHAT: What = What { noun: "rate", cure: "a number and a unit, such as `6.5mbit` or `400kbit`" };

/// Ending of every message about an unknown or missing unit.
const UNIT_HELP: &str = "the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000";

/// The rates that messages propose: any other is refused or doubted in turn. From the least rate of a class up to the
/// fastest port there is (IEEE 802.3df).
const PROPOSED: std::ops::RangeInclusive<u64> = 8_000..=800_000_000_000;

/// Prints the largest unit that the rate reaches and that needs at most three decimals: `6.5mbit`, `400kbit`.
impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        number::print(self.0, UNITS, f)
    }
}

impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let accepted = |meant: &str| read(meant).is_ok_and(|rate| PROPOSED.contains(&rate.bps()));
        read(text).map_err(|error| error.only(text, accepted, WHAT.cure))
    }
}

/// Reads a rate. The advice of an error may be to write what is refused in turn.
fn read(text: &str) -> Result<Rate, UnitError> {
    let (number, written) = number::split(text, WHAT)?;
    let lower = written.to_ascii_lowercase();
    let name = lower.strip_suffix("/s").map_or(lower.as_str(), str::trim_end);
    let Some((unit, _)) = UNITS.iter().find(|(_, known)| *known == name) else {
        return Err(unknown_unit(text.trim(), &number, written, name));
    };
    match number.times(*unit) {
        Ok(bps) if i64::try_from(bps).is_ok() => Ok(Rate(bps)),
        Err(Misfit::Fraction) => {
            let cause = format!("the rate {} is not a whole number of bits per second", ticked(text.trim()));
            Err(UnitError::new(cause).help("remove the decimals below one bit per second"))
        }
        _ => {
            let cause = format!("the rate {} is too large", ticked(text.trim()));
            Err(UnitError::new(cause).help("check the number and its unit"))
        }
    }
}

/// Returns the error for a rate with a missing, unknown or ambiguous unit.
fn unknown_unit(text: &str, number: &Decimal<'_>, written: &str, name: &str) -> UnitError {
    let cause = |why: &str| UnitError::new(format!("the rate {} {why}", ticked(text)));
    // modems and providers name both directions in this way
    let unit = text.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    if let Some((one, other)) = text.split_once('/')
        && let (Ok(one), Ok(other)) = (read(one).or_else(|_| read(&format!("{one}{unit}"))), read(other))
    {
        return cause("is two rates")
            .help(format!("write `{one}` for `up` and `{other}` for `down`, or the other way round"));
    }
    let rate = |unit: u64| number.times(unit).map(Rate);
    let prefix = |name: &str| match name {
        "" => Some(1),
        "k" => Some(1_000),
        "m" => Some(1_000_000),
        "g" => Some(1_000_000_000),
        _ => None,
    };
    match name {
        "" => {
            // few lines have more than a thousand megabits per second, and none a million kilobits per second
            let (unit, word) = match rate(1_000) {
                Ok(Rate(1_000_001..1_000_000_000)) => ("kbit", "kilobits"),
                Ok(Rate(1_000_000_000..)) => ("bit", "bits"),
                _ => ("mbit", "megabits"),
            };
            if number.times(1) == Ok(0) {
                return cause("has no unit").help(format!("write {}", WHAT.cure)).help(UNIT_HELP);
            }
            let meant = format!("{}{unit}", number.text);
            let help = format!("write {} if you mean {word} per second", ticked(&meant));
            return cause("has no unit").propose(meant, help).help(UNIT_HELP);
        }
        "%" => {
            return UnitError::new(format!("{} is a share, but a rate is needed here", ticked(text)))
                .help(format!("write {}", WHAT.cure));
        }
        _ => {}
    }
    // tc's `mbps` means bytes and everybody else's means bits; `MB/s` and `Mb/s` only differ in one capital letter
    for (suffix, why) in [
        ("bps", "can mean bits or bytes: `bps` means bytes per second in tc"),
        ("byte", "is in bytes, but rates are in bits"),
        ("bytes", "is in bytes, but rates are in bits"),
        ("b", "can mean bits or bytes"),
    ] {
        let Some(unit) = name.strip_suffix(suffix).and_then(prefix) else { continue };
        let error = cause(why);
        let (Ok(bits), Ok(bytes)) = (rate(unit), rate(unit * 8)) else { return error.help(UNIT_HELP) };
        let error = if suffix.starts_with("byte") {
            error
        } else {
            error.propose(bits.to_string(), format!("write `{bits}` if you mean bits"))
        };
        let help = format!("write `{bytes}` if you mean bytes, which are eight times as much");
        return error.propose(bytes.to_string(), help);
    }
    let other = match name {
        "kibit" => Some((1 << 10, "is in powers of 1024")),
        "mibit" => Some((1 << 20, "is in powers of 1024")),
        "gibit" => Some((1 << 30, "is in powers of 1024")),
        "tbit" => Some((1_000_000_000_000, "has a unit that is too large")),
        _ => None,
    };
    if let Some((unit, why)) = other
        && let Ok(rate) = rate(unit)
    {
        let help = format!("write `{rate}`, which is the same rate");
        return cause(why).propose(rate.to_string(), help).certain(text, rate.to_string());
    }
    let error = cause(&format!("has the unknown unit {}", ticked(written)));
    if let Some(unit) = spelt_out(name) {
        let meant = format!("{}{unit}", number.text);
        let help = format!("did you mean {}?", ticked(&meant));
        return error.propose(meant.clone(), help).help(UNIT_HELP).certain(text, meant);
    }
    let meant = match name {
        "k" => Some("kbit"),
        "m" => Some("mbit"),
        "g" => Some("gbit"),
        _ => did_you_mean(name.trim_end_matches("/sec"), UNITS.iter().map(|(_, name)| *name)),
    };
    match meant {
        Some(unit) => {
            let meant = format!("{}{unit}", number.text);
            let help = format!("did you mean {}?", ticked(&meant));
            error.propose(meant, help).help(UNIT_HELP)
        }
        None => error.help(UNIT_HELP),
    }
}

written!(
    Rate,
    "Rate",
    Written {
        about: "A rate: a number and `bit`, `kbit`, `mbit` or `gbit`, in powers of 1000, such as `6.5mbit`",
        numbers: None,
        pattern: format!("{}(\\s*/[sS])?", written::decimal(UNITS)),
        trimmed: true,
        examples: vec!["6.5mbit", "400kbit", "1gbit"],
    }
);

/// Returns the unit for a longer spelling, such as `mbits` or `megabit/sec`. Typing errors are not accepted, because a
/// single letter changes the rate by a factor of a thousand.
fn spelt_out(name: &str) -> Option<&'static str> {
    let each = ["/sec", "/second", "/sek", "/sekunde", "ps", "/s"];
    let name = each.iter().find_map(|each| name.strip_suffix(each)).unwrap_or(name).trim_end();
    match name.strip_suffix('s').unwrap_or(name) {
        "bit" => Some("bit"),
        "kbit" | "kilobit" => Some("kbit"),
        "mbit" | "megabit" => Some("mbit"),
        "gbit" | "gigabit" => Some("gbit"),
        _ => None,
    }
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;
