//! Numbers as messages show them: three or four significant digits.

use crate::units::{Bytes, Micros, Rate};

/// Rounds a rate down to four significant digits.
pub(in crate::check) fn four_digits(rate: Rate) -> Rate {
    let unit = 10u64.pow(rate.bps().max(1).ilog10().saturating_sub(3));
    Rate::from_bps(rate.bps() / unit * unit)
}

/// A size with three significant digits, rounded down: `900 bytes`, `122 KiB`, `2.98 MiB`.
pub(in crate::check) fn bytes(size: Bytes) -> String {
    let bytes = size.get();
    let (unit, name) = match bytes {
        ..10_240 => return format!("{bytes} bytes"),
        10_240..1_048_576 => (1 << 10, "KiB"),
        _ => (1 << 20, "MiB"),
    };
    match bytes / unit {
        whole @ ..10 => format!("{whole}.{:02} {name}", bytes % unit * 100 / unit),
        whole @ 10..100 => format!("{whole}.{} {name}", bytes % unit * 10 / unit),
        whole => format!("{whole} {name}"),
    }
}

/// Formats a time with three significant digits, rounded down: `1.94 ms`, `262 ms`, `1.04 s`.
pub(in crate::check) fn time(time: Micros) -> String {
    let us = time.us();
    let three = |whole: u64, unit: u64, name: &str| match whole {
        ..10 => format!("{whole}.{:02} {name}", us % unit * 100 / unit),
        10..100 => format!("{whole}.{} {name}", us % unit * 10 / unit),
        _ => format!("{whole} {name}"),
    };
    match us {
        ..1_000 => format!("{us} us"),
        1_000..1_000_000 => three(us / 1_000, 1_000, "ms"),
        _ => three(us / 1_000_000, 1_000_000, "s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, four_digits, time};
    use crate::units::{Bytes, Micros, Rate};

    #[test]
    fn numbers_have_three_or_four_digits() {
        let rates =
            [0, 64_000, 6_271_744, 11_690_999].map(|bps| four_digits(Rate::from_bps(bps)).to_string());
        assert_eq!(rates, ["0bit", "64kbit", "6.271mbit", "11.69mbit"]);
        let sizes = [1_500, 65_536, 125_000, 3_125_000].map(|size| bytes(Bytes::new(size)));
        assert_eq!(sizes, ["1500 bytes", "64.0 KiB", "122 KiB", "2.98 MiB"]);
        let times =
            [0, 999, 1_949, 20_000, 262_144, 1_048_576, 12_345_678].map(|us| time(Micros::from_us(us)));
        assert_eq!(times, ["0 us", "999 us", "1.94 ms", "20.0 ms", "262 ms", "1.04 s", "12.3 s"]);
    }
}
