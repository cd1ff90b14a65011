//! Rates in bits a second.

use super::{Micros, Percent, UnitError};

/// A rate in bit/s, exact. Largest: 2^63 - 1 bit/s.
///
/// Text: a number, decimals allowed, and one of `bit kbit mbit gbit` (powers of 1000, any case, a space and `/s`
/// allowed): `6.5mbit`, `400 kbit/s`. A rate that is not a whole number of bit/s is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// From bits a second.
    #[must_use]
    pub const fn from_bps(bps: u64) -> Self {
        Rate(bps)
    }

    /// Bits a second.
    #[must_use]
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// `numerator / denominator` of this rate, rounded down to a whole bit/s. A zero denominator gives zero.
    #[must_use]
    pub fn scale(self, numerator: u64, denominator: u64) -> Self {
        let scaled =
            (u128::from(self.0) * u128::from(numerator)).checked_div(u128::from(denominator)).unwrap_or(0);
        Rate(u64::try_from(scaled).unwrap_or(u64::MAX))
    }

    /// This share of the rate, rounded down to a whole bit/s.
    #[must_use]
    pub fn percent(self, share: Percent) -> Self {
        self.scale(share.ppm(), 1_000_000)
    }

    /// How long `bytes` take at this rate, rounded up to a whole microsecond; at rate zero, [`Micros::MAX`].
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

    /// How many whole bytes this rate carries in `time`.
    #[must_use]
    pub fn bytes_in(self, time: Micros) -> u64 {
        let bytes = u128::from(self.0) * u128::from(time.us()) / 8_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// `self - other`, and zero where that would be negative.
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

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
