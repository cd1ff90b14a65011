//! Figures for people.

/// A time given in microseconds, such as `1.9 ms` or `1.85 s`.
#[must_use]
pub fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} us"),
        1_000..999_950 => tenths(us, 1_000, " ms"),
        _ => {
            let hundredths = (us + 5_000) / 10_000;
            format!("{}.{:02} s", hundredths / 100, hundredths % 100)
        }
    }
}

/// Formats microseconds, or returns the other text if there is no value.
#[must_use]
pub fn time_or(us: Option<u64>, otherwise: &str) -> String {
    us.map_or_else(|| otherwise.to_owned(), time)
}

/// Formats bit/s, such as `2.9mbit`.
#[must_use]
pub fn rate(bps: u64) -> String {
    match bps {
        0..10_000 => format!("{bps}bit"),
        10_000..1_000_000 => format!("{}kbit", (bps + 500) / 1_000),
        _ => tenths(bps, 1_000_000, "mbit"),
    }
}

/// Formats millionths as a percentage, such as `49.6%`.
#[must_use]
pub fn share(ppm: u64) -> String {
    match ppm {
        1..1_000 => "<0.1%".to_owned(),
        _ => tenths(ppm, 10_000, "%"),
    }
}

fn tenths(value: u64, unit: u64, name: &str) -> String {
    let tenths = (value * 10 + unit / 2) / unit;
    format!("{}.{}{name}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::{rate, share, time};

    #[test]
    fn numbers_are_short_and_rounded() {
        assert_eq!(
            [0, 999, 1_000, 22_449, 22_450].map(time),
            ["0 us", "999 us", "1.0 ms", "22.4 ms", "22.5 ms"]
        );
        assert_eq!([999_949, 999_950, 1_854_999].map(time), ["999.9 ms", "1.00 s", "1.85 s"]);
        assert_eq!([0, 6_912, 64_000, 2_967_552].map(rate), ["0bit", "6912bit", "64kbit", "3.0mbit"]);
        assert_eq!([0, 155, 493_585, 1_000_000].map(share), ["0.0%", "<0.1%", "49.4%", "100.0%"]);
    }
}
