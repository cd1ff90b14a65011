//! Converts single conditions on a packet into u32 selectors, with the header offset of each field.
//!
//! Offsets are in bytes from the network header. Ports are only found after a header without options (IPv4) or
//! extension headers (IPv6). An IPv4 selector also requires that, and that the packet is not a fragment.

use crate::journey::may_serve;
use crate::model::{Direction, Ecn, TcpKind, Tunnel, TunnelKind};
use crate::tc::{Selector, Word};
use crate::units::{Address, Dscp, Family, LengthRange, Mark, PortSet, Protocol};

/// Bytes of an IPv6 header, which its length field does not count.
const IPV6_HEADER: u16 = 40;

/// IANA protocol numbers: generic routing encapsulation and IPv6 destination options.
pub(super) const GRE: u8 = 47;
const OPTIONS: Protocol = Protocol(60);

/// End of a connection, seen from the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The source of the packet.
    Source,
    /// The destination of the packet.
    Destination,
}

impl End {
    /// Returns the end in the local network.
    pub(super) const fn local(direction: Direction) -> End {
        match direction {
            Direction::Up => End::Source,
            Direction::Down => End::Destination,
        }
    }

    /// Returns the end on the internet.
    pub(super) const fn remote(direction: Direction) -> End {
        match direction {
            Direction::Up => End::Destination,
            Direction::Down => End::Source,
        }
    }
}

/// Returns a selector for an address at one end; `None` if it belongs to the other family.
pub(super) fn address(address: Address, end: End, family: Family) -> Option<Selector> {
    match (address, family) {
        (Address::V4(net), Family::Ipv4) => {
            let offset = if end == End::Source { 12 } else { 16 };
            let word = Word { value: net.network().to_bits(), mask: net.netmask().to_bits() };
            Some(Selector::word(offset, word))
        }
        (Address::V6(net), Family::Ipv6) => Some(ipv6(net.network().to_bits(), net.netmask().to_bits(), end)),
        (Address::V6Interface { part, bits }, Family::Ipv6) => {
            let mask = !u128::MAX.checked_shl(u32::from(bits)).unwrap_or(0);
            Some(ipv6(part.to_bits() & mask, mask, end))
        }
        _ => None,
    }
}

fn ipv6(value: u128, mask: u128, end: End) -> Selector {
    let first = if end == End::Source { 8 } else { 24 };
    let word = |number: u128, shift: u32| u32::try_from((number >> shift) & 0xffff_ffff).unwrap_or(0);
    [(0, 96), (4, 64), (8, 32), (12, 0)].into_iter().fold(Selector::default(), |mut all, (offset, shift)| {
        let part = Word { value: word(value, shift), mask: word(mask, shift) };
        all.words.extend(Selector::word(first + offset, part).words);
        all
    })
}

/// Returns a selector for an IP protocol; `None` for the ICMP of the other family.
pub(super) fn protocol(protocol: Protocol, family: Family) -> Option<Selector> {
    let number = u32::from(protocol.0);
    match family {
        Family::Ipv4 if protocol == Protocol::ICMPV6 => None,
        Family::Ipv6 if protocol == Protocol::ICMP => None,
        Family::Ipv4 => Some(Selector::word(8, Word { value: number << 16, mask: 0x00ff_0000 })),
        Family::Ipv6 => Some(Selector::word(4, Word { value: number << 8, mask: 0x0000_ff00 })),
    }
}

/// Returns selectors for neighbour discovery: ICMPv6 of types 133 to 137 whose hop limit shows that no router forwarded
/// it (RFC 4861).
pub(super) fn neighbour_discovery() -> Vec<Selector> {
    let of = |(kind, mask): (u32, u32)| {
        let kind = Word { value: kind << 24, mask: mask << 24 };
        let words = [(4, Word { value: 0x3aff, mask: 0xffff }), (IPV6_HEADER, kind)].into();
        Selector { words, ..Selector::default() }
    };
    [(133, 0xff), (134, 0xfe), (136, 0xfe)].map(of).into()
}

/// Returns selectors for ports at one end: one for each aligned power of two in the ranges.
pub(super) fn ports(ports: &PortSet, end: End, family: Family) -> Vec<Selector> {
    let shift = if end == End::Source { 16 } else { 0 };
    let aligned = ports.ranges().iter().flat_map(|range| prefixes(range.first, range.last));
    aligned
        .map(|(value, mask)| {
            let word = Word { value: u32::from(value) << shift, mask: u32::from(mask) << shift };
            transport(family, 0, word)
        })
        .collect()
}

