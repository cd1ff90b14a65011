//! Packets as bytes for the tests of this module: the bytes that u32 sees, beside the meaning of the packet.

use super::fixture::anything;
use crate::model::{Alternative, Direction, Inner, Model, TcpKind, TunnelKind};
use crate::tc::Selector;
use crate::units::{Address, Family, PortSet, Protocol};
use std::net::{IpAddr, Ipv6Addr};

/// A packet and its direction.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Packet {
    pub(in crate::lower) direction: Direction,
    pub(in crate::lower) local: IpAddr,
    pub(in crate::lower) remote: IpAddr,
    pub(in crate::lower) protocol: u8,
    pub(in crate::lower) local_port: u16,
    pub(in crate::lower) remote_port: u16,
    pub(in crate::lower) dscp: u8,
    pub(in crate::lower) ecn: u8,
    pub(in crate::lower) mark: u32,
    /// Bytes of payload after the ports or after the TCP header.
    pub(in crate::lower) payload: u16,
    pub(in crate::lower) tcp_flags: u8,
    /// Number of 32-bit words of TCP options, 0 to 10.
    pub(in crate::lower) tcp_options: u8,
    /// IPv4 only: number of 32-bit words of options. `fragment` is the word of flags and fragment offset.
    pub(in crate::lower) ip_options: u8,
    pub(in crate::lower) fragment: u16,
    /// An inner packet after the headers of its tunnel.
    pub(in crate::lower) inside: Option<(Wrapping, Box<Packet>)>,
}

/// Encapsulation of a packet, apart from the protocol of the outer packet.
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) struct Wrapping {
    /// IPv6 only: a destination option that limits how often the packet may be wrapped.
    pub(in crate::lower) option: bool,
    /// First byte of the GRE header, which tells the optional words that are present.
    pub(in crate::lower) gre: u8,
}

impl Packet {
    pub(in crate::lower) fn family(&self) -> Family {
        if self.local.is_ipv4() { Family::Ipv4 } else { Family::Ipv6 }
    }

    fn plain(&self) -> bool {
        self.family() == Family::Ipv6 || (self.ip_options == 0 && self.fragment & 0x3fff == 0)
    }

