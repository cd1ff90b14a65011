//! Matches and police.

use super::{Amount, ClassId, Direction, Host, TcpKind, Val};
use crate::diag::Span;
use crate::units::{Address, Bytes, Dscp, Family, LengthRange, Mark, PortSet, Protocol, Rate};
use serde::Serialize;

/// One alternative of a match: all keys must hold; in a key any value may hold; an empty list or `None` asks nothing.
///
/// Names of hosts and tunnels are bound: `hosts` and `tunnels` are indices into the model's lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// Its place.
    pub span: Span,
    /// Its text on one line, as people read it, such as `udp remote_port 3478, 5060-5061`.
    pub text: String,
    /// Hosts: the local address is one of theirs.
    pub hosts: Vec<usize>,
    /// Addresses on the house's side.
    pub local: Vec<Address>,
    /// Addresses on the internet's side.
    pub remote: Vec<Address>,
    /// IP protocols.
    pub protocol: Vec<Protocol>,
    /// Ports on the house's side.
    pub local_port: Option<PortSet>,
    /// Ports on the internet's side.
    pub remote_port: Option<PortSet>,
    /// Ports on either side.
    pub port: Option<PortSet>,
    /// Code points.
    pub dscp: Vec<Dscp>,
    /// Firewall marks.
    pub mark: Vec<Mark>,
    /// Tunnels, as a whole or inside, as the tunnel says.
    pub tunnels: Vec<usize>,
    /// A family.
    pub family: Option<Family>,
    /// A direction.
    pub direction: Option<Direction>,
    /// IP packet lengths.
    pub length: Vec<LengthRange>,
    /// TCP packets by their flags; any of these.
    pub tcp: Vec<TcpKind>,
}

impl Alternative {
    /// Whether no key but `host` asks anything.
    #[must_use]
    pub fn asks_only_hosts(&self) -> bool {
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
            mark,
            tunnels,
            family,
            direction,
            length,
            tcp,
        } = self;
        let addresses = local.is_empty() && remote.is_empty() && protocol.is_empty();
        let ports = local_port.is_none() && remote_port.is_none() && port.is_none();
        let rest = dscp.is_empty() && mark.is_empty() && tunnels.is_empty() && length.is_empty();
        addresses && ports && rest && tcp.is_empty() && family.is_none() && direction.is_none()
    }

    /// What is of one host, and nothing else is asked.
    #[must_use]
    pub fn of_host(index: usize, host: &Host) -> Alternative {
        Alternative {
            span: host.span,
            text: format!("host {}", host.name),
            hosts: vec![index],
            local: Vec::new(),
            remote: Vec::new(),
            protocol: Vec::new(),
            local_port: None,
            remote_port: None,
            port: None,
            dscp: Vec::new(),
            mark: Vec::new(),
            tunnels: Vec::new(),
            family: None,
            direction: None,
            length: Vec::new(),
            tcp: Vec::new(),
        }
    }
}

/// What happens to what is too much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Exceed {
    /// It is dropped.
    Drop,
    /// It goes into this class.
    Reclassify(ClassId),
}

/// Traffic that is capped without queueing and without lending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Police {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// Which way.
    pub direction: Direction,
    /// What is policed.
    pub matches: Vec<Alternative>,
    /// The cap as the file gives it: a share is of what the link is shaped to.
    pub asked: Amount,
    /// The cap.
    pub rate: Val<Rate>,
    /// How much may pass at once.
    pub burst: Val<Bytes>,
    /// What happens beyond it.
    pub exceed: Exceed,
    /// Kept off the shaper; its rate is set aside from the link's.
    pub bypass: bool,
}
