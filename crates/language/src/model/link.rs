//! The line, the local network, hosts, tunnels and tuning.

use super::{
    Basis, ClassId, Direction, Engine, Frames, Ingress, Inner, Layer, Offloads, PerDirection, Scheduling,
    TunnelKind, Val, Wire,
};
use crate::diag::Span;
use crate::units::{Address, Bytes, Family, IfName, Mac, MarkMask, Micros, Percent, PortSet, Rate};
use serde::Serialize;

/// The line and the WAN device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// WAN device.
    pub device: Val<IfName>,
    /// Other devices whose downloads come over the same line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<LinkDevice>,
    /// Profile for values that the file does not give.
    pub profile: Val<String>,
    /// Line rates that the modem or the provider states. The shaped rate stands for one that the file does not give.
    pub line: PerDirection<Val<Rate>>,
    /// Bounds of a line whose rate varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vary: Option<Vary>,
    /// Share of the line rate that stays unused; 0 if only the shaped rate is known.
    pub margin: PerDirection<Val<Percent>>,
    /// Shaped rate: as given, or line rate x encoding x (1 - margin), rounded down to a whole bit/s.
    pub shaped: PerDirection<Val<Rate>>,
    /// Rate that the classes share: the shaped rate minus the rates of policers that bypass the shaper, and of uploads
    /// by other devices.
    pub tree: PerDirection<Val<Rate>>,
    /// Inputs for the numbers of each direction besides its line rate.
    pub basis: PerDirection<Basis>,
    /// Buckets and quantum of the root class.
    pub scheduling: PerDirection<Scheduling>,
    /// Bucket of the policer that caps downloads at `tree.down`, if `ingress` is `police`.
    pub ingress_burst: Val<Bytes>,
    /// Bytes on the line above each IP packet.
    pub overhead: Val<u32>,
    /// Minimum charge of a packet in bytes; 0 for none.
    pub mpu: Val<u32>,
    /// Encapsulation that carries packets on the line.
    pub layer: Val<Layer>,
    /// Largest IP packet in bytes.
    pub mtu: Val<u32>,
    /// Handling of downloads.
    pub ingress: Val<Ingress>,
    /// Scheduler of each direction.
    pub engine: PerDirection<Val<Engine>>,
    /// Kind of frames on the device.
    pub frames: Val<Frames>,
    /// `true` if downloads are matched by the DSCP that their sender set.
    pub trust_dscp: Val<bool>,
    /// `true` if the DSCP is cleared after classification.
    pub wash: PerDirection<bool>,
}

/// Bounds within which the call `follow` of the script adapts the line rates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Vary {
    /// Lowest and highest line rate of each direction that varies.
    pub bounds: PerDirection<Option<Val<[Rate; 2]>>>,
    /// Addresses that are pinged; none for the provider's next router.
    pub probe: Vec<Val<Address>>,
    /// Delay that the line may add to that of its idle state.
    pub delay: Val<Micros>,
}

/// A device beside the WAN device, whose downloads come over the same line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkDevice {
    /// Name of the device.
    pub device: Val<IfName>,
    /// Rate of its uploads, which the upload classes leave free.
    pub up: Option<Val<Rate>>,
}

impl Link {
    /// Returns all devices of the line, the WAN device first.
    pub fn all_devices(&self) -> impl Iterator<Item = &Val<IfName>> {
        [&self.device].into_iter().chain(self.devices.iter().map(|own| &own.device))
    }

    /// Returns the devices whose uploads the classes of this direction leave a rate free for, with the rate.
    pub fn uploads_aside(&self, direction: Direction) -> impl Iterator<Item = (&IfName, &Val<Rate>)> {
        let devices = self.devices.iter().filter(move |_| direction == Direction::Up);
        devices.filter_map(|own| Some((&own.device.value, own.up.as_ref()?)))
    }

    /// Returns the line rate; `None` if the file gives only the shaped rate.
    #[must_use]
    pub fn line_rate(&self, direction: Direction) -> Option<&Val<Rate>> {
        Some(self.line.get(direction)).filter(|line| line.is_given())
    }

