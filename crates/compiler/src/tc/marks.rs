//! The nft table that writes the mark bits of connections and packets.

use super::Why;
use crate::units::{Dscp, IfName, Mac, PortRange};
use serde::Serialize;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Property of a packet that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LookedUp {
    /// One source address. It takes precedence over ranges.
    Source(IpAddr),
    /// A range of source addresses, first to last. Ranges do not overlap.
    Sources(IpAddr, IpAddr),
    /// Source MAC address.
    Mac(Mac),
    /// Code point.
    Dscp(Dscp),
    /// Source ports.
    Ports(PortRange),
    /// One of the router's own addresses.
    Router,
}

/// A lookup key and the bits that it sets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Element {
    /// Lookup key.
    pub key: LookedUp,
    /// Bits to set, within the bits of the lookup.
    pub mark: u32,
    /// Origin of the element.
    pub why: Why,
}

/// A lookup of at most eight bits. The command `nft` cannot OR a map lookup result into a mark, so each value of the
/// bits has a chain with that value as a constant. Eight bits need at most 256 chains, however many elements there are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Lookup {
    /// Name in the table, such as `address`.
    pub name: String,
    /// Bits that the lookup writes. A packet without an element gets none of them.
    pub bits: u32,
    /// Elements of the lookup.
    pub elements: Vec<Element>,
}

/// The nft table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Marks {
    /// All mark bits that the table writes. It never writes other bits.
    pub mask: u32,
    /// Bits that downloads get from the mark of their connection: `mask`, and the bits of other marks that matches for
    /// downloads read.
    pub restored: u32,
    /// Bit that shows that the mark of a download was restored; 0 if only bits of `mask` are restored.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub flag: u32,
    /// Lookups in any order, because no two write the same bit.
    pub lookups: Vec<Lookup>,
    /// Devices of tunnels at which the router translates addresses, each once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tunnels: BTreeSet<IfName>,
    /// Origin of the table.
    pub why: Why,
}