/// Returns a selector for a word of the transport header, `offset` bytes into it.
fn transport(family: Family, offset: u16, word: Word) -> Selector {
    match family {
        Family::Ipv4 => {
            let mut selector = Selector::word(20 + offset, word);
            // five words of header mean no options; offset 0 without the more-fragments flag means no fragment
            selector.words.insert(0, Word { value: 0x0500_0000, mask: 0x0f00_0000 });
            selector.words.insert(4, Word { value: 0, mask: 0x0000_3fff });
            selector
        }
        Family::Ipv6 => Selector::word(IPV6_HEADER + offset, word),
    }
}

/// Returns a selector for UDP packets whose ports are at the offset that [`ports`] reads.
pub(super) fn whole_udp(family: Family) -> Selector {
    let mut selector = transport(family, 0, Word { value: 0, mask: 0 });
    selector.words.extend(protocol(Protocol::UDP, family).unwrap_or_default().words);
    selector
}

/// Returns a selector for a code point. It ignores the two ECN bits beside it.
pub(super) fn dscp(dscp: Dscp, family: Family) -> Selector {
    let bits = u32::from(dscp.bits());
    match family {
        Family::Ipv4 => Selector::word(0, Word { value: bits << 18, mask: 0x00fc_0000 }),
        Family::Ipv6 => Selector::word(0, Word { value: bits << 22, mask: 0x0fc0_0000 }),
    }
}

/// Returns a selector for the ECN field, the two bits after the code point.
pub(super) fn ecn(ecn: Ecn, family: Family) -> Selector {
    let bits = u32::from(ecn.bits());
    let shift = if family == Family::Ipv4 { 16 } else { 20 };
    Selector::word(0, Word { value: bits << shift, mask: 3 << shift })
}

/// Returns a selector for a firewall mark.
pub(super) fn mark(mark: Mark) -> Selector {
    let word = Word { value: mark.value & mark.mask, mask: mark.mask };
    Selector { mark: (word.mask != 0).then_some(word), ..Selector::default() }
}

/// Returns selectors for packet lengths, header included. The result is empty if no packet of the family is that short.
pub(super) fn length(range: LengthRange, family: Family) -> Vec<Selector> {
    match family {
        Family::Ipv4 => prefixes(range.min, range.max)
            .into_iter()
            .map(|(value, mask)| Selector::word(0, Word { value: u32::from(value), mask: u32::from(mask) }))
            .collect(),
        Family::Ipv6 => {
            // the field does not count the header, so packets may be up to 40 bytes longer than the largest length in a
            // file
            let max = if range.max == u16::MAX { Some(u16::MAX) } else { range.max.checked_sub(IPV6_HEADER) };
            let Some(max) = max else { return Vec::new() };
            prefixes(range.min.saturating_sub(IPV6_HEADER), max)
                .into_iter()
                .map(|(value, mask)| {
                    Selector::word(4, Word { value: u32::from(value) << 16, mask: u32::from(mask) << 16 })
                })
                .collect()
        }
    }
}

/// Returns the bytes of the shortest packet with a TCP header, including its IP header (RFC 9293, section 3.1).
pub(super) const fn least_tcp(family: Family) -> u16 {
    match family {
        Family::Ipv4 => 40,
        Family::Ipv6 => 60,
    }
}

/// Returns the selector for TCP packets by their flags. Acknowledgements are also short.
pub(super) fn tcp(kind: TcpKind, family: Family) -> Option<Selector> {
    let (mask, value) = kind.flags();
    let flags = Word { value: u32::from(value) << 16, mask: u32::from(mask) << 16 };
    let all = transport(family, 12, flags).and(&protocol(Protocol::TCP, family)?)?;
    if kind == TcpKind::Ack { all.and(&ack_length(family)) } else { Some(all) }
}

/// Returns the selector for the length of acknowledgements: below 128 bytes in IPv4, and below 64 bytes after the header
/// in IPv6. A pure acknowledgement has at most 60 bytes after the IP header. Without a selector for each length of a TCP
/// header, TCP options and payload look the same. So this also takes short packets with payload but without PSH.
fn ack_length(family: Family) -> Selector {
    match family {
        Family::Ipv4 => Selector::word(0, Word { value: 0, mask: 0xff80 }),
        Family::Ipv6 => Selector::word(4, Word { value: 0, mask: 0xffc0_0000 }),
    }
}

