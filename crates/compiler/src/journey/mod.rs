//! What a packet shows of the house's end, at each place where matches are compared with it.
//!
//! A packet looks different at each place: NAT replaces the address, a tunnel hides the header, and only some places
//! see the mark of the connection. All that depends on this asks here.

use crate::model::{Direction, Model, Tunnel, TunnelKind};
use crate::units::{Address, Family};

/// Why no download has a DSCP that is matched.
pub const UNTRUSTED_DSCP: &str = "the DSCP of downloads is not matched, because any sender can set it";
/// Why no match of a device of the link reads a mark.
pub const NOT_RESTORED: &str = "the mark of a connection is only restored at the WAN device";

/// Why no match reads the uploads inside a tunnel.
pub const ENCRYPTED: &str = "uploads are encrypted before they reach the WAN queue";

/// A place at which matches are compared with a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The header of the packet on the line: at the WAN device, and for downloads at the ifb.
    Line,
    /// The header inside a tunnel, behind the outer one or at the tunnel's device.
    Inside {
        /// `true` if the router translates IPv4 addresses at the tunnel's device.
        nat: bool,
    },
    /// Another device of the link. Packets come there with the addresses of their hosts.
    Device,
}

/// How a match knows a fact at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// The packet shows it.
    Shown,
    /// Only the mark of the connection holds it.
    Marked,
    /// Nothing holds it, for this reason.
    Not(&'static str),
}

/// What is known at a place about the house's end of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// Its address. If only the mark holds it, the port that the packet shows can differ as well: a port forward
    /// changes it.
    pub address: Known,
    /// Its MAC address.
    pub mac: Known,
    /// The DSCP that it sent.
    pub dscp: Known,
    /// The mark that other programs gave to the packet, or for a download to its connection.
    pub mark: Known,
}

impl View {
    /// Returns what is known at a place about a packet of a family and a direction.
    #[must_use]
    pub fn at(place: Place, model: &Model, family: Family, direction: Direction) -> View {
        let hides = match place {
            Place::Line => model.lan.translates(family),
            Place::Inside { nat } => nat && family == Family::Ipv4,
            Place::Device => false,
        };
        // NAT needs connections, so wherever it is, their marks are known.
        let tracked = matches!(place, Place::Line | Place::Inside { nat: true });
        let sent = direction == Direction::Up || model.link.trust_dscp.value;
        View {
            address: if hides { Known::Marked } else { Known::Shown },
            mac: if tracked {
                Known::Marked
            } else {
                Known::Not("a host inside a tunnel is known by address")
            },
            dscp: match (sent, tracked) {
                (true, _) => Known::Shown,
                (false, true) => Known::Marked,
                (false, false) => Known::Not(UNTRUSTED_DSCP),
            },
            mark: match (place, direction) {
                (Place::Device, _) => Known::Not(NOT_RESTORED),
                (_, Direction::Up) => Known::Shown,
                (_, Direction::Down) => Known::Marked,
            },
        }
    }

    /// Returns how an address of the house is known. No NAT translates groups.
    #[must_use]
    pub fn of(self, address: Address) -> Known {
        if address.is_group() { Known::Shown } else { self.address }
    }
}

/// Returns `true` if a match knows an address of the house by a mark, at the WAN device or inside a tunnel.
#[must_use]
pub fn is_hidden(model: &Model, address: Address) -> bool {
    let translated = model.tunnels.iter().any(Tunnel::is_matched_behind_nat);
    let places = [Some(Place::Line), translated.then_some(Place::Inside { nat: true })];
    let view = |place| View::at(place, model, address.family(), Direction::Up);
    places.into_iter().flatten().any(|place| view(place).of(address) == Known::Marked)
}

/// Returns the bytes that a tunnel adds to an IP packet, and their meaning; those of IPv4 if both families are
/// possible. Returns `None` if they depend on the settings of a program.
#[must_use]
pub fn encapsulation(tunnel: &Tunnel) -> Option<(u32, String)> {
    let ipv6 =
        !tunnel.remote.is_empty() && tunnel.remote.iter().all(|remote| remote.value.family() == Family::Ipv6);
    let any = if ipv6 { ("IPv6", 40) } else { ("IPv4", 20) };
    let (outer, inside): ((&str, u32), &[(&str, u32)]) = match tunnel.kind {
        TunnelKind::Ipip | TunnelKind::Sit => (("IPv4", 20), &[]),
        TunnelKind::Gre => (("IPv4", 20), &[("GRE", 4)]),
        TunnelKind::Ip6tnl => (("IPv6", 40), &[]),
        TunnelKind::Ip6gre => (("IPv6", 40), &[("GRE", 4)]),
        TunnelKind::Wireguard => (any, &[("UDP", 8), ("WireGuard", 32)]),
        TunnelKind::Vxlan => (any, &[("UDP", 8), ("VXLAN", 8), ("Ethernet", 14)]),
        TunnelKind::L2tp | TunnelKind::Openvpn | TunnelKind::Other => return None,
    };
    let parts: Vec<(&str, u32)> = [outer].into_iter().chain(inside.iter().copied()).collect();
    let words: Vec<String> = parts.iter().map(|(what, bytes)| format!("{what} {bytes}")).collect();
    Some((parts.iter().map(|(_, bytes)| bytes).sum(), words.join(" + ")))
}

/// Returns the length in bytes of the largest IP packet that the line carries: in the tunnel, or outside any.
#[must_use]
pub fn largest_packet(model: &Model, tunnel: Option<&Tunnel>) -> u32 {
    let line = model.link.mtu.value;
    tunnel.map_or(line, |tunnel| match (&tunnel.mtu, encapsulation(tunnel)) {
        (Some(mtu), _) => mtu.value,
        (None, Some((more, _))) => line.saturating_sub(more),
        (None, None) => line,
    })
}

/// Returns `true` if the router may be the server of a tunnel: the file names no other end. The tunnel's port is then at
/// either end, because a server's peers use any port.
#[must_use]
pub const fn may_serve(tunnel: &Tunnel) -> bool {
    matches!(tunnel.kind, TunnelKind::Wireguard | TunnelKind::Openvpn | TunnelKind::L2tp)
        && tunnel.remote.is_empty()
}

#[cfg(test)]
#[path = "journey_tests.rs"]
mod tests;