    /// Returns what a rate between two bounds does, in words for people; `None` if it does not vary.
    #[must_use]
    pub fn varies(&self, direction: Direction) -> Option<String> {
        let [low, high] = self.vary.as_ref()?.bounds.get(direction).as_ref()?.value.map(Rate::for_people);
        Some(format!("varies: `follow` sets {low} to {high}"))
    }

    /// Returns the margin that determines the shaped rate; `None` if the file gives the shaped rate itself.
    #[must_use]
    pub fn margin(&self, direction: Direction) -> Option<&Val<Percent>> {
        (!self.shaped.get(direction).is_given()).then(|| self.margin.get(direction))
    }

    /// Returns the inputs for the bytes of a packet on the wire.
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

/// Prefixes of the local network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Networks {
    /// Prefixes of the LAN devices, read at run time.
    Auto,
    /// Prefixes from the file.
    List(Vec<Val<Address>>),
}

/// The local network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lan {
    /// LAN devices.
    pub devices: Vec<Val<IfName>>,
    /// Prefixes of the network.
    pub networks: Networks,
    /// `true` if NAT translates IPv4 sources on the WAN device.
    pub nat: Val<bool>,
    /// The same for IPv6: by masquerading, or to another prefix.
    #[serde(skip_serializing_if = "is_off")]
    pub nat_ipv6: Val<bool>,
    /// `false` if packets to and from `networks` bypass the shaper on the WAN device.
    pub shaped: Val<bool>,
}

impl Lan {
    /// Returns the prefixes that the file lists.
    #[must_use]
    pub fn listed(&self) -> &[Val<Address>] {
        match &self.networks {
            Networks::List(list) => list,
            Networks::Auto => &[],
        }
    }

    /// Returns `true` if the WAN device shows other addresses of this family than the LAN has.
    #[must_use]
    pub fn translates(&self, family: Family) -> bool {
        match family {
            Family::Ipv4 => self.nat.value,
            Family::Ipv6 => self.nat_ipv6.value,
        }
    }
}

const fn is_off(val: &Val<bool>) -> bool {
    !val.value
}

/// A host, or a network that counts as one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Host {
    /// Name of the host.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Index of the host with `each` whose prefix contains this device; `None` for a host of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// `true` for a host with `each`: every address of its prefixes is another host, which has these rates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
    /// IP addresses.
    pub addresses: Vec<Val<Address>>,
    /// MAC addresses.
    pub mac: Vec<Val<Mac>>,
    /// `true` for the router itself.
    #[serde(rename = "self", skip_serializing_if = "std::ops::Not::not")]
    pub is_router: bool,
    /// Leaf class of the host: `class`, or the leaf with a match on this host alone, or the default leaf.
    pub home: Val<ClassId>,
    /// Guarantee of the host in its leaf; `None` if the file asks for none.
    pub guarantee: PerDirection<Option<Val<Rate>>>,
    /// Ceiling of the host in its leaf; `None` if the file asks for none.
    pub ceiling: PerDirection<Option<Val<Rate>>>,
}

impl Host {
    /// Returns the words before the name in a finding on the rates.
    #[must_use]
    pub const fn noun(&self) -> &'static str {
        if self.each { "each device of host" } else { "host" }
    }

    /// Returns `true` if the host, or each of its devices, has a class of its own in at least one direction.
    #[must_use]
    pub const fn is_promised(&self) -> bool {
        let (up, down) = (self.guarantee.up.is_some(), self.guarantee.down.is_some());
        up || down || self.ceiling.up.is_some() || self.ceiling.down.is_some()
    }

    /// Returns the number of host bits in the widest of its addresses; 0 if every address is a single machine.
    #[must_use]
    pub fn widest(&self) -> u8 {
        let free = |address: &Val<Address>| match address.value {
            Address::V4(net) => 32 - net.prefix_len(),
            Address::V6(net) => 128 - net.prefix_len(),
            // one machine under any prefix
            Address::V6Interface { .. } => 0,
        };
        self.addresses.iter().map(free).max().unwrap_or(0)
    }
}

