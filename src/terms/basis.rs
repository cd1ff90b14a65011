//! Constants from which the numbers of a direction follow.

use serde::Serialize;

/// What the numbers of a direction follow from, beside its line rate: the same at every line rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Shaped rate = line rate x numerator / denominator, rounded down to a whole bit/s: encoding and margin.
    pub numerator: u64,
    /// See above; at most 65,000,000.
    pub denominator: u64,
    /// Bytes on the wire of a full packet.
    pub full: u64,
    /// The longest that a qdisc may take a full packet to be, in bytes.
    pub frame: u64,
    /// The shortest turn of a class in bytes: a frame, or an aggregate where these reach HTB.
    pub least_turn: u64,
    /// The smallest bucket of a police in bytes, where none is given.
    pub least_police: u64,
}
