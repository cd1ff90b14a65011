//! Our own bits in the marks of connections and packets: what they say of a packet that tc cannot see.

use super::Val;
use crate::diag::Span;
use crate::units::{Address, Dscp, Mac, Mark};
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// What of a mark a match takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// Bits for addresses.
    Address,
    /// Bits for MAC addresses.
    Mac,
    /// Bits for the DSCP that the house last sent.
    Dscp,
    /// The mark of a connection, and the flag.
    Mark,
}

/// Something that cannot be told without marks, and where it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// What of a mark it takes.
    #[serde(skip)]
    pub kind: Needed,
    /// What it is, such as `` `host ata` behind NAT``.
    pub what: String,
    /// The place.
    pub span: Span,
}

/// How our bits are used, where anything needs them. The bits of the fields are `mask`, and none is in two of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// Why marks are in use: of each kind the first place that needs them.
    pub needs: Vec<Need>,
    /// Our bits. All others are never touched.
    pub mask: Val<u32>,
    /// Bits of the household's own marks of connections, by which downloads are matched; never written.
    pub lent: u32,
    /// Whose address a packet comes from. IPv4 only: where NAT hides it.
    pub address: Option<Field>,
    /// Whose MAC address it comes from.
    pub mac: Option<Field>,
    /// The DSCP that the house last sent.
    pub dscp: Option<DscpField>,
    /// What a restored mark is known by. `None` if downloads get bits of ours only: then the bits themselves tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<Flag>,
}

/// A bit that each download has whose mark is its connection's, from the ingress to the hook `prerouting`. A download
/// that came with a mark lacks the bit, so `prerouting` can clear the former and leave the latter as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// The bit, one of ours. It is never set in the mark of a connection.
    pub bit: Val<u32>,
    /// Set if matches leave no bit free, so that some of them look at this one, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
}

/// How matches of all 32 bits stay exact although one of the bits is the flag: each match that looks at the flag wants
/// 0 there and at the spoiler. A connection that has the flag's bit set meets none of them, so it gets the spoiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// The spoiler: another bit at which all matches look that look at the flag.
    pub spoiler: u32,
    /// The bits at which the other matches look.
    pub rest: u32,
}

impl Marks {
    /// Returns the bit of the flag; 0 if there is none.
    #[must_use]
    pub fn flag_bit(&self) -> u32 {
        self.flag.as_ref().map_or(0, |flag| flag.bit.value)
    }

    /// The bits that a download gets from the mark of its connection. The flag is not one of them.
    #[must_use]
    pub fn restored(&self) -> u32 {
        (self.mask.value | self.lent) & !self.flag_bit()
    }

    /// The bits that are written into the marks of connections. The flag is in packets only.
    #[must_use]
    pub fn written(&self) -> u32 {
        self.mask.value & !self.flag_bit()
    }

    /// What the filters for downloads ask for, so that they meet a mark in a match: as it is after it was restored, and
    /// as it is on a download that came with it.
    #[must_use]
    pub fn downwards(&self, mark: Mark) -> Vec<Mark> {
        let shared = self.flag.as_ref().filter(|flag| flag.shared.is_some());
        match shared.map(|flag| flag.bit.value & mark.mask) {
            None | Some(0) => vec![mark],
            // a download without a mark is always given one
            Some(bit) if mark.value == 0 => vec![Mark { value: bit, ..mark }],
            Some(bit) => vec![Mark { value: mark.value | bit, ..mark }, mark],
        }
    }
}

/// Numbers in some of our bits: 0 is nobody's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Field {
    /// The bits, and how many are needed.
    pub bits: Val<u32>,
    /// Who has a number. No packet is of two of them.
    pub identities: Vec<Identity>,
    /// The numbers that a host's packets have.
    #[serde(skip)]
    pub of_host: BTreeMap<usize, Vec<u32>>,
    /// The numbers that the packets of an address of a `local` key have.
    #[serde(skip)]
    pub of_local: BTreeMap<Address, Vec<u32>>,
}

/// Packets that the same hosts and `local` keys hold for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// 1 to what the bits hold, from the names.
    pub number: u32,
    /// Names of hosts and addresses of `local` keys, such as `desk, 192.168.1.0/24`.
    pub name: String,
    /// Where the first of them stands.
    pub span: Option<Span>,
    /// What of a packet is looked up.
    pub from: Vec<Seen>,
}

/// What a packet is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Seen {
    /// One source address. It counts before any range.
    Exact(IpAddr),
    /// Source addresses from the first to the last. No two ranges overlap.
    Range(IpAddr, IpAddr),
    /// The MAC address of the sender.
    Mac(Mac),
}

/// The code point that the house last sent on a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DscpField {
    /// Six bits, or seven.
    pub bits: Val<u32>,
    /// Whether the seventh says that something was sent at all: code point 0 would be the same as nothing otherwise.
    pub known: bool,
}

/// Where a value stands in a mask: its lowest bit in the mask's lowest, and so on, gaps left out.
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
    /// The bits of each of these numbers, each once.
    fn marks(&self, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut marks: Vec<u32> = numbers.map(|number| scatter(number, self.bits.value)).collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    }

    /// The bits that packets of one of these hosts can have.
    #[must_use]
    pub fn hosts(&self, hosts: &[usize]) -> Vec<u32> {
        self.marks(hosts.iter().filter_map(|host| self.of_host.get(host)).flatten().copied())
    }

    /// The bits that packets of one of these addresses of `local` keys can have.
    #[must_use]
    pub fn local(&self, local: &[Address]) -> Vec<u32> {
        self.marks(local.iter().filter_map(|net| self.of_local.get(net)).flatten().copied())
    }

    /// The bits of a packet from an address.
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
    /// The bits for a code point that was sent.
    #[must_use]
    pub fn mark(&self, dscp: Dscp) -> u32 {
        let known = if self.known { 64 } else { 0 };
        scatter(u32::from(dscp.bits()) | known, self.bits.value)
    }
}

#[cfg(test)]
mod tests {
    use super::scatter;

    #[test]
    fn bits_go_where_the_mask_has_some() {
        assert_eq!(scatter(0b101, 0xff00_0000), 0x0500_0000);
        assert_eq!(scatter(0b1101, 0x8000_00a1), 0x8000_0081);
        assert_eq!(scatter(u32::MAX, 0x1234_5678), 0x1234_5678);
        assert_eq!(scatter(5, 0), 0);
    }
}
