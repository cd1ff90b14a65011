//! Percentages of a rate.

use super::UnitError;
use super::number::{self, Misfit, What};
use super::written::{Written, written};
use crate::diag::ticked;
use std::str::FromStr;

/// A percentage in millionths, exact to 0.0001 %. Text: `3%`, `2.5%`, 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u32);

impl Percent {
    /// The whole, 100 %.
    pub const ALL: Percent = Percent(1_000_000);

    /// Creates a percentage from millionths; larger values become 100 %.
    #[must_use]
    pub const fn from_ppm(ppm: u32) -> Self {
        if ppm > 1_000_000 { Percent::ALL } else { Percent(ppm) }
    }

    /// Returns the millionths, 0 to 1,000,000.
    #[must_use]
    pub const fn ppm(self) -> u64 {
        self.0 as u64
    }

    /// Returns the remainder to 100 %.
    #[must_use]
    pub const fn rest(self) -> Percent {
        Percent(1_000_000 - self.0)
    }
}

const WHAT: What = What { noun: "percentage", cure: "a number from 0 to 100 and `%`, such as `20%`" };

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let decimals = format!("{:04}", self.0 % 10_000);
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{}%", self.0 / 10_000),
            decimals => write!(f, "{}.{decimals}%", self.0 / 10_000),
        }
    }
}

impl FromStr for Percent {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        read(text).map_err(|error| error.only(text, |meant| read(meant).is_ok(), WHAT.cure))
    }
}

/// Reads a percentage. The advice of an error may be to write what is refused in turn.
fn read(text: &str) -> Result<Percent, UnitError> {
    let (number, unit) = number::split(text, WHAT)?;
    let text = text.trim();
    if unit.is_empty() {
        let error = UnitError::new(format!("the percentage {} has no `%`", ticked(text)))
            .propose(format!("{text}%"), format!("write {}", ticked(&format!("{text}%"))));
        // such as 0.5 for a half
        return Err(match number.times(1_000_000) {
            Ok(ppm) if number.has_fraction() && ppm < 1_000_000 => {
                let share = Percent(u32::try_from(ppm).unwrap_or(0));
                error.propose(share.to_string(), format!("write `{share}` if you mean a fraction of 1"))
            }
            _ => error,
        });
    }
    if unit != "%" {
        let cause = format!("the percentage {} ends with {}, not with `%`", ticked(text), ticked(unit));
        let error = UnitError::new(cause).help(format!("write {}", WHAT.cure));
        return Err(match unit.to_ascii_lowercase().as_str() {
            "percent" | "per cent" | "pct" | "\u{ff05}" => error.certain(text, format!("{}%", number.text)),
            _ => error,
        });
    }
    match number.times(10_000).map(u32::try_from) {
        Ok(Ok(ppm)) if ppm <= 1_000_000 => Ok(Percent(ppm)),
        Err(Misfit::Fraction) => {
            let cause = format!("the percentage {} has more than four decimals", ticked(text));
            Err(UnitError::new(cause).help("round it to four decimals"))
        }
        _ => {
            let cause = format!("the percentage {} is above 100 %", ticked(text));
            Err(UnitError::new(cause).help("write at most `100%`"))
        }
    }
}

written!(
    Percent,
    "Percentage",
    Written {
        about: "A percentage from 0 to 100, such as `20%`",
        numbers: None,
        pattern: "(100(\\.0+)?|[1-9]?[0-9](\\.[0-9]{1,4}0*)?)\\s*%".to_owned(),
        trimmed: true,
        examples: vec!["20%", "2.5%"],
    }
);
