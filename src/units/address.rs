//! IP addresses, prefixes and interface parts.

use ipnet::{Ipv4Net, Ipv6Net};
use serde::Serialize;
use std::net::Ipv6Addr;

/// IPv4 or IPv6. Text: `ipv4`, `ipv6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// Which addresses are meant. Text: `192.168.1.5`, `192.168.1.128/25`, `2001:db8::/64`, or an IPv6 interface part
/// `::10/-64`, whose last 64 bits hold under whatever prefix the provider delegates.
///
/// A prefix with bits set beyond its length (`192.168.1.5/24`) is refused, with the network as the cure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// An IPv4 address (`/32`) or prefix.
    V4(Ipv4Net),
    /// An IPv6 address (`/128`) or prefix.
    V6(Ipv6Net),
    /// The last `bits` bits of an IPv6 address, 1 to 127.
    V6Interface {
        /// The interface part; the bits before it are zero.
        part: Ipv6Addr,
        /// How many bits at the end count.
        bits: u8,
    },
}

impl Address {
    /// The family it belongs to.
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Address::V4(_) => Family::Ipv4,
            Address::V6(_) | Address::V6Interface { .. } => Family::Ipv6,
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
