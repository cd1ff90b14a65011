//! The nft table that writes our bits into the marks of connections and packets.

use super::Why;
use crate::units::{Dscp, Mac};
use serde::Serialize;
use std::net::IpAddr;

/// What of a packet is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LookedUp {
    /// Its source address; before any range.
    Source(IpAddr),
    /// Its source address, from the first to the last; no two overlap.
    Sources(IpAddr, IpAddr),
    /// The MAC address that it came from.
    Mac(Mac),
    /// Its code point.
    Dscp(Dscp),
}

/// Something that is looked up, and the bits that it gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Element {
    /// What.
    pub key: LookedUp,
    /// The bits, within those of its lookup.
    pub mark: u32,
    /// What it came from.
    pub why: Why,
}

/// A lookup: at most eight bits, so that it needs at most 256 chains however many elements there are. nft cannot or
/// what a map gives into a mark, so each value of the bits is a chain with that value as a constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Lookup {
    /// Its name in the table, such as `address`.
    pub name: String,
    /// The bits that it writes. Whatever is not found gets none of them.
    pub bits: u32,
    /// What is looked up.
    pub elements: Vec<Element>,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Marks {
    /// All bits of ours: the table writes these and no others.
    pub mask: u32,
    /// The bits that downloads get back from the mark of their connection: ours, and those of the household's own
    /// marks that downloads are matched by.
    pub restored: u32,
    /// The bit that says that a download's mark was restored; 0 if nothing but our bits is.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub flag: u32,
    /// In no order: no two write the same bit.
    pub lookups: Vec<Lookup>,
    /// What it came from.
    pub why: Why,
}
