//! Matches packets inside unencrypted tunnels: finds the position of the inner packet and applies the conditions there.
//!
//! u32 reads at fixed offsets, so every possible length of the outer headers needs its own selector. Outer packets that
//! have IPv4 options or are fragments are not searched, so the pieces of a packet stay together.

use super::prepared::{Prepared, matched};
use super::selectors;
use crate::model::{Alternative, Direction, Tunnel, TunnelKind};
use crate::tc::{Selector, Word};
use crate::units::Family;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the headers in front of an inner packet: RFC 791, RFC 8200, RFC 768 with RFC 7348, and Ethernet.
const IPV4: u16 = 20;
const IPV6: u16 = 40;
const OPTIONS: u16 = 8;
const VXLAN: u16 = 8 + 8;
const ETHERNET: u16 = 14;

/// Returns `true` if an alternative has a condition on an IP packet. A mark does not count, because it is the same
/// inside and outside a tunnel.
pub(super) fn asks(alternative: &Alternative) -> bool {
    let Alternative { hosts, local, remote, protocol, dscp, family, length, .. } = alternative;
    let Alternative { local_port, remote_port, port, tcp, ecn, .. } = alternative;
    let addresses = !(hosts.is_empty() && local.is_empty() && remote.is_empty());
    let ports = [local_port, remote_port, port].into_iter().any(Option::is_some);
    let rest = !(protocol.is_empty() && dscp.is_empty() && length.is_empty());
    addresses || ports || rest || family.is_some() || !tcp.is_empty() || !ecn.is_empty()
}

/// Returns the tunnels whose inner packets an alternative matches: those that it names, or all if it names none. They
/// have the order of the file.
pub(super) fn entered<'t>(alternative: &Alternative, prepared: &'t Prepared<'_>) -> Cow<'t, [&'t Tunnel]> {
    if !asks(alternative) {
        return Cow::Borrowed(&[]);
    }
    if alternative.tunnels.is_empty() {
        return Cow::Borrowed(&prepared.searched);
    }
    let named: BTreeSet<usize> = alternative.tunnels.iter().copied().collect();
    let named = named.into_iter().filter_map(|index| prepared.model.tunnels.get(index));
    Cow::Owned(named.filter(|tunnel| matched(tunnel)).collect())
}

/// Returns `true` if a tunnel whose inner packets an alternative matches can carry `inner`.
pub(super) fn carries(alternative: &Alternative, prepared: &Prepared<'_>, inner: Family) -> bool {
    // a tunnel carries the same in both directions, wherever its downloads are queued
    let wraps_either =
        |tunnel, outer| wraps(tunnel, Direction::Up, outer).into_iter().any(|wrap| wrap.inner == inner);
    let tunnels = entered(alternative, prepared);
    tunnels.iter().any(|tunnel| wraps_either(tunnel, Family::Ipv4) || wraps_either(tunnel, Family::Ipv6))
}

/// One possible form of the headers around an inner packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrap {
    /// Family of the inner packet.
    pub(super) inner: Family,
    /// Selector for the outer packet.
    outer: Selector,
    /// Bytes from the outer network header to the inner one; an even number.
    depth: u16,
}

impl Wrap {
    /// Returns a selector for packets of this form whose inner packet matches `inner`; `None` if there are none.
    pub(super) fn around(&self, inner: &Selector) -> Option<Selector> {
        let deeper = |offset: u16| offset.saturating_add(self.depth);
        let shifted = Selector { words: BTreeMap::new(), ..inner.clone() };
        inner
            .words
            .iter()
            .try_fold(shifted, |all, (offset, word)| {
                if self.depth.is_multiple_of(4) {
                    return all.and(&Selector::word(deeper(*offset), *word));
                }
                // behind an Ethernet header, a word lies in the halves of two aligned words
                let first = Word { value: word.value >> 16, mask: word.mask >> 16 };
                let second = Word { value: word.value << 16, mask: word.mask << 16 };
                all.and(&Selector::word(deeper(*offset) - 2, first))?
                    .and(&Selector::word(deeper(*offset) + 2, second))
            })?
            .and(&self.outer)
    }
}

