//! Differentiated services code points.

/// A DSCP, 0 to 63. Text: `cs0..cs7, af11..af43, ef, va, le` or the number; prints the name where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

impl Dscp {
    /// From the six bits; `None` above 63.
    #[must_use]
    pub const fn new(bits: u8) -> Option<Self> {
        if bits < 64 { Some(Dscp(bits)) } else { None }
    }

    /// The six bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

impl std::fmt::Display for Dscp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