/// Returns selectors for the outer packets of a tunnel. The result is empty if the other family carries it.
pub(super) fn tunnel(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<Selector> {
    let ends = remote(tunnel, direction, family);
    let outer = headers(tunnel, direction, family);
    outer.iter().flat_map(|packet| ends.iter().filter_map(|end| packet.and(end))).collect()
}

/// Returns selectors for the remote end of a tunnel. If no address is given, the selector matches everything. If all
/// addresses belong to the other family, the result is empty.
pub(super) fn remote(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<Selector> {
    if tunnel.remote.is_empty() {
        return vec![Selector::default()];
    }
    let remote = End::remote(direction);
    tunnel.remote.iter().filter_map(|net| address(net.value, remote, family)).collect()
}

/// Number of ends that may have the port of a tunnel, the remote one first.
const fn port_ends(tunnel: &Tunnel) -> usize {
    if may_serve(tunnel) { 2 } else { 1 }
}

/// Returns selectors for the outer headers of a tunnel with any remote end.
pub(super) fn headers(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<Selector> {
    let at = |number: Protocol, ends: &[End]| -> Vec<Selector> {
        let kind = protocol(number, family);
        let ports = tunnel.port.as_ref().map_or_else(
            || vec![Selector::default()],
            |set| ends.iter().flat_map(|end| ports(set, *end, family)).collect(),
        );
        ports.iter().filter_map(|port| kind.as_ref()?.and(port)).collect()
    };
    let ends = [End::remote(direction), End::local(direction)];
    let ported = |number| at(number, ends.get(..port_ends(tunnel)).unwrap_or_default());
    match (tunnel.kind, family) {
        (TunnelKind::Ipip, Family::Ipv4) => carried(4, family),
        (TunnelKind::Sit, Family::Ipv4) => carried(41, family),
        (TunnelKind::Gre, Family::Ipv4) | (TunnelKind::Ip6gre, Family::Ipv6) => carried(GRE, family),
        (TunnelKind::Ip6tnl, Family::Ipv6) => [carried(4, family), carried(41, family)].concat(),
        // both ends send to this port, from any port
        (TunnelKind::Vxlan, _) => at(Protocol::UDP, &[End::Destination]),
        (TunnelKind::Wireguard, _) => ported(Protocol::UDP),
        (TunnelKind::Openvpn, _) => [ported(Protocol::UDP), ported(Protocol::TCP)].concat(),
        (TunnelKind::L2tp, _) => {
            let plain = protocol(Protocol(115), family);
            ported(Protocol::UDP).into_iter().chain(plain).collect()
        }
        (TunnelKind::Other, _) => vec![Selector::default()],
        (TunnelKind::Ipip | TunnelKind::Sit | TunnelKind::Gre, Family::Ipv6)
        | (TunnelKind::Ip6tnl | TunnelKind::Ip6gre, Family::Ipv4) => Vec::new(),
    }
}

/// Returns selectors for a protocol after the IP header. In IPv6, the protocol may also follow the option with which
/// Linux limits how often a packet may be wrapped (RFC 2473, section 4.1.1). Linux adds it unless the tunnel has
/// `encaplimit none`.
pub(super) fn carried(number: u8, family: Family) -> Vec<Selector> {
    let direct = protocol(Protocol(number), family);
    let behind = || {
        let next = Word { value: u32::from(number) << 24, mask: 0xffff_0000 };
        protocol(OPTIONS, family)?.and(&Selector::word(IPV6_HEADER, next))
    };
    direct.into_iter().chain((family == Family::Ipv6).then(behind).flatten()).collect()
}

/// Returns a selector for unfragmented packets, in IPv4 also without options, so that the next header has a fixed
/// offset.
pub(super) fn whole(family: Family) -> Selector {
    transport(family, 0, Word { value: 0, mask: 0 })
}

/// Splits a range into aligned powers of two, lowest first: pairs of value and mask.
pub(super) fn prefixes(first: u16, last: u16) -> Vec<(u16, u16)> {
    let (mut next, last) = (u32::from(first), u32::from(last));
    let mut found = Vec::new();
    while next <= last {
        let mut size = 1u32 << next.trailing_zeros().min(16);
        while next + size - 1 > last {
            size /= 2;
        }
        let mask = 0x1_0000 - size;
        found.push((u16::try_from(next).unwrap_or(u16::MAX), u16::try_from(mask).unwrap_or(0)));
        next += size;
    }
    found
}

#[cfg(test)]
#[path = "selectors_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "prefixes_tests.rs"]
mod prefixes_tests;