    /// Returns the bytes from the network header on.
    pub(in crate::lower) fn bytes(&self) -> Vec<u8> {
        let ends = [(self.local, self.local_port), (self.remote, self.remote_port)];
        let [from, to] = match self.direction {
            Direction::Up => ends,
            Direction::Down => [ends[1], ends[0]],
        };
        let mut transport = [from.1.to_be_bytes(), to.1.to_be_bytes()].concat();
        if let Some((wrapping, inside)) = &self.inside {
            transport = self.wrapped(*wrapping, inside, &transport);
        } else if self.protocol == 6 {
            transport.extend([0; 8]);
            transport.extend([(5 + self.tcp_options) << 4, self.tcp_flags, 1, 2, 0, 0, 0, 0]);
            transport.extend(vec![1; 4 * usize::from(self.tcp_options)]);
        } else {
            transport.extend([0; 4]);
        }
        transport.extend(vec![0xa5; usize::from(self.payload)]);
        let class = self.dscp << 2 | self.ecn;
        match (from.0, to.0) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let header = 20 + 4 * usize::from(self.ip_options);
                let total = u16::try_from(header + transport.len()).unwrap();
                let mut bytes = vec![0x45 + self.ip_options, class];
                bytes.extend(total.to_be_bytes());
                bytes.extend([0x12, 0x34]);
                bytes.extend(self.fragment.to_be_bytes());
                bytes.extend([64, self.protocol, 0, 0]);
                bytes.extend(from.octets());
                bytes.extend(to.octets());
                bytes.extend(vec![1; 4 * usize::from(self.ip_options)]);
                [bytes, transport].concat()
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let first = 0x6000_0000u32 | u32::from(class) << 20 | 0x5_4321;
                let mut bytes = first.to_be_bytes().to_vec();
                bytes.extend(u16::try_from(transport.len()).unwrap().to_be_bytes());
                let option = self.inside.as_ref().is_some_and(|(wrapping, _)| wrapping.option);
                bytes.extend([if option { 60 } else { self.protocol }, 64]);
                bytes.extend(from.octets());
                bytes.extend(to.octets());
                [bytes, transport].concat()
            }
            _ => panic!("two families"),
        }
    }

    /// Returns the bytes that a tunnel puts after the IP header: its own headers and the packet.
    fn wrapped(&self, wrapping: Wrapping, inside: &Packet, ports: &[u8]) -> Vec<u8> {
        let ether = if inside.family() == Family::Ipv4 { [0x08, 0x00] } else { [0x86, 0xdd] };
        let front = match self.protocol {
            47 => {
                let words = usize::try_from((wrapping.gre & 0xb0).count_ones()).unwrap();
                [&[wrapping.gre, 0][..], &ether, &vec![0x45; 4 * words]].concat()
            }
            17 => [ports, &[0; 4], &[8, 0, 0, 0, 0, 0, 7, 0], &[0x45; 12], &ether].concat(),
            _ => vec![],
        };
        let option = if wrapping.option { vec![self.protocol, 0, 4, 1, 4, 1, 0, 0] } else { vec![] };
        [option, front, inside.bytes()].concat()
    }

    /// Returns `true` if u32 matches the packet. The kernel stops at a word beyond the packet's end and tries no
    /// further filter of the list, so no selector may read there.
    pub(in crate::lower) fn meets(&self, selector: &Selector) -> bool {
        let bytes = self.bytes();
        selector.mark.is_none_or(|mark| self.mark & mark.mask == mark.value)
            && selector.words.iter().all(|(offset, word)| {
                let offset = usize::from(*offset);
                let read = bytes
                    .get(offset..offset + 4)
                    .unwrap_or_else(|| panic!("beyond {}: {selector:x?}", bytes.len()));
                u32::from_be_bytes(read.try_into().unwrap()) & word.mask == word.value
            })
    }

    /// Returns `true` if an alternative matches the packet, either directly or through the packet inside a tunnel.
    pub(in crate::lower) fn is(&self, asked: &Alternative, model: &Model) -> bool {
        let bare = Alternative { mark: asked.mark.clone(), direction: asked.direction, ..anything() };
        let same = |other: &Alternative| Alternative {
            text: String::new(),
            span: asked.span,
            tunnels: vec![],
            ..other.clone()
        };
        let asks_inside = same(asked) != same(&bare);
        let all: Vec<usize> = (0..model.tunnels.len()).collect();
        let named = if asked.tunnels.is_empty() { &all } else { &asked.tunnels };
        let matched = |tunnel: &usize| model.tunnels[*tunnel].inner.value == Inner::Match;
        // the inner packet alone, with the mark of the whole packet
        let by_inside = asks_inside
            && self.plain()
            && self.inside.as_ref().is_some_and(|(_, inside)| {
                let ours = named.iter().filter(|tunnel| matched(tunnel));
                let carried = ours.into_iter().any(|tunnel| {
                    self.is_tunnel(*tunnel, model) && carries(model.tunnels[*tunnel].kind, inside.family())
                });
                let alone = Packet { mark: self.mark, direction: self.direction, ..(**inside).clone() };
                carried && alone.is_itself(&Alternative { tunnels: vec![], ..asked.clone() }, model)
            });
        let whole: Vec<usize> =
            asked.tunnels.iter().copied().filter(|tunnel| !asks_inside || !matched(tunnel)).collect();
        let by_itself = (asked.tunnels.is_empty() || !whole.is_empty())
            && self.is_itself(&Alternative { tunnels: whole, ..asked.clone() }, model);
        by_inside || by_itself
    }

    /// Returns `true` if an alternative matches the outer packet.
    fn is_itself(&self, asked: &Alternative, model: &Model) -> bool {
        let within = |list: &[Address], own: IpAddr| list.iter().any(|net| contains(*net, own));
        let has =
            |ports: &PortSet, own: u16| ports.ranges().iter().any(|r| (r.first..=r.last).contains(&own));
        let ports = |ports: &Option<PortSet>, any: &[u16]| {
            ports.as_ref().is_none_or(|set| self.plain() && any.iter().any(|own| has(set, *own)))
        };
        let length = self.bytes().len();
        let hosts = asked.hosts.iter().flat_map(|host| &model.hosts[*host].addresses).map(|val| val.value);
        let hosts: Vec<Address> = hosts.collect();
        (asked.hosts.is_empty() || within(&hosts, self.local))
            && (asked.local.is_empty() || within(&asked.local, self.local))
            && (asked.remote.is_empty() || within(&asked.remote, self.remote))
            && (asked.protocol.is_empty() || asked.protocol.iter().any(|own| self.is_protocol(*own)))
            && ports(&asked.local_port, &[self.local_port])
            && ports(&asked.remote_port, &[self.remote_port])
            && ports(&asked.port, &[self.local_port, self.remote_port])
            && (asked.dscp.is_empty()
                || (self.direction == Direction::Up || model.link.trust_dscp.value)
                    && asked.dscp.iter().any(|own| own.bits() == self.dscp))
            && (asked.ecn.is_empty() || asked.ecn.iter().any(|own| own.bits() == self.ecn))
            && (asked.mark.is_empty() || asked.mark.iter().any(|own| self.mark & own.mask == own.value))
            && (asked.tunnels.is_empty() || asked.tunnels.iter().any(|tunnel| self.is_tunnel(*tunnel, model)))
            && asked.family.is_none_or(|own| own == self.family())
            && asked.direction.is_none_or(|own| own == self.direction)
            && (asked.length.is_empty()
                || asked
                    .length
                    .iter()
                    .any(|own| (usize::from(own.min)..=usize::from(own.max)).contains(&length)))
            && (asked.tcp.is_empty()
                || self.protocol == 6 && self.plain() && asked.tcp.iter().any(|kind| self.is_kind(*kind)))
    }

    fn is_kind(&self, kind: TcpKind) -> bool {
        match kind {
            TcpKind::Ack => {
                let most = if self.family() == Family::Ipv4 { 127 } else { 103 };
                self.bytes().len() <= most && self.tcp_flags & 0x1f == 0x10
            }
            TcpKind::Syn => self.tcp_flags & 0x02 != 0,
            TcpKind::Fin => self.tcp_flags & 0x01 != 0,
            TcpKind::Rst => self.tcp_flags & 0x04 != 0,
        }
    }

    fn is_protocol(&self, asked: Protocol) -> bool {
        let other = match self.family() {
            Family::Ipv4 => Protocol::ICMPV6,
            Family::Ipv6 => Protocol::ICMP,
        };
        // after an option, only a tunnel is found
        let optioned = self.inside.as_ref().is_some_and(|(wrapping, _)| wrapping.option);
        asked.0 == if optioned { 60 } else { self.protocol } && asked != other
    }

    fn is_tunnel(&self, index: usize, model: &Model) -> bool {
        let tunnel = &model.tunnels[index];
        let remote = tunnel.remote.iter();
        let known = tunnel.remote.is_empty() || remote.clone().any(|net| contains(net.value, self.remote));
        let destination = match self.direction {
            Direction::Up => self.remote_port,
            Direction::Down => self.local_port,
        };
        let at = |port: u16, own: u16| self.plain() && port == own;
        let carried = match (tunnel.kind, self.family(), self.protocol) {
            (TunnelKind::Ipip, Family::Ipv4, 4) | (TunnelKind::Ip6tnl, Family::Ipv6, 4 | 41) => true,
            (TunnelKind::Sit, Family::Ipv4, 41) => true,
            (TunnelKind::Gre, Family::Ipv4, 47) | (TunnelKind::Ip6gre, Family::Ipv6, 47) => true,
            (TunnelKind::Vxlan, _, 17) => at(4789, destination),
            (TunnelKind::Wireguard, _, 17) => at(51820, self.remote_port),
            (TunnelKind::L2tp, _, 17) => at(1701, self.remote_port),
            (TunnelKind::L2tp, _, 115) | (TunnelKind::Other, _, _) => true,
            _ => false,
        };
        known && carried
    }
}

/// Returns `true` if a kind of tunnel can carry a family.
fn carries(kind: TunnelKind, inner: Family) -> bool {
    match kind {
        TunnelKind::Ipip => inner == Family::Ipv4,
        TunnelKind::Sit => inner == Family::Ipv6,
        _ => true,
    }
}

fn contains(net: Address, own: IpAddr) -> bool {
    match (net, own) {
        (Address::V4(net), IpAddr::V4(own)) => net.contains(&own),
        (Address::V6(net), IpAddr::V6(own)) => net.contains(&own),
        (Address::V6Interface { part, bits }, IpAddr::V6(own)) => {
            let mask = u128::MAX >> (128 - u32::from(bits));
            Ipv6Addr::from(u128::from(own) & mask) == part
        }
        _ => false,
    }
}
