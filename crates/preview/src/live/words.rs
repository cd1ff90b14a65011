//! Reads single words as tc and its users write them: handles, rates, sizes and times.
//!
//! tc prints at most six digits of a number and then an exponent (`1e+03ms`). This module reads it without floating
//! point.

use qosc_compiler::tc::{Handle, ROOT, SLOT_BIT};
use qosc_compiler::units::{Bytes, Micros, Rate};

/// Reads a handle or class id, `c05:` or `c05:4d2f`. A class of the script in slot b gets its id in slot a.
#[must_use]
pub fn handle(word: &str) -> Option<Handle> {
    let (major, minor) = word.split_once(':')?;
    let (major, minor) = (hex16(major)?, if minor.is_empty() { 0 } else { hex16(minor)? });
    Some(Handle { major, minor: if major == ROOT { minor & !SLOT_BIT } else { minor } })
}

fn hex16(word: &str) -> Option<u16> {
    u16::from_str_radix(word, 16).ok()
}

/// Reads a decimal number with a unit and returns it in the smallest unit, rounded down. `size` returns the size of a
/// unit, which it gets in lower case.
#[must_use]
pub fn amount(word: &str, size: impl FnOnce(&str) -> Option<u64>) -> Option<u64> {
    let (number, unit) = number_and_unit(word)?;
    number.times(size(&unit)?)
}

/// Reads a rate in any case, such as `6271Kbit`, `1.5mbit`, `100kbps` (bytes) or `9600` (bit/s).
#[must_use]
pub fn rate(word: &str) -> Option<Rate> {
    let size = |unit: &str| match unit.strip_suffix("bps") {
        Some(prefix) => power(prefix, 1000)?.checked_mul(8),
        None => power(unit.strip_suffix("bit").unwrap_or(unit), 1000),
    };
    amount(word, size).map(Rate::from_bps)
}

/// Reads a size, such as `1599b`, `128Kb`, `4Mb` or `4096`.
#[must_use]
pub fn size(word: &str) -> Option<Bytes> {
    amount(word, |unit| power(unit.strip_suffix('b').unwrap_or(unit), 1024)).map(Bytes::new)
}

/// Reads a time, such as `12.3ms`, `1e+03ms`, `5msec` or `2500` (microseconds).
#[must_use]
pub fn time(word: &str) -> Option<Micros> {
    let size = |unit: &str| match unit.trim_end_matches("ecs").trim_end_matches("ec") {
        "" | "us" => Some(1),
        "ms" => Some(1_000),
        "s" => Some(1_000_000),
        _ => None,
    };
    amount(word, size).map(Micros::from_us)
}

/// Returns the power of `step` that a prefix stands for.
fn power(prefix: &str, step: u64) -> Option<u64> {
    let at = ["", "k", "m", "g", "t"].iter().position(|known| *known == prefix)?;
    step.checked_pow(u32::try_from(at).ok()?)
}

/// A decimal number: `digits x 10^exponent`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Returns the number times `scale`, rounded down; `None` if it exceeds 64 bits.
    fn times(self, scale: u64) -> Option<u64> {
        let scaled = u128::from(self.digits) * u128::from(scale);
        let power = 10u128.checked_pow(self.exponent.unsigned_abs())?;
        let number = if self.exponent < 0 { scaled.checked_div(power) } else { scaled.checked_mul(power) };
        u64::try_from(number?).ok()
    }
}

/// Splits a word into its number and its unit in lower case.
fn number_and_unit(word: &str) -> Option<(Decimal, String)> {
    let unit_at = word.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (number, unit) = word.split_at_checked(unit_at)?;
    let (mantissa, exponent) = match number.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let digits = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    Some((Decimal { digits, exponent }, unit.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_tc_prints_them() {
        assert_eq!(rate("6271Kbit"), Some(Rate::from_bps(6_271_000)));
        assert_eq!(rate("40Gbit"), Some(Rate::from_bps(40_000_000_000)));
        assert_eq!(rate("800bit"), Some(Rate::from_bps(800)));
        assert_eq!(size("1599b"), Some(Bytes::new(1599)));
        assert_eq!(size("1.04858e+06Kb"), Some(Bytes::new(1_048_580 * 1024)));
        assert_eq!(time("12.3ms"), Some(Micros::from_us(12_300)));
        assert_eq!(time("1e+03ms"), Some(Micros::from_us(1_000_000)));
        assert_eq!(time("1.23s"), Some(Micros::from_us(1_230_000)));
        assert_eq!(handle("c05:"), Some(Handle { major: 0xc05, minor: 0 }));
        assert_eq!(handle("c05:4d2f"), Some(Handle { major: 0xc05, minor: 0x4d2f }));
    }

    #[test]
    fn numbers_are_read_as_users_write_them() {
        assert_eq!(rate("1.5Mbit"), Some(Rate::from_bps(1_500_000)));
        assert_eq!(rate("1tbit"), Some(Rate::from_bps(1_000_000_000_000)));
        assert_eq!(rate("100kbps"), Some(Rate::from_bps(800_000)));
        assert_eq!(size("4Mb"), Some(Bytes::new(4 << 20)));
        assert_eq!(time("2500"), Some(Micros::from_us(2500)));
    }

    #[test]
    fn other_words_are_refused() {
        for word in [
            "",
            ".",
            "x",
            "1x",
            "bit",
            "-1Kbit",
            "1.2.3Mbit",
            "1e99Gbit",
            "99999999999999999999bit",
            "1Kibit",
        ] {
            assert_eq!(rate(word), None, "{word}");
        }
        for word in ["", "b", ".b", "1e-99999999999b"] {
            assert_eq!(size(word), None, "{word}");
        }
        for word in ["", ":", "x:", "c05", "c05:xyz", "fffff:", "c05:1:2"] {
            assert_eq!(handle(word), None, "{word}");
        }
    }
}
