//! Reads single words that tc prints: handles, rates, sizes and times.
//!
//! tc prints at most six digits of a number and then an exponent (`1e+03ms`). This module reads it without floating
//! point.

use crate::tc::{Handle, LinkLayer, ROOT, SLOT_BIT};
use crate::units::{Bytes, Micros, Rate};

/// Reads a handle or class id, `c05:` or `c05:4d2f`. A class of the script in slot b gets its id in slot a.
pub(super) fn handle(word: &str) -> Option<Handle> {
    let (major, minor) = word.split_once(':')?;
    let (major, minor) = (hex16(major)?, if minor.is_empty() { 0 } else { hex16(minor)? });
    Some(Handle { major, minor: if major == ROOT { minor & !SLOT_BIT } else { minor } })
}

fn hex16(word: &str) -> Option<u16> {
    u16::from_str_radix(word, 16).ok()
}

/// Reads hex digits, with or without `0x` before them.
pub(super) fn hex32(word: &str) -> Option<u32> {
    u32::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()
}

/// Reads a rate, such as `6271Kbit`.
pub(super) fn rate(word: &str) -> Option<Rate> {
    let (number, unit) = number_and_unit(word)?;
    let scale = match unit {
        "bit" => 1,
        "Kbit" | "kbit" => 1_000,
        "Mbit" => 1_000_000,
        "Gbit" => 1_000_000_000,
        "Tbit" => 1_000_000_000_000,
        _ => return None,
    };
    number.times(scale).map(Rate::from_bps)
}

/// Reads a size, such as `1599b`, `128Kb`, `4Mb`.
pub(super) fn size(word: &str) -> Option<Bytes> {
    let (number, unit) = number_and_unit(word)?;
    let scale = match unit {
        "b" => 1,
        "Kb" => 1 << 10,
        "Mb" => 1 << 20,
        _ => return None,
    };
    number.times(scale).map(Bytes::new)
}

/// Reads a size below 4 GiB.
pub(super) fn small_size(word: &str) -> Option<u32> {
    size(word).and_then(|size| u32::try_from(size.get()).ok())
}

/// Reads a time, such as `12.3ms`.
pub(super) fn time(word: &str) -> Option<Micros> {
    let (number, unit) = number_and_unit(word)?;
    let scale = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        _ => return None,
    };
    number.times(scale).map(Micros::from_us)
}

/// Reads a number of packets, such as `100p`; some versions omit the letter.
pub(super) fn packets(word: &str) -> Option<u32> {
    word.strip_suffix('p').unwrap_or(word).parse().ok()
}

/// Reads `ethernet` or `atm`.
pub(super) fn linklayer(word: &str) -> Option<LinkLayer> {
    match word {
        "ethernet" => Some(LinkLayer::Ethernet),
        "atm" => Some(LinkLayer::Atm),
        _ => None,
    }
}

/// A decimal number: `digits x 10^exponent`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Returns the number times `scale`; `None` if the result is not a whole number or exceeds 64 bits.
    fn times(self, scale: u64) -> Option<u64> {
        let scaled = u128::from(self.digits) * u128::from(scale);
        let power = 10u128.checked_pow(self.exponent.unsigned_abs())?;
        let number = if self.exponent < 0 {
            scaled.checked_div(power).filter(|_| scaled.is_multiple_of(power))
        } else {
            scaled.checked_mul(power)
        };
        u64::try_from(number?).ok()
    }
}

fn number_and_unit(word: &str) -> Option<(Decimal, &str)> {
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
    Some((Decimal { digits, exponent }, unit))
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
        assert_eq!(packets("100p"), Some(100));
        assert_eq!(handle("c05:"), Some(Handle { major: 0xc05, minor: 0 }));
        assert_eq!(handle("c05:4d2f"), Some(Handle { major: 0xc05, minor: 0x4d2f }));
    }

    #[test]
    fn numbers_that_tc_never_prints_are_rejected() {
        for word in
            ["", "bit", "Kbit", "-1Kbit", "1.5.2Mbit", "1e99Gbit", "99999999999999999999bit", "1Kibit"]
        {
            assert_eq!(rate(word), None, "{word}");
        }
        for word in ["", "b", "12", "12KB", ".b", "1e-3b", "1e-99999999999b"] {
            assert_eq!(size(word), None, "{word}");
        }
        for word in ["", ":", "x:", "c05", "c05:xyz", "fffff:", "c05:1:2"] {
            assert_eq!(handle(word), None, "{word}");
        }
    }
}
