//! Sizes in bytes.

use serde::Serialize;

/// A size in bytes. Text: an integer, or an integer with `KiB` or `MiB` (powers of 1024).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Bytes(u64);

impl Bytes {
    /// From bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// Bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}
