//! Bytes of packets as the kernel's filters see them, from the network header on.

use super::Packet;
use qosc_compiler::journey::may_serve;
use qosc_compiler::model::{Direction, TcpKind, Tunnel, TunnelKind};
use qosc_compiler::units::{Address, Family, Protocol};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Flags of TCP (RFC 9293, section 3.1).
const ACK: u8 = 0x10;
const PSH: u8 = 0x08;
/// Number of 32-bit option words in an acknowledgement of most systems: timestamps and padding (RFC 7323, appendix A).
/// The last packet of a connection has the same options.
const OPTIONS: u8 = 3;
/// Number of option words in the first packets of a connection: also segment size, window scale, selective
/// acknowledgements.
const SYN_OPTIONS: u8 = 5;
/// Port from the ephemeral range.
const ANY_PORT: u16 = 50000;
/// Bytes that WireGuard adds besides UDP and IP, and the block size to which it pads the payload (its white paper,
/// section 5.4.6).
const WIREGUARD: usize = 32;
const BLOCK: usize = 16;

impl Packet {
    /// Returns the family of the packet's addresses.
    #[must_use]
    pub const fn family(&self) -> Family {
        if self.local.is_ipv4() { Family::Ipv4 } else { Family::Ipv6 }
    }

    /// True if the packet is a TCP acknowledgement without data.
    pub(super) fn is_bare_ack(&self) -> bool {
        !self.tcp.is_empty() && self.tcp.iter().all(|flag| *flag == TcpKind::Ack)
    }

    /// Returns the number of option words in the TCP header.
    fn options(&self) -> u8 {
        let has = |flag: TcpKind| self.tcp.contains(&flag);
        if has(TcpKind::Syn) {
            SYN_OPTIONS
        } else if has(TcpKind::Fin) || self.is_bare_ack() {
            OPTIONS
        } else {
            0
        }
    }

    /// Returns the flags byte of the TCP header.
    fn flags(&self) -> u8 {
        // a FIN usually carries an acknowledgement, too
        let more = match self.tcp.as_slice() {
            [] => ACK | PSH,
            named if named.contains(&TcpKind::Fin) && !named.contains(&TcpKind::Syn) => ACK,
            _ => 0,
        };
        self.tcp.iter().fold(more, |all, flag| all | flag.flags().1)
    }

    /// Returns the bytes of the packet's headers.
    pub(super) fn least(&self) -> u32 {
        let transport = match self.protocol {
            Protocol::TCP => 20 + 4 * u32::from(self.options()),
            Protocol::UDP | Protocol::ICMP | Protocol::ICMPV6 => 8,
            own if own.has_ports() => 12,
            _ => 0,
        };
        transport + if self.family() == Family::Ipv4 { 20 } else { 40 }
    }

    /// Returns the packet as the line shows it: `hidden` if NAT gives it another address.
    pub(super) fn shown(&self, hidden: bool) -> Packet {
        let local = if hidden { nobody(self.family()) } else { self.local };
        Packet { local, local_port: self.forwarded.unwrap_or(self.local_port), ..self.clone() }
    }