/// A tunnel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tunnel {
    /// Name of the tunnel.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Kind of the tunnel.
    pub kind: TunnelKind,
    /// Device of the tunnel.
    pub device: Option<Val<IfName>>,
    /// Addresses of the remote end; empty for any address.
    pub remote: Vec<Val<Address>>,
    /// Ports of the remote end, if the kind has ports: as given, or the kind's default.
    pub port: Option<PortSet>,
    /// MTU in bytes.
    pub mtu: Option<Val<u32>>,
    /// Visibility of inner packets for the classes.
    pub inner: Val<Inner>,
    /// `true` if the router translates IPv4 addresses at the tunnel's device, so that all inner packets have its
    /// address.
    pub nat: Val<bool>,
    /// Queueing of downloads, if they can be queued behind the tunnel's device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads: Option<Downloads>,
}

/// Place where the downloads of a tunnel are queued whose outer packets do not show enough: it encrypts, or the
/// router translates addresses at its device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Downloads {
    /// Queued as outer packets, with the reason.
    Wrapped(String),
    /// Queued as inner packets. The value is the number of bytes that a packet on the line has beyond the inner one,
    /// from the outer IP header on: 20 to 92.
    Decrypted(Val<u32>),
}

impl Tunnel {
    /// Returns the tunnel device and the number of added bytes, if the downloads are queued behind the device.
    #[must_use]
    pub const fn decrypted(&self) -> Option<(&Val<IfName>, &Val<u32>)> {
        match (&self.device, &self.downloads) {
            (Some(device), Some(Downloads::Decrypted(more))) => Some((device, more)),
            _ => None,
        }
    }

    /// Returns the tunnel device and the number of added bytes, if the uploads are queued before they are encrypted.
    #[must_use]
    pub fn queued_before_encryption(&self) -> Option<(&Val<IfName>, &Val<u32>)> {
        let asked = self.kind == TunnelKind::Wireguard && self.inner.value == Inner::Match;
        self.decrypted().filter(|_| asked)
    }

    /// Returns the tunnel device and the number of added bytes, if matches read the inner packets at the tunnel's
    /// device and not behind outer headers.
    #[must_use]
    pub fn seen_at_device(&self, direction: Direction) -> Option<(&Val<IfName>, &Val<u32>)> {
        match direction {
            Direction::Up => self.queued_before_encryption(),
            Direction::Down => self.decrypted(),
        }
    }

    /// Returns `true` if matches know hosts inside the tunnel by their connections, because the router translates
    /// addresses at the tunnel's device.
    #[must_use]
    pub fn is_matched_behind_nat(&self) -> bool {
        self.nat.value && (self.inner.value == Inner::Match || self.decrypted().is_some())
    }

    /// Returns `true` if a CAKE that looks up hosts behind NAT treats all traffic of the tunnel as one host. This is so
    /// for tunnels with outer IPv4 packets and visible inner packets, because CAKE gets the connection of the outer
    /// packet.
    #[must_use]
    pub fn is_one_host_under_nat(&self) -> bool {
        matches!(self.kind, TunnelKind::Ipip | TunnelKind::Sit | TunnelKind::Gre)
            && self.inner.value != Inner::Opaque
            && !self.nat.value
    }
}

/// Socket buffers of a router that sends and receives itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tcp {
    /// Round trip time for the size of the buffers.
    pub rtt: Val<Micros>,
    /// Largest send buffer in bytes.
    pub send: Val<Bytes>,
    /// Largest receive buffer in bytes.
    pub receive: Val<Bytes>,
}

/// System settings outside the shaper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tuning {
    /// Setting for offloads.
    pub offloads: Val<Offloads>,
    /// `true` for a direction in which aggregated packets must not reach the shaper. They would occupy the line for
    /// longer than CoDel's target, or hide more overhead than the margin covers. `false` if `offloads` is `keep`.
    pub split: PerDirection<Val<bool>>,
    /// Length in packets of the WAN device's own queue, if given.
    pub txqueuelen: Option<Val<u32>>,
    /// Bytes that each transmit queue of the WAN device may hold (byte queue limit), if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bql: Option<Val<Bytes>>,
    /// Socket buffers, if given.
    pub tcp: Option<Tcp>,
    /// `true` if the router's own TCP requests ECN, if given.
    pub ecn: Option<Val<bool>>,
    /// Bits of marks that the script may use, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_mask: Option<Val<MarkMask>>,
}
