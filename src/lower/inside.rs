//! Packets inside tunnels that do not encrypt: where the inner packet begins, and its conditions at that depth.
//!
//! u32 reads at fixed places, so each length that the headers around a packet can have is a way of its own. What has
//! IPv4 options outside, or is a fragment there, is not looked into: its pieces stay together.

use super::selectors;
use crate::model::{Alternative, Direction, Inner, Model, Tunnel, TunnelKind};
use crate::tc::{Selector, Word};
use crate::units::Family;
use std::collections::BTreeMap;

/// Bytes of the headers that stand in front of an inner packet: RFC 791, RFC 8200, RFC 768 with RFC 7348, and Ethernet.
const IPV4: u16 = 20;
const IPV6: u16 = 40;
const OPTIONS: u16 = 8;
const VXLAN: u16 = 8 + 8;
const ETHERNET: u16 = 14;

/// Whether the classes see what is inside a tunnel.
pub(super) fn matched(tunnel: &Tunnel) -> bool {
    tunnel.inner.value == Inner::Match
}

/// Whether an alternative asks something of an IP packet. A mark is beside it, the same inside a tunnel and around it.
pub(super) fn asks(alternative: &Alternative) -> bool {
    let Alternative { hosts, local, remote, protocol, dscp, family, length, .. } = alternative;
    let Alternative { local_port, remote_port, port, tcp, .. } = alternative;
    let addresses = !(hosts.is_empty() && local.is_empty() && remote.is_empty());
    let ports = [local_port, remote_port, port].into_iter().any(Option::is_some);
    let rest = !(protocol.is_empty() && dscp.is_empty() && length.is_empty());
    addresses || ports || rest || family.is_some() || !tcp.is_empty()
}

/// The tunnels that an alternative looks into: those that it names, or all where it names none.
pub(super) fn entered<'a>(
    alternative: &'a Alternative,
    model: &'a Model,
) -> impl Iterator<Item = &'a Tunnel> {
    let all = model.tunnels.iter().enumerate().filter(|_| asks(alternative));
    let named = |index: &usize| alternative.tunnels.is_empty() || alternative.tunnels.contains(index);
    all.filter(move |(index, tunnel)| named(index) && matched(tunnel)).map(|(_, tunnel)| tunnel)
}

/// Whether any tunnel that an alternative looks into carries packets of `inner`.
pub(super) fn carries(alternative: &Alternative, model: &Model, direction: Direction, inner: Family) -> bool {
    let wraps_either =
        |tunnel, outer| wraps(tunnel, direction, outer).into_iter().any(|wrap| wrap.inner == inner);
    let mut tunnels = entered(alternative, model);
    tunnels.any(|tunnel| wraps_either(tunnel, Family::Ipv4) || wraps_either(tunnel, Family::Ipv6))
}

/// One way in which an inner packet of a family can be wrapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrap {
    /// The family of the inner packet.
    pub(super) inner: Family,
    /// What the packet around it looks like.
    outer: Selector,
    /// Bytes from the outer network header to the inner one: an even number.
    depth: u16,
}

impl Wrap {
    /// What takes the packets so wrapped whose inside `inner` takes; `None` where there are none.
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
                // behind an Ethernet header a word stands in the halves of two
                let first = Word { value: word.value >> 16, mask: word.mask >> 16 };
                let second = Word { value: word.value << 16, mask: word.mask << 16 };
                all.and(&Selector::word(deeper(*offset) - 2, first))?
                    .and(&Selector::word(deeper(*offset) + 2, second))
            })?
            .and(&self.outer)
    }
}

/// Every way in which a tunnel whose inside is matched wraps packets into packets of `family`.
pub(super) fn wraps(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<Wrap> {
    if !matched(tunnel) {
        return Vec::new();
    }
    let ends = selectors::remote(tunnel, direction, family);
    let mut wraps = Vec::new();
    for (inner, outer, depth) in headers(tunnel, direction, family) {
        wraps.extend(ends.iter().filter_map(|end| Some(Wrap { inner, outer: end.and(&outer)?, depth })));
    }
    wraps
}

/// The headers of a kind: the family inside, what they look like, and how long they are.
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

/// The IP headers in front of a protocol, with and without an option that limits how often it may be wrapped.
fn carriers(number: u8, family: Family) -> Vec<(Selector, u16)> {
    let depths = match family {
        Family::Ipv4 => [IPV4, IPV4],
        Family::Ipv6 => [IPV6, IPV6 + OPTIONS],
    };
    let whole = selectors::whole(family);
    let outer = selectors::carried(number, family).into_iter().zip(depths);
    outer.filter_map(|(outer, depth)| Some((outer.and(&whole)?, depth))).collect()
}

/// GRE with each of its three optional words or without (RFC 2890): its flags say how long it is.
fn gre(family: Family) -> Vec<(Family, Selector, u16)> {
    let mut found = Vec::new();
    for (outer, depth) in carriers(selectors::GRE, family) {
        for (inner, ether) in ETHER {
            for flags in 0u16..8 {
                // checksum, a routing word that nobody has, key, sequence number; and the version
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

/// VXLAN with an Ethernet frame without a VLAN's tag.
fn vxlan(tunnel: &Tunnel, direction: Direction, family: Family) -> Vec<(Family, Selector, u16)> {
    let ip = match family {
        Family::Ipv4 => IPV4,
        Family::Ipv6 => IPV6,
    };
    let depth = ip + VXLAN + ETHERNET;
    let mut found = Vec::new();
    for outer in selectors::headers(tunnel, direction, family) {
        for (inner, ether) in ETHER {
            // the two bytes before the packet, in a word with its own first two
            let kind = Selector::word(depth - 2, Word { value: ether << 16, mask: 0xffff_0000 });
            found.extend(outer.and(&kind).map(|outer| (inner, outer, depth)));
        }
    }
    found
}

/// The EtherType of each family.
const ETHER: [(Family, u32); 2] = [(Family::Ipv4, 0x0800), (Family::Ipv6, 0x86dd)];
