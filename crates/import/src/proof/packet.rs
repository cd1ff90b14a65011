//! Packets as a classifier of the kernel sees them, and the conditions that it tests.

use crate::config::Match;
use qosc_compiler::terms::{Direction, TcpKind};
use qosc_compiler::units::{Address, Family};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use strum::VariantArray as _;

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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Test {
    /// Words of the packet by offset, and the mark.
    Words(Vec<(u16, Bits)>, Bits),
    /// Fields of a packet in a direction.
    Fields(Box<Match>, Direction),
    /// Something that no packet of a comparison has.
    Never,
}

/// Returns the bytes of a header without options.
pub(crate) const fn header(family: Family) -> u16 {
    match family {
        Family::Ipv4 => 20,
        Family::Ipv6 => 40,
    }
}

/// Returns mask and value of the flags that a match of TCP names.
pub(crate) fn flags_of(name: &str) -> Option<(u8, u8)> {
    TcpKind::VARIANTS.iter().find(|kind| kind.as_str() == name).map(|kind| kind.flags())
}

impl Packet {
    /// Returns a packet of IP with addresses and ports that configurations hardly name.
    pub(crate) fn ip(family: Family, protocol: u8) -> Packet {
        let (v4, mut v6) = ([0x45, 0, 0, 96, 0, 0, 0, 0, 64, protocol, 0, 0], [0; 40]);
        let mut packet = Packet { family: Some(family), bytes: [0; BYTES], mark: 0 };
        let head = match family {
            Family::Ipv4 => [&v4[..], &[198, 51, 100, 77, 203, 0, 113, 99]].concat(),
            Family::Ipv6 => {
                v6[..8].copy_from_slice(&[0x60, 0, 0, 0, 0, 56, protocol, 64]);
                for (at, last) in [(8, 0x77), (24, 0x99)] {
                    v6[at..at + 6].copy_from_slice(&[0x20, 1, 0xd, 0xb8, 0xff, 0xff]);
                    v6[at + 15] = last;
                }
                v6.to_vec()
            }
        };
        // ports, and the flags ACK and PSH of TCP; or an echo request
        let body: &[u8] = match protocol {
            6 => &[0xa0, 1, 0xa0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x18],
            17 => &[0xa0, 1, 0xa0, 0x21],
            1 => &[8, 0, 0x12, 0x34],
            _ => &[128, 0, 0x12, 0x34],
        };
        for (slot, byte) in packet.bytes.iter_mut().zip(head.iter().chain(body)) {
            *slot = *byte;
        }
        packet
    }

    /// Returns a packet of ARP.
    pub(crate) fn arp() -> Packet {
        let mut packet = Packet { family: None, bytes: [0; BYTES], mark: 0 };
        packet.bytes[..8].copy_from_slice(&[0, 1, 8, 0, 6, 4, 0, 1]);
        packet
    }

