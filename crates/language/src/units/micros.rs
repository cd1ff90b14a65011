//! Times in microseconds.

use super::UnitError;
use super::number::{self, Misfit, What};
use super::written::{self, Written, written};
use crate::diag::ticked;
use std::str::FromStr;

/// A time in whole microseconds. Text: a number with `us`, `ms` or `s`. Decimals are accepted if the result is a whole
/// number of microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(u64);

impl Micros {
    /// Largest time.
    pub const MAX: Micros = Micros(u64::MAX);

    /// Creates a time from microseconds.
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Micros(us)
    }

    /// Creates a time from milliseconds.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Micros(ms * 1000)
    }

    /// Returns the time in microseconds.
    #[must_use]
    pub const fn us(self) -> u64 {
        self.0
    }
}

/// Microseconds per unit, smallest unit first.
const UNITS: &[(u64, &str)] = &[(1, "us"), (1_000, "ms"), (1_000_000, "s")];

const WHAT: What = What { noun: "time", cure: "a number and a unit, such as `5ms`" };

/// Ending of every message about an unknown or missing unit.
const UNIT_HELP: &str = "the units are `us`, `ms` and `s`";

/// Prints the largest unit that the time reaches and that needs at most three decimals: `5ms`, `1.5s`.
impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        number::print(self.0, UNITS, f)
    }
}

impl FromStr for Micros {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        read(text).map_err(|error| error.only(text, |meant| read(meant).is_ok(), WHAT.cure))
    }
}

/// Reads a time. The advice of an error may be to write what is refused in turn.
fn read(text: &str) -> Result<Micros, UnitError> {
    let (number, written) = number::split(text, WHAT)?;
    let text = text.trim();
    let name = written.to_ascii_lowercase();
    let Some((unit, _)) = UNITS.iter().find(|(_, known)| *known == name) else {
        return Err(unknown_unit(text, number.text, written, &name));
    };
    number.times(*unit).map(Micros).map_err(|misfit| match misfit {
        Misfit::Fraction => {
            UnitError::new(format!("the time {} is not a whole number of microseconds", ticked(text)))
                .help("remove the decimals below one microsecond")
        }
        Misfit::TooLarge => UnitError::new(format!("the time {} is too large", ticked(text)))
            .help("check the number and its unit"),
    })
}

/// Returns the error for a time with a missing or unknown unit.
fn unknown_unit(text: &str, number: &str, written: &str, name: &str) -> UnitError {
    if name.is_empty() {
        return UnitError::new(format!("the time {} has no unit", ticked(text)))
            .propose(
                format!("{number}ms"),
                format!("write {} if you mean milliseconds", ticked(&format!("{number}ms"))),
            )
            .help(UNIT_HELP);
    }
    let error = UnitError::new(format!("the time {} has the unknown unit {}", ticked(text), ticked(written)));
    let meant = match name {
        // micro sign and Greek letter
        "\u{b5}s" | "\u{3bc}s" | "usec" | "usecs" | "microseconds" => "us",
        "msec" | "msecs" | "milliseconds" => "ms",
        "sec" | "secs" | "second" | "seconds" => "s",
        _ => return error.help(UNIT_HELP),
    };
    error.write(text, &format!("{number}{meant}"))
}

written!(
    Micros,
    "Time",
    Written {
        about: "A time: a number and `us`, `ms` or `s`, such as `5ms`",
        numbers: None,
        pattern: written::decimal(UNITS),
        trimmed: true,
        examples: vec!["500us", "5ms", "1.5s"],
    }
);