/// Returns all header forms in which a tunnel with matched inner packets wraps them into packets of `family`. There are
/// none for packets that are queued at the tunnel's device.
pub(super) fn wraps(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<Wrap> {
    if !matched(tunnel) || tunnel.seen_at_device(direction).is_some() {
        return Vec::new();
    }
    let ends = selectors::remote(tunnel, direction, family);
    let mut wraps = Vec::new();
    for (inner, outer, depth) in headers(tunnel, direction, family) {
        wraps.extend(ends.iter().filter_map(|end| Some(Wrap { inner, outer: end.and(&outer)?, depth })));
    }
    wraps
}

/// Returns the headers of a tunnel kind: the inner family, the selector for the headers, and their length in bytes.
fn headers(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<(Family, Selector, u16)> {
    let numbers: &[(u8, Family)] = match tunnel.kind {
        _ if selectors::headers(tunnel, direction, family).is_empty() => &[],
        TunnelKind::Ipip => &[(4, Family::Ipv4)],
        TunnelKind::Sit => &[(41, Family::Ipv6)],
        TunnelKind::Ip6tnl => &[(4, Family::Ipv4), (41, Family::Ipv6)],
        TunnelKind::Gre | TunnelKind::Ip6gre => return gre(family),
        TunnelKind::Vxlan => return vxlan(tunnel, direction, family),
        TunnelKind::Wireguard | TunnelKind::Openvpn | TunnelKind::L2tp | TunnelKind::Other => &[],
    };
    let carried = numbers.iter().flat_map(|(number, inner)| {
        carriers(*number, family).into_iter().map(|(outer, depth)| (*inner, outer, depth))
    });
    carried.collect()
}

/// Returns the IP headers in front of a protocol. IPv6 has a second form with the option that limits how often a packet
/// may be wrapped.
fn carriers(number: u8, family: Family) -> Vec<(Selector, u16)> {
    let depths = match family {
        Family::Ipv4 => [IPV4, IPV4],
        Family::Ipv6 => [IPV6, IPV6 + OPTIONS],
    };
    let whole = selectors::whole(family);
    let outer = selectors::carried(number, family).into_iter().zip(depths);
    outer.filter_map(|(outer, depth)| Some((outer.and(&whole)?, depth))).collect()
}

/// Returns GRE headers with every combination of the three optional words (RFC 2890). The flags state the length.
fn gre(family: Family) -> Vec<(Family, Selector, u16)> {
    let mut found = Vec::new();
    for (outer, depth) in carriers(selectors::GRE, family) {
        for (inner, ether) in ETHER {
            for flags in 0u16..8 {
                // the bits are checksum, the unused routing word, key, sequence number and the version
                let bits = u32::from((flags & 4) << 13 | (flags & 3) << 12);
                let header = Word { value: bits << 16 | ether, mask: 0xf007_ffff };
                let words = u16::try_from(flags.count_ones()).unwrap_or(0);
                if let Some(outer) = outer.and(&Selector::word(depth, header)) {
                    found.push((inner, outer, depth + 4 + 4 * words));
                }
            }
        }
    }
    found
}

/// Returns VXLAN headers with an Ethernet frame without a VLAN tag.
fn vxlan(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<(Family, Selector, u16)> {
    let ip = match family {
        Family::Ipv4 => IPV4,
        Family::Ipv6 => IPV6,
    };
    let depth = ip + VXLAN + ETHERNET;
    let mut found = Vec::new();
    for outer in selectors::headers(tunnel, direction, family) {
        for (inner, ether) in ETHER {
            // the EtherType is the two bytes before the packet; the word also covers the packet's first two bytes
            let kind = Selector::word(depth - 2, Word { value: ether << 16, mask: 0xffff_0000 });
            found.extend(outer.and(&kind).map(|outer| (inner, outer, depth)));
        }
    }
    found
}

/// EtherType of each family.
const ETHER: [(Family, u32); 2] = [(Family::Ipv4, 0x0800), (Family::Ipv6, 0x86dd)];
