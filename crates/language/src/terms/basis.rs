//! Constants from which the numbers of a direction follow.

use serde::Serialize;

/// Inputs for the numbers of a direction besides its line rate. They are the same at every line rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Numerator for encoding and margin: shaped rate = line rate x numerator / denominator, rounded down to a whole
    /// bit/s.
    pub numerator: u64,
    /// Denominator for the shaped rate; at most 65,000,000.
    pub denominator: u64,
    /// Bytes of a full packet on the wire.
    pub full: u64,
    /// Longest length in bytes that a qdisc can see for a full packet.
    pub frame: u64,
    /// Smallest quantum of a class in bytes: a frame, or an aggregated packet if these reach HTB.
    pub least_turn: u64,
    /// Smallest default bucket of a policer in bytes.
    pub least_police: u64,
}
