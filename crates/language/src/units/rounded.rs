//! Quantities rounded for people: few significant digits, in the unit that fits.
//!
//! Rates have four digits, times and sizes three, and all are rounded to the nearest. Exact values stay in verbose output,
//! in JSON and in scripts.

use super::{Bytes, Micros, Rate};

/// Significant digits of a rate.
const RATE: u32 = 4;
/// Significant digits of a time and of a size.
const OTHER: u32 = 3;
/// Digits that tell any two values apart.
const MOST: u32 = 20;
/// Sizes below this are shown in bytes, exact: packets and small buckets.
const SMALL: u64 = 10_000;

const TIMES: &[(u64, &str)] = &[(1, " us"), (1_000, " ms"), (1_000_000, " s")];
const SIZES: &[(u64, &str)] = &[(1 << 10, " KiB"), (1 << 20, " MiB"), (1 << 30, " GiB")];

impl Rate {
    /// The rate with so many significant digits, rounded to the nearest.
    #[must_use]
    pub fn rounded(self, digits: u32) -> Rate {
        Rate::from_bps(nearest(self.bps(), digits))
    }

    /// The rate for people: `11.69mbit`.
    #[must_use]
    pub fn for_people(self) -> String {
        self.with_digits(RATE)
    }
}

impl Micros {
    /// The time with so many significant digits, rounded to the nearest.
    #[must_use]
    pub fn rounded(self, digits: u32) -> Micros {
        Micros::from_us(nearest(self.us(), digits))
    }

    /// The time for people: `124 ms`.
    #[must_use]
    pub fn for_people(self) -> String {
        self.with_digits(OTHER)
    }
}

impl Bytes {
    /// The size for people: `1643 bytes`, `2.25 MiB`.
    #[must_use]
    pub fn for_people(self) -> String {
        self.with_digits(OTHER)
    }
}

/// A quantity that can be shown with a number of significant digits.
trait Shown {
    /// The shortest number of digits that people are shown.
    const DIGITS: u32;

    fn with_digits(&self, digits: u32) -> String;
}

impl Shown for Rate {
    const DIGITS: u32 = RATE;

    fn with_digits(&self, digits: u32) -> String {
        in_unit(self.rounded(digits).bps(), super::rate::UNITS)
    }
}

impl Shown for Micros {
    const DIGITS: u32 = OTHER;

    fn with_digits(&self, digits: u32) -> String {
        in_unit(self.rounded(digits).us(), TIMES)
    }
}

impl Shown for Bytes {
    const DIGITS: u32 = OTHER;

    fn with_digits(&self, digits: u32) -> String {
        let bytes = self.get();
        let unit = SIZES.iter().rev().find(|(unit, _)| bytes >= *unit && bytes >= SMALL);
        let Some((unit, name)) = unit else {
            return if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
        };
        // A unit of 1024 is not decimal, so its digits are those of the quotient: here in millionths.
        let millionths = u128::from(bytes) * 1_000_000 / u128::from(*unit);
        let rounded = nearest(u64::try_from(millionths).unwrap_or(u64::MAX), digits);
        in_unit(rounded, &[(1, ""), (1_000_000, name)])
    }
}

/// The value of one step in the last of so many significant digits.
fn unit_of_last(value: u64, digits: u32) -> u64 {
    10u64.pow(value.max(1).ilog10().saturating_sub(digits.saturating_sub(1)))
}

fn nearest(value: u64, digits: u32) -> u64 {
    let unit = unit_of_last(value, digits);
    value.saturating_add(unit / 2) / unit * unit
}

/// The value in the largest unit that it reaches, with all decimals that are not zero.
fn in_unit(value: u64, units: &[(u64, &str)]) -> String {
    let reached = units.iter().rev().find(|(unit, _)| value >= *unit).or(units.first());
    let (unit, name) = reached.copied().unwrap_or((1, ""));
    let places = unit.checked_ilog10().and_then(|places| usize::try_from(places).ok()).unwrap_or_default();
    match value % unit {
        0 => format!("{}{name}", value / unit),
        rest => {
            let decimals = format!("{rest:0places$}");
            format!("{}.{}{name}", value / unit, decimals.trim_end_matches('0'))
        }
    }
}

