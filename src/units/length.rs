//! Ranges of packet lengths.

/// IP packet lengths in bytes, header included, both ends included. Text: `<128`, `<=127`, `>1000`, `>=1001`,
/// `64-128` or `64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LengthRange {
    /// The shortest, in bytes.
    pub min: u16,
    /// The longest, in bytes; never below `min`.
    pub max: u16,
}

impl std::fmt::Display for LengthRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
