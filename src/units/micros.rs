//! Times in microseconds.

/// A time in whole microseconds. Text: a number, decimals allowed where they come out whole, and `us`, `ms` or `s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(u64);

impl Micros {
    /// The largest time.
    pub const MAX: Micros = Micros(u64::MAX);

    /// From microseconds.
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Micros(us)
    }

    /// From milliseconds.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Micros(ms * 1000)
    }

    /// Microseconds.
    #[must_use]
    pub const fn us(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
