//! Packets as a classifier of the kernel sees them, and the conditions that it tests.

use qosc_compiler::terms::Direction;
use qosc_compiler::units::{Family, Protocol};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Value and mask of a word of 32 bits.
pub(crate) type Bits = (u32, u32);

/// Number of bytes of a packet. No filter reads beyond them: u32 would skip all further filters of its preference.
const BYTES: usize = 96;

/// A packet from its network header on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Packet {
    /// IP version; `None` for a packet that is not IP.
    pub(crate) family: Option<Family>,
    pub(crate) bytes: [u8; BYTES],
    pub(crate) mark: u32,
}

/// Condition of a filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Test {
    /// Words of the packet by their offset.
    pub(crate) words: Vec<(u16, Bits)>,
    pub(crate) mark: Bits,
}

/// Returns the bytes of a header without options.
pub(crate) const fn header(family: Family) -> u16 {
    if matches!(family, Family::Ipv4) { 20 } else { 40 }
}

impl Packet {
    /// Returns a packet with addresses and ports that configurations hardly name. Without a family, it is one of ARP.
    pub(crate) fn new(family: Option<Family>, protocol: u8) -> Packet {
        let head = match family {
            None => vec![0, 1, 8, 0, 6, 4, 0, 1],
            Some(Family::Ipv4) => {
                vec![0x45, 0, 0, 96, 0, 0, 0, 0, 64, protocol, 0, 0, 198, 51, 100, 77, 203, 0, 113, 99]
            }
            Some(Family::Ipv6) => {
                let end = |last| Ipv6Addr::new(0x2001, 0xdb8, 0xffff, 0, 0, 0, 0, last).octets();
                [&[0x60, 0, 0, 0, 0, 56, protocol, 64][..], &end(0x77), &end(0x99)].concat()
            }
        };
        // ports, and the flags ACK and PSH of TCP; or an echo request
        let body: &[u8] = match protocol {
            6 => &[0xa0, 1, 0xa0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x18],
            17 => &[0xa0, 1, 0xa0, 0x21],
            _ => &[8, 0, 0x12, 0x34],
        };
        let mut bytes = [0; BYTES];
        bytes.iter_mut().zip(head.iter().chain(body)).for_each(|(slot, byte)| *slot = *byte);
        Packet { family, bytes, mark: 0 }
    }

    /// Returns the word at an offset; `None` behind the end.
    pub(crate) fn word(&self, at: u16) -> Option<u32> {
        let at = usize::from(at);
        self.bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_be_bytes)
    }

    /// Sets bits of a word.
    pub(crate) fn set(&mut self, at: u16, (value, mask): Bits) {
        let old = self.word(at).unwrap_or_default();
        if let Some(word) = self.bytes.get_mut(at.into()..usize::from(at) + 4) {
            word.copy_from_slice(&(value & mask | old & !mask).to_be_bytes());
        }
    }

    /// Returns the number of the protocol above IP.
    pub(crate) const fn protocol(&self) -> u8 {
        if matches!(self.family, Some(Family::Ipv4)) { self.bytes[9] } else { self.bytes[6] }
    }

    /// Returns `true` for a packet of IP that is no fragment.
    pub(crate) fn is_whole(&self) -> bool {
        let fragment =
            self.family == Some(Family::Ipv4) && self.word(4).is_some_and(|word| word & 0x3fff != 0);
        self.family.is_some() && !fragment
    }

    /// Returns `true` if the packet meets a condition.
    pub(crate) fn meets(&self, test: &Test) -> bool {
        let has = |(at, (value, mask)): &(u16, Bits)| {
            self.word(*at).is_some_and(|word| word & mask == *value & mask)
        };
        self.mark & test.mark.1 == test.mark.0 && test.words.iter().all(has)
    }

    /// Returns the packet as `qosc explain --packet` takes it.
    pub(crate) fn text(&self, direction: Direction) -> String {
        let word = |at| self.word(at).unwrap_or_default();
        let v6 = |at: u16| {
            Ipv6Addr::from_bits((0..4).fold(0, |bits, part| bits << 32 | u128::from(word(at + 4 * part))))
        };
        let (ends, dscp, length) = match self.family {
            None => return format!("{} arp", direction.as_str()),
            Some(Family::Ipv4) => (
                [12, 16].map(|at| Ipv4Addr::from_bits(word(at)).to_string()),
                word(0) >> 18 & 0x3f,
                word(0) & 0xffff,
            ),
            Some(Family::Ipv6) => {
                ([8, 24].map(|at| format!("[{}]", v6(at))), word(0) >> 22 & 0x3f, (word(4) >> 16) + 40)
            }
        };
        let ports = word(self.family.map_or(0, header));
        let protocol = Protocol(self.protocol());
        let [from, to] = match protocol.has_ports() && self.is_whole() {
            true => [format!("{}:{}", ends[0], ports >> 16), format!("{}:{}", ends[1], ports & 0xffff)],
            false => ends.map(|end| end.trim_matches(['[', ']']).to_owned()),
        };
        let mut text = format!("{} {protocol} {from} > {to}", direction.as_str());
        for (name, number, usual) in [("dscp", dscp, 0), ("mark", self.mark, 0), ("length", length, 96)] {
            if number != usual {
                text += &format!(" {name} {number}");
            }
        }
        text
    }
}