    /// Returns the word at an offset; `None` behind the end.
    pub(crate) fn word(&self, at: u16) -> Option<u32> {
        let at = usize::from(at);
        self.bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_be_bytes)
    }

    /// Sets bits of a word.
    pub(crate) fn set(&mut self, at: u16, (value, mask): Bits) {
        let at = usize::from(at);
        if let Some(word) = self.bytes.get_mut(at..at + 4) {
            let old = u32::from_be_bytes(word.try_into().unwrap_or_default());
            word.copy_from_slice(&(value & mask | old & !mask).to_be_bytes());
        }
    }

    /// Returns the number of the protocol above IP.
    pub(crate) fn protocol(&self) -> u8 {
        if self.family == Some(Family::Ipv4) { self.bytes[9] } else { self.bytes[6] }
    }

    /// Returns `true` for a fragment of IPv4.
    pub(crate) fn is_fragment(&self) -> bool {
        self.family == Some(Family::Ipv4) && self.word(4).is_some_and(|word| word & 0x3fff != 0)
    }

    fn address(&self, at: u16) -> IpAddr {
        let at = usize::from(at);
        match self.family {
            Some(Family::Ipv4) => {
                let octets = self.bytes.get(at..at + 4).and_then(|own| <[u8; 4]>::try_from(own).ok());
                Ipv4Addr::from(octets.unwrap_or_default()).into()
            }
            _ => {
                let octets = self.bytes.get(at..at + 16).and_then(|own| <[u8; 16]>::try_from(own).ok());
                Ipv6Addr::from(octets.unwrap_or_default()).into()
            }
        }
    }

    /// Returns source and destination.
    fn ends(&self) -> (IpAddr, IpAddr) {
        let (src, dst) = if self.family == Some(Family::Ipv4) { (12, 16) } else { (8, 24) };
        (self.address(src), self.address(dst))
    }

    /// Returns source and destination port; `None` if the packet has no ports.
    fn ports(&self) -> Option<(u16, u16)> {
        let word = self.word(header(self.family?))?;
        let has = matches!(self.protocol(), 6 | 17) && !self.is_fragment();
        has.then(|| ((word >> 16) as u16, word as u16))
    }

    /// Returns the DSCP and the length of the packet.
    fn dscp_and_length(&self) -> (u32, u32) {
        let (first, second) = (self.word(0).unwrap_or_default(), self.word(4).unwrap_or_default());
        match self.family {
            Some(Family::Ipv4) => (first >> 18 & 0x3f, first & 0xffff),
            _ => (first >> 22 & 0x3f, (second >> 16) + 40),
        }
    }

    /// Returns `true` if the packet meets a condition.
    pub(crate) fn meets(&self, test: &Test) -> bool {
        match test {
            Test::Never => false,
            Test::Words(words, (value, mask)) => {
                let has = |(at, (value, mask)): &(u16, Bits)| {
                    self.word(*at).is_some_and(|word| word & mask == *value & mask)
                };
                self.mark & mask == *value && words.iter().all(has)
            }
            Test::Fields(one, direction) => self.has(one, *direction),
        }
    }

    fn has(&self, one: &Match, direction: Direction) -> bool {
        if one.direction.is_some_and(|own| own != direction)
            || one.family.is_some_and(|own| self.family != Some(own))
        {
            return false;
        }
        let turned =
            |(source, target)| if direction == Direction::Up { (source, target) } else { (target, source) };
        let (local, remote) = match self.ends() {
            (source, target) if direction == Direction::Up => (source, target),
            (source, target) => (target, source),
        };
        let ports = self.ports().map(turned);
        let (dscp, length) = self.dscp_and_length();
        let within = |own: &[Address], end: IpAddr| {
            let single = match end {
                IpAddr::V4(end) => Address::V4(end.into()),
                IpAddr::V6(end) => Address::V6(end.into()),
            };
            own.is_empty() || self.family.is_some() && own.iter().any(|own| own.common(single).is_some())
        };
        let any = |holds: &[bool]| holds.is_empty() || holds.contains(&true);
        let port = |own: &[qosc_compiler::units::PortRange], of: fn((u16, u16)) -> [u16; 2]| {
            let ports = ports.map(of);
            own.is_empty()
                || ports.is_some_and(|ports| {
                    own.iter().any(|own| ports.iter().any(|port| own.first <= *port && *port <= own.last))
                })
        };
        let flags = self.family.and_then(|family| self.word(header(family) + 10)).unwrap_or_default() as u8;
        let tcp = |name: &&str| {
            // an acknowledgement without data is short
            flags_of(name)
                .is_some_and(|(mask, value)| flags & mask == value && (mask != 0x1f || length < 128))
        };
        let fields = self.family.is_some();
        within(&one.local, local)
            && within(&one.remote, remote)
            && port(&one.local_port, |(local, _)| [local; 2])
            && port(&one.remote_port, |(_, remote)| [remote; 2])
            && port(&one.port, |(local, remote)| [local, remote])
            && any(&one.protocol.iter().map(|own| fields && own.0 == self.protocol()).collect::<Vec<_>>())
            && any(&one.dscp.iter().map(|own| fields && u32::from(own.bits()) == dscp).collect::<Vec<_>>())
            && any(&one.mark.iter().map(|own| self.mark & own.mask == own.value).collect::<Vec<_>>())
            && any(&one
                .length
                .iter()
                .map(|own| fields && (u32::from(own.min)..=own.max.into()).contains(&length))
                .collect::<Vec<_>>())
            && (one.tcp.is_empty() || fields && self.protocol() == 6 && one.tcp.iter().any(tcp))
    }

    /// Returns the packet as `qosc explain --packet` takes it.
    pub(crate) fn text(&self, direction: Direction) -> String {
        let Some(family) = self.family else { return format!("{} arp", direction.as_str()) };
        let ((from, to), ports) = (self.ends(), self.ports());
        let end = |address: IpAddr, port: Option<u16>| match (port, address.is_ipv4()) {
            (Some(port), true) => format!("{address}:{port}"),
            (Some(port), false) => format!("[{address}]:{port}"),
            (None, _) => address.to_string(),
        };
        let protocol = qosc_compiler::units::Protocol(self.protocol());
        let (from, to) = (end(from, ports.map(|own| own.0)), end(to, ports.map(|own| own.1)));
        let mut text = format!("{} {protocol} {from} > {to}", direction.as_str());
        let (dscp, length) = self.dscp_and_length();
        let plain = u32::from(if family == Family::Ipv4 { 96u16 } else { 96 });
        for (name, number, usual) in [("dscp", dscp, 0), ("mark", self.mark, 0), ("length", length, plain)] {
            if number != usual {
                text += &format!(" {name} {number}");
            }
        }
        text
    }
}
