//! Protocols and classifiers of filters.

use serde::Serialize;

qosc_language::choices! {
    /// Packets that the kernel offers to a filter.
    pub enum FilterProtocol {
        /// IPv4.
        Ip,
        /// IPv6.
        Ipv6,
        /// Frames of PPPoE sessions. Offsets count from the PPPoE header, 8 bytes before the IP packet.
        Pppoe,
        /// All packets.
        All,
    }
}

/// Kind of a filter, which tests its selector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Classifier {
    /// u32: tests one filter after the other.
    #[default]
    U32,
    /// u32 with hash tables for all filters of a preference.
    Hash,
    /// fw: looks up the mark in one hash table for all filters of a preference. They have the same mask.
    Fw,
}

impl Classifier {
    /// Returns `true` for u32 without hash tables.
    #[must_use]
    pub fn is_u32(&self) -> bool {
        *self == Classifier::U32
    }
}
