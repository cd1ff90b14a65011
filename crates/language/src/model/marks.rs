//! The script's own bits in the marks of connections and packets. They carry information about packets that tc cannot
//! see.

use super::Val;
use crate::diag::Span;
use crate::units::{Address, Dscp, Mac, Mark, PortRange, PortSet};
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Part of a mark that a match needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// Bits for addresses.
    Address,
    /// Bits for MAC addresses.
    Mac,
    /// Bits for the ports of hosts.
    Port,
    /// Bits for the DSCP that the LAN last sent.
    Dscp,
    /// The mark of a connection, and the flag.
    Mark,
}

/// A condition that needs marks, and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// Part of the mark that the condition needs.
    #[serde(skip)]
    pub kind: Needed,
    /// Text of the condition, such as `` `host ata` behind NAT``.
    pub what: String,
    /// Place in the file.
    pub span: Span,
}

/// Use of the mark bits. The fields and the flag together make up `mask`, and no bit belongs to two of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// Reasons for marks: for each kind, the first place that needs it.
    pub needs: Vec<Need>,
    /// All mark bits of the script. It never changes others.
    pub mask: Val<u32>,
    /// Bits of other connection marks that matches for downloads read. The script never writes them.
    pub lent: u32,
    /// Bits for the owner of an address. Only IPv4 addresses behind NAT need them.
    pub address: Option<Field>,
    /// Bits for the owner of a MAC address.
    pub mac: Option<Field>,
    /// Bits for the owner of a port of a host behind NAT. A port forward can have another port outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<Field>,
    /// Bits for the DSCP that the LAN last sent.
    pub dscp: Option<DscpField>,
    /// Bit that identifies a restored mark. `None` if only the script's own bits are restored, because then these bits
    /// identify it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<Flag>,
}

/// A bit in downloads whose mark was restored from the connection, from the ingress to the hook `prerouting`. A
/// download that arrived with a mark lacks the bit. The hook therefore clears the former and leaves the latter
/// unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// The bit, one of `mask`. It is never set in the mark of a connection.
    pub bit: Val<u32>,
    /// Set if matches leave no bit free, so that some of them also read this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
}

/// Data that keeps matches of all 32 bits exact although one of the bits is the flag. Every match that reads the flag
/// requires 0 there and at the spoiler. A connection that has the flag's bit set satisfies none of these matches, so
/// its packets get the spoiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// The spoiler: another bit that every match with the flag's bit also reads.
    pub spoiler: u32,
    /// Bits that the other matches read.
    pub rest: u32,
}

impl Marks {
    /// Returns the bit of the flag; 0 if there is none.
    #[must_use]
    pub fn flag_bit(&self) -> u32 {
        self.flag.as_ref().map_or(0, |flag| flag.bit.value)
    }

    /// Returns the bits that a download gets from the mark of its connection; the flag is not among them.
    #[must_use]
    pub fn restored(&self) -> u32 {
        (self.mask.value | self.lent) & !self.flag_bit()
    }

    /// Returns the bits that are written into the marks of connections. The flag only exists in packets.
    #[must_use]
    pub fn written(&self) -> u32 {
        self.mask.value & !self.flag_bit()
    }

    /// Returns the marks that filters for downloads test for a mark in a match. A restored mark contains the flag if
    /// the match reads it. A mark with which a download arrived does not.
    #[must_use]
    pub fn downwards(&self, mark: Mark) -> Vec<Mark> {
        let shared = self.flag.as_ref().filter(|flag| flag.shared.is_some());
        match shared.map(|flag| flag.bit.value & mark.mask) {
            None | Some(0) => vec![mark],
            // a download without a mark always gets a restored one
            Some(bit) if mark.value == 0 => vec![Mark { value: bit, ..mark }],
            Some(bit) => vec![Mark { value: mark.value | bit, ..mark }, mark],
        }
    }
}

/// Numbers that identify senders, stored in some of the mark bits. 0 means that no sender was identified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Bits of the field, with the number of identities that need them.
    pub bits: Val<u32>,
    /// Senders with a number. No packet belongs to two of them.
    pub identities: Vec<Identity>,
    /// Numbers that packets of a host can have.
    #[serde(skip)]
    pub of_host: BTreeMap<usize, Vec<u32>>,
    /// Numbers that packets of an address in a `local` key can have.
    #[serde(skip)]
    pub of_local: BTreeMap<Address, Vec<u32>>,
    /// Numbers that packets of a port in one of these sets can have.
    #[serde(skip)]
    pub of_ports: BTreeMap<PortSet, Vec<u32>>,
}

