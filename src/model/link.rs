//! The line, the house's side, hosts, tunnels, tuning.

use super::{
    Basis, ClassId, Direction, Engine, Frames, Ingress, Inner, Layer, Offloads, PerDirection, Scheduling,
    TunnelKind, Val, Wire,
};
use crate::diag::Span;
use crate::units::{Address, Bytes, IfName, Mac, MarkMask, Micros, Percent, PortSet, Rate};
use serde::Serialize;

/// The line and the WAN device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The WAN device.
    pub device: Val<IfName>,
    /// The profile that filled in what the file leaves out.
    pub profile: Val<String>,
    /// What the modem or the provider states.
    pub line: PerDirection<Val<Rate>>,
    /// What is taken off the line rate.
    pub margin: PerDirection<Val<Percent>>,
    /// What we shape to: line rate x encoding x (1 - margin), rounded down to a whole bit/s.
    pub shaped: PerDirection<Val<Rate>>,
    /// What the classes share: the shaped rate less the rates of police that bypass the shaper.
    pub tree: PerDirection<Val<Rate>>,
    /// How the numbers of a direction follow from its line rate.
    pub basis: PerDirection<Basis>,
    /// How HTB serves the whole tree.
    pub scheduling: PerDirection<Scheduling>,
    /// The bucket of the one police that caps `tree.down`, where `ingress` is `police`.
    pub ingress_burst: Val<Bytes>,
    /// Bytes on the line above each IP packet.
    pub overhead: Val<u32>,
    /// A packet is never charged less than this many bytes; 0 for none.
    pub mpu: Val<u32>,
    /// How the line carries a packet.
    pub layer: Val<Layer>,
    /// The largest IP packet in bytes.
    pub mtu: Val<u32>,
    /// What is done to downloads.
    pub ingress: Val<Ingress>,
    /// What schedules a direction.
    pub engine: PerDirection<Val<Engine>>,
    /// What the device's packets are.
    pub frames: Val<Frames>,
    /// Whether downloads are matched by the DSCP that their sender set.
    pub trust_dscp: Val<bool>,
    /// Whether the DSCP is cleared after classification.
    pub wash: PerDirection<bool>,
}

impl Link {
    /// What a packet takes on its wire.
    #[must_use]
    pub const fn wire(&self) -> Wire {
        Wire { layer: self.layer.value, overhead: self.overhead.value, mpu: self.mpu.value }
    }

    /// Returns whether a direction has a shaper: uploads always, downloads with `ingress: shape`.
    #[must_use]
    pub fn shapes(&self, direction: Direction) -> bool {
        direction == Direction::Up || self.ingress.value == Ingress::Shape
    }

    /// Returns the directions that have a shaper.
    pub fn shaped_directions(&self) -> impl Iterator<Item = Direction> + use<> {
        let downloads = self.shapes(Direction::Down);
        Direction::BOTH.into_iter().filter(move |direction| downloads || *direction == Direction::Up)
    }
}

/// The prefixes of the house.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Networks {
    /// Those that the LAN devices have, read at run time.
    Auto,
    /// These.
    List(Vec<Val<Address>>),
}

/// The house's side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lan {
    /// The LAN devices.
    pub devices: Vec<Val<IfName>>,
    /// Its prefixes.
    pub networks: Networks,
    /// Whether IPv4 sources are translated on the WAN device.
    pub nat: Val<bool>,
}

/// A host, or a network meant as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// Its addresses.
    pub addresses: Vec<Val<Address>>,
    /// Its MAC addresses.
    pub mac: Vec<Val<Mac>>,
    /// Its home class: `class`, else the leaf that a match on this host alone gives it, else the default leaf.
    pub home: Val<ClassId>,
    /// What it is guaranteed in its home class, where that is asked for.
    pub guarantee: PerDirection<Option<Val<Rate>>>,
    /// Its ceiling in its home class, where that is asked for.
    pub ceiling: PerDirection<Option<Val<Rate>>>,
}

impl Host {
    /// Whether it has a class of its own, in a direction at least.
    #[must_use]
    pub const fn is_promised(&self) -> bool {
        let (up, down) = (self.guarantee.up.is_some(), self.guarantee.down.is_some());
        up || down || self.ceiling.up.is_some() || self.ceiling.down.is_some()
    }

    /// Bits that are free in the widest of its addresses: 0 for one that is a single machine everywhere.
    #[must_use]
    pub fn widest(&self) -> u8 {
        let free = |address: &Val<Address>| match address.value {
            Address::V4(net) => 32 - net.prefix_len(),
            Address::V6(net) => 128 - net.prefix_len(),
            // one machine under whatever prefix
            Address::V6Interface { .. } => 0,
        };
        self.addresses.iter().map(free).max().unwrap_or(0)
    }
}

/// A tunnel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tunnel {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// Its kind.
    pub kind: TunnelKind,
    /// Its device.
    pub device: Option<Val<IfName>>,
    /// The other end's addresses; empty for any.
    pub remote: Vec<Val<Address>>,
    /// The other end's port, where the kind has one: given, or the kind's own.
    pub port: Option<PortSet>,
    /// Its MTU in bytes.
    pub mtu: Option<Val<u32>>,
    /// What the classes see of what is inside.
    pub inner: Val<Inner>,
    /// Where its downloads are queued, of a kind that encrypts in the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads: Option<Downloads>,
}

/// Where the downloads of a tunnel are queued that the kernel decrypts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Downloads {
    /// As they come in, as one flow; and why.
    Wrapped(String),
    /// After they were decrypted. By how many bytes a packet on the line is longer than the one inside, from the outer IP header
    /// on: 72 or 92.
    Decrypted(Val<u32>),
}

impl Tunnel {
    /// The device at which its downloads come out, and how much longer each was on the line, where they are queued behind that.
    #[must_use]
    pub const fn decrypted(&self) -> Option<(&Val<IfName>, &Val<u32>)> {
        match (&self.device, &self.downloads) {
            (Some(device), Some(Downloads::Decrypted(more))) => Some((device, more)),
            _ => None,
        }
    }

    /// Whether a CAKE that looks hosts up behind NAT takes all that the tunnel carries for one host: it is told of the
    /// outer packet's connection, for those that are IPv4 around a packet that could be seen.
    #[must_use]
    pub fn is_one_host_under_nat(&self) -> bool {
        matches!(self.kind, TunnelKind::Ipip | TunnelKind::Sit | TunnelKind::Gre)
            && self.inner.value != Inner::Opaque
    }
}

/// Socket buffers of a router that itself sends and receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tcp {
    /// The round trip time that the buffers are sized for.
    pub rtt: Val<Micros>,
    /// Largest send buffer.
    pub send: Val<Bytes>,
    /// Largest receive buffer.
    pub receive: Val<Bytes>,
}

/// What is tuned beside the shaper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tuning {
    /// What is done about aggregates.
    pub offloads: Val<Offloads>,
    /// Whether aggregates must not reach the shaper of a direction: they would hold the line for longer than the AQM
    /// target, or hide more overhead than the margin covers. False where `offloads` is `keep`.
    pub split: PerDirection<Val<bool>>,
    /// Length of the WAN device's own queue in packets, where it is set.
    pub txqueuelen: Option<Val<u32>>,
    /// Socket buffers, where they are set.
    pub tcp: Option<Tcp>,
    /// Whether the router's own TCP asks for ECN, where it is set.
    pub ecn: Option<Val<bool>>,
    /// The bits of marks that are ours, where they are set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_mask: Option<Val<MarkMask>>,
}
