//! Shares of a rate.

/// A share in millionths, exact to 0.0001 %. Text: `3%`, `2.5%`, 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u32);

impl Percent {
    /// All of it.
    pub const ALL: Percent = Percent(1_000_000);

    /// From millionths; more than all is taken as all.
    #[must_use]
    pub const fn from_ppm(ppm: u32) -> Self {
        if ppm > 1_000_000 { Percent::ALL } else { Percent(ppm) }
    }

    /// Millionths, 0 to 1,000,000.
    #[must_use]
    pub const fn ppm(self) -> u64 {
        self.0 as u64
    }

    /// What is left of the whole.
    #[must_use]
    pub const fn rest(self) -> Percent {
        Percent(1_000_000 - self.0)
    }
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