/// Packets to which the same hosts and `local` keys apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Number from 1 to the maximum of the bits, derived from the names.
    pub number: u32,
    /// Names of hosts and addresses of `local` keys, such as `desk, 192.168.1.0/24`.
    pub name: String,
    /// Place of the first of them.
    pub span: Option<Span>,
    /// Properties of a packet that are looked up.
    pub from: Vec<Seen>,
}

/// Property that identifies the sender of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Seen {
    /// One source address. It takes precedence over ranges.
    Exact(IpAddr),
    /// A range of source addresses, first to last. Ranges do not overlap.
    Range(IpAddr, IpAddr),
    /// MAC address of the sender.
    Mac(Mac),
    /// Source ports.
    Ports(PortRange),
    /// One of the router's own addresses.
    Router,
}

/// Bits for the code point that the LAN last sent on a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DscpField {
    /// Bits of the field.
    pub bits: Val<u32>,
    /// Numbers of code points: of all if there are enough bits, otherwise of the matched ones. 0 means that the LAN
    /// sent no packet, or one with a code point without a number.
    #[serde(skip)]
    pub numbers: BTreeMap<Dscp, u32>,
}

/// Distributes the bits of a value over the bits of a mask. The lowest bit goes to the lowest bit of the mask, and so
/// on.
#[must_use]
pub fn scatter(mut value: u32, mask: u32) -> u32 {
    let (mut left, mut out) = (mask, 0);
    while left != 0 {
        let bit = left & left.wrapping_neg();
        if value & 1 == 1 {
            out |= bit;
        }
        value >>= 1;
        left &= !bit;
    }
    out
}

impl Field {
    /// Returns the bits for these numbers, without duplicates.
    fn marks(&self, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut marks: Vec<u32> = numbers.map(|number| scatter(number, self.bits.value)).collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    }

    /// Returns the bits that packets of one of these hosts can have.
    #[must_use]
    pub fn hosts(&self, hosts: &[usize]) -> Vec<u32> {
        self.marks(hosts.iter().filter_map(|host| self.of_host.get(host)).flatten().copied())
    }

    /// Returns the bits that packets of one of these addresses of `local` keys can have.
    #[must_use]
    pub fn local(&self, local: &[Address]) -> Vec<u32> {
        self.marks(local.iter().filter_map(|net| self.of_local.get(net)).flatten().copied())
    }

    /// Returns the bits that packets of one of these ports can have.
    #[must_use]
    pub fn ports(&self, ports: &PortSet) -> Vec<u32> {
        self.marks(self.of_ports.get(ports).into_iter().flatten().copied())
    }

    /// Returns the bits of a packet from a port.
    #[must_use]
    pub fn of_port(&self, port: u16) -> u32 {
        let has = |seen: &Seen| matches!(seen, Seen::Ports(own) if (own.first..=own.last).contains(&port));
        let found = self.identities.iter().find(|own| own.from.iter().any(has));
        found.map_or(0, |identity| scatter(identity.number, self.bits.value))
    }

    /// Returns the bits of a packet that the router itself sends.
    #[must_use]
    pub fn of_router(&self) -> u32 {
        let found = self.identities.iter().find(|own| own.from.contains(&Seen::Router));
        found.map_or(0, |identity| scatter(identity.number, self.bits.value))
    }

    /// Returns the bits of a packet from an address.
    #[must_use]
    pub fn of_address(&self, address: IpAddr) -> u32 {
        let named = |fits: fn(&Seen, IpAddr) -> bool| {
            self.identities.iter().find(|own| own.from.iter().any(|seen| fits(seen, address)))
        };
        let exact = named(|seen, own| matches!(seen, Seen::Exact(address) if *address == own));
        let found = exact.or_else(|| {
            named(|seen, own| matches!(seen, Seen::Range(first, last) if first.is_ipv4() == own.is_ipv4() && (*first..=*last).contains(&own)))
        });
        found.map_or(0, |identity| scatter(identity.number, self.bits.value))
    }
}

impl DscpField {
    /// Returns the bits for a code point that was sent.
    #[must_use]
    pub fn mark(&self, dscp: Dscp) -> u32 {
        scatter(self.numbers.get(&dscp).copied().unwrap_or(0), self.bits.value)
    }
}

#[cfg(test)]
mod tests {
    use super::scatter;

    #[test]
    fn scatter_puts_bits_into_the_mask() {
        assert_eq!(scatter(0b101, 0xff00_0000), 0x0500_0000);
        assert_eq!(scatter(0b1101, 0x8000_00a1), 0x8000_0081);
        assert_eq!(scatter(u32::MAX, 0x1234_5678), 0x1234_5678);
        assert_eq!(scatter(5, 0), 0);
    }
}