    /// Returns the bytes from the IP header on.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut transport = Vec::new();
        if self.protocol.has_ports() {
            let (from, to) = self.ordered(self.local_port, self.remote_port);
            transport.extend([from.to_be_bytes(), to.to_be_bytes()].concat());
        }
        if self.protocol == Protocol::TCP {
            transport.extend([0; 8]);
            transport.extend([(5 + self.options()) << 4, self.flags()]);
        }
        let header = if self.local.is_ipv4() { 20 } else { 40 };
        let payload = usize::try_from(self.length).unwrap_or_default().saturating_sub(header);
        transport.resize(payload.max(transport.len()), 0);
        let (from, to) = self.ordered(self.local, self.remote);
        ip(from, to, self.protocol, self.dscp.bits() << 2 | self.ecn.bits(), &transport)
    }

    /// Returns the outer packet of a tunnel around this packet.
    pub(super) fn wrapped(&self, tunnel: &Tunnel) -> Vec<u8> {
        let inside = self.bytes();
        let family = outer(tunnel);
        let ether = if self.family() == Family::Ipv4 { [0x08, 0x00] } else { [0x86, 0xdd] };
        let port =
            tunnel.port.as_ref().and_then(|ports| ports.ranges().first()).map_or(0, |range| range.first);
        let protocol = match tunnel.kind {
            TunnelKind::Gre | TunnelKind::Ip6gre => Protocol(47),
            TunnelKind::Vxlan | TunnelKind::Wireguard => Protocol::UDP,
            _ if self.family() == Family::Ipv4 => Protocol(4),
            _ => Protocol(41),
        };
        let payload = match tunnel.kind {
            TunnelKind::Gre | TunnelKind::Ip6gre => [&[0, 0], &ether[..], &inside].concat(),
            // both ends send to its port (RFC 7348, section 5)
            TunnelKind::Vxlan => {
                let frame = [&[8, 0, 0, 0, 0, 0, 1, 0], &[0; 12][..], &ether, &inside].concat();
                udp(ANY_PORT, port, &frame)
            }
            TunnelKind::Wireguard => {
                let (near, far) = if may_serve(tunnel) { (port, ANY_PORT) } else { (ANY_PORT, port) };
                let (from, to) = self.ordered(near, far);
                udp(from, to, &vec![0; WIREGUARD + inside.len().next_multiple_of(BLOCK)])
            }
            _ => inside,
        };
        let remote = tunnel.remote.iter().find_map(|remote| first(remote.value, family));
        let (from, to) = self.ordered(nobody(family), remote.unwrap_or_else(|| nobody(family)));
        ip(from, to, protocol, 0, &payload)
    }

    /// Orders the values of both endpoints as source and destination.
    pub(super) fn ordered<T>(&self, local: T, remote: T) -> (T, T) {
        match self.direction {
            Direction::Up => (local, remote),
            Direction::Down => (remote, local),
        }
    }
}

/// Unspecified address. It stands for the router's own address, which a file does not tell.
pub(super) const fn nobody(family: Family) -> IpAddr {
    match family {
        Family::Ipv4 => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        Family::Ipv6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    }
}

/// Returns the family of a tunnel's outer packets.
fn outer(tunnel: &Tunnel) -> Family {
    match tunnel.kind {
        TunnelKind::Ip6tnl | TunnelKind::Ip6gre => Family::Ipv6,
        TunnelKind::Ipip | TunnelKind::Sit | TunnelKind::Gre => Family::Ipv4,
        _ => tunnel.remote.first().map_or(Family::Ipv4, |remote| remote.value.family()),
    }
}

/// Returns the first address of a network if it has this family.
fn first(network: Address, family: Family) -> Option<IpAddr> {
    match network {
        Address::V4(net) if family == Family::Ipv4 => Some(IpAddr::V4(net.network())),
        Address::V6(net) if family == Family::Ipv6 => Some(IpAddr::V6(net.network())),
        _ => None,
    }
}

fn udp(from: u16, to: u16, payload: &[u8]) -> Vec<u8> {
    [&from.to_be_bytes()[..], &to.to_be_bytes(), &short(8 + payload.len()), &[0, 0], payload].concat()
}

/// Returns an IP header (RFC 791, section 3.1; RFC 8200, section 3) and its payload.
fn ip(from: IpAddr, to: IpAddr, protocol: Protocol, class: u8, payload: &[u8]) -> Vec<u8> {
    match (from, to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            let [high, low] = short(20 + payload.len());
            let start = [0x45, class, high, low, 0, 0, 0, 0, 64, protocol.0, 0, 0];
            [&start[..], &from.octets(), &to.octets(), payload].concat()
        }
        (from, to) => {
            let octets = |address: IpAddr| match address {
                IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
                IpAddr::V6(address) => address.octets(),
            };
            let [high, low] = short(payload.len());
            let start = [0x60 | class >> 4, class << 4, 0, 0, high, low, protocol.0, 64];
            [&start[..], &octets(from), &octets(to), payload].concat()
        }
    }
}

fn short(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes()
}
