//! Matches and policers.

use super::{Amount, ClassId, Direction, Ecn, Host, Lan, Networks, TcpKind, Val};
use crate::diag::Span;
use crate::units::{Address, Bytes, Dscp, Family, LengthRange, Mark, PortSet, Protocol, Rate};
use serde::Serialize;

/// One alternative of a match. All keys must hold, and for each key one of its values is enough. An empty list or
/// `None` is no condition.
///
/// Names of hosts and tunnels are resolved: `hosts` and `tunnels` are indices into the model's lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// Place in the file.
    pub span: Span,
    /// Text on one line for people, such as `udp remote_port 3478, 5060-5061`.
    pub text: String,
    /// Hosts that own the local address.
    pub hosts: Vec<usize>,
    /// Addresses in the local network.
    pub local: Vec<Address>,
    /// Addresses on the internet.
    pub remote: Vec<Address>,
    /// IP protocols.
    pub protocol: Vec<Protocol>,
    /// Ports in the local network.
    pub local_port: Option<PortSet>,
    /// Ports on the internet.
    pub remote_port: Option<PortSet>,
    /// Ports at either end.
    pub port: Option<PortSet>,
    /// Code points.
    pub dscp: Vec<Dscp>,
    /// Values of the ECN field.
    pub ecn: Vec<Ecn>,
    /// Firewall marks.
    pub mark: Vec<Mark>,
    /// Tunnels. The tunnel's `inner` decides if the outer or the inner packets are matched.
    pub tunnels: Vec<usize>,
    /// Devices of the link besides the WAN device, as indices into its list.
    pub devices: Vec<usize>,
    /// A family.
    pub family: Option<Family>,
    /// A direction.
    pub direction: Option<Direction>,
    /// IP packet lengths.
    pub length: Vec<LengthRange>,
    /// Kinds of TCP packets by their flags; one of them is enough.
    pub tcp: Vec<TcpKind>,
}

impl Alternative {
    /// Returns `true` if `host` is the only key with a condition.
    #[must_use]
    pub fn asks_only_hosts(&self) -> bool {
        self.asks_at_most_ends() && self.tunnels.is_empty() && self.direction.is_none()
    }

    /// Returns `true` if `host`, `tunnel` and `direction` are the only keys with a condition.
    #[must_use]
    pub fn asks_at_most_ends(&self) -> bool {
        let Alternative {
            span: _,
            text: _,
            hosts: _,
            local,
            remote,
            protocol,
            local_port,
            remote_port,
            port,
            dscp,
            ecn,
            mark,
            tunnels: _,
            devices,
            family,
            direction: _,
            length,
            tcp,
        } = self;
        let addresses = local.is_empty() && remote.is_empty() && protocol.is_empty();
        let ports = local_port.is_none() && remote_port.is_none() && port.is_none();
        let rest =
            devices.is_empty() && dscp.is_empty() && ecn.is_empty() && mark.is_empty() && length.is_empty();
        addresses && ports && rest && tcp.is_empty() && family.is_none()
    }

    /// Returns an alternative that matches all packets of one host.
    #[must_use]
    pub fn of_host(index: usize, host: &Host) -> Alternative {
        Alternative { hosts: vec![index], ..Alternative::any(host.span, format!("host {}", host.name)) }
    }

    /// Returns an alternative that matches all packets.
    #[must_use]
    pub fn any(span: Span, text: impl Into<String>) -> Alternative {
        Alternative { span, text: text.into(), ..Alternative::default() }
    }
}

impl Lan {
    /// Returns an alternative that matches the packets to and from the LAN; `None` if they are shaped as all others.
    #[must_use]
    pub fn bypass(&self) -> Option<Alternative> {
        let Networks::List(networks) = &self.networks else { return None };
        let remote = networks.iter().map(|network| network.value).collect();
        let at = self.shaped.span().filter(|_| !self.shaped.value)?;
        Some(Alternative { remote, ..Alternative::any(at, "not shaped") })
    }
}

/// Action for packets above the rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Exceed {
    /// Drop them.
    Drop,
    /// Send them to this class.
    Reclassify(ClassId),
}

/// A policer: traffic with a rate cap, without a queue and without lending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Police {
    /// Name of the policer.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Policed direction.
    pub direction: Direction,
    /// Policed packets.
    pub matches: Vec<Alternative>,
    /// Cap as the file gives it. A percentage refers to the shaped rate of the link.
    pub asked: Amount,
    /// Rate cap.
    pub rate: Val<Rate>,
    /// Bytes that may pass at once.
    pub burst: Val<Bytes>,
    /// Action for packets above the rate.
    pub exceed: Exceed,
    /// `true` if the packets bypass the shaper. The policer's rate then reduces the rate that the classes share.
    pub bypass: bool,
}