/// A quantity that was printed exactly, such as `11692307bit`, `20.123ms` or `2250KiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Rate(Rate),
    Time(Micros),
    Size(Bytes),
}

impl Quantity {
    /// `None` if the text has no unit, or one that means something else.
    fn of(text: &str) -> Option<Quantity> {
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if unit.len() == text.len() {
            return None;
        }
        match unit {
            "bit" | "kbit" | "mbit" | "gbit" => text.parse().ok().map(Quantity::Rate),
            "us" | "ms" | "s" => text.parse().ok().map(Quantity::Time),
            "KiB" | "MiB" => text.parse().ok().map(Quantity::Size),
            _ => None,
        }
    }

    fn with_more_digits(self, more: u32) -> String {
        match self {
            Quantity::Rate(rate) => rate.with_digits(Rate::DIGITS + more),
            Quantity::Time(time) => time.with_digits(Micros::DIGITS + more),
            Quantity::Size(size) => size.with_digits(Bytes::DIGITS + more),
        }
    }
}

/// A value that was printed exactly, for people. A text that is no rate, time or size with a unit stays as it is.
#[must_use]
pub fn for_people(text: &str) -> String {
    Quantity::of(text).map_or_else(|| text.to_owned(), |quantity| quantity.with_more_digits(0))
}

/// An old and a new value that were printed exactly, for people: with as many digits as tell them apart.
#[must_use]
pub fn change_for_people(old: &str, new: &str) -> (String, String) {
    let is_size = [old, new].iter().any(|text| matches!(Quantity::of(text), Some(Quantity::Size(_))));
    // An exact size that is no multiple of a KiB has no unit.
    let bytes = |text: &str| text.parse().ok().filter(|_| is_size).map(Quantity::Size);
    let of = |text: &str| Quantity::of(text).or_else(|| bytes(text));
    let (Some(from), Some(to)) = (of(old), of(new)) else {
        return (for_people(old), for_people(new));
    };
    let pairs = (0..MOST).map(|more| (from.with_more_digits(more), to.with_more_digits(more)));
    let apart = pairs.into_iter().find(|(shown, other)| from == to || shown != other);
    apart.unwrap_or_else(|| (old.to_owned(), new.to_owned()))
}

/// A text in which values were printed exactly, for people. `OLD -> NEW` keeps as many digits as tell them apart.
#[must_use]
pub fn words_for_people(text: &str) -> String {
    let words: Vec<(&str, &str, &str)> = text.split(' ').map(punctuated).collect();
    let mut shown: Vec<String> = words.iter().map(|(_, word, _)| for_people(word)).collect();
    for at in 2..words.len() {
        if let (Some((_, old, _)), Some((_, "->", _)), Some((_, new, _))) =
            (words.get(at - 2), words.get(at - 1), words.get(at))
        {
            let (from, to) = change_for_people(old, new);
            for (at, text) in [(at - 2, from), (at, to)] {
                if let Some(own) = shown.get_mut(at) {
                    *own = text;
                }
            }
        }
    }
    let words = shown.iter().zip(&words).map(|(shown, (start, _, end))| format!("{start}{shown}{end}"));
    words.collect::<Vec<_>>().join(" ")
}

/// A word between the punctuation at its start and at its end.
fn punctuated(word: &str) -> (&str, &str, &str) {
    let start = word.len() - word.trim_start_matches('(').len();
    let (start, rest) = word.split_at_checked(start).unwrap_or(("", word));
    let end = rest.trim_end_matches([',', ';', ':', '.', ')']).len();
    let (word, end) = rest.split_at_checked(end).unwrap_or((rest, ""));
    (start, word, end)
}

#[cfg(test)]
#[path = "rounded_tests.rs"]
mod tests;
