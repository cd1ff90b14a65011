//! Packets of a class: built from its matches, and used only if the filters lead them to that class.

use super::protocol::Endpoint;
use super::topology::{Machine, Topology};
use qosc_compiler::model::{Alternative, Class, Direction, Ecn, Model, Shape};
use qosc_compiler::tc::Program;
use qosc_compiler::units::{Address, Dscp, Protocol};
use qosc_preview::explain::packet::{End, Packet, meet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ports that no other flow uses, for matches without a port.
const ANY_HOUSE: u16 = 49_900;
const ANY_NET: [u16; 3] = [443, 40_000, 50_123];
/// Bytes of the shortest packet that the lab sends.
const SHORTEST: u32 = 64;
/// Largest number of match combinations that are tried for a class.
const MOST: usize = 256;

/// Specification of packets that a class gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketSpec {
    /// Index of the house's machine in the topology.
    pub machine: usize,
    /// Protocol: UDP, TCP, ICMP or ICMPv6.
    pub protocol: Protocol,
    /// True for IPv4.
    pub v4: bool,
    /// Port in the house; 0 for any.
    pub house_port: u16,
    /// Network in the internet, if the match names one.
    pub net: Option<Address>,
    /// First and last port in the internet.
    pub net_port: (u16, u16),
    /// Code points of the house's packets and of the internet's.
    pub dscp: (u8, u8),
    /// Bytes of each IP packet, if the match asks for a length.
    pub size: Option<u32>,
}

impl PacketSpec {
    /// Returns the specification of ICMP echo requests.
    #[must_use]
    pub fn ping(machine: usize, v4: bool) -> PacketSpec {
        let protocol = if v4 { Protocol::ICMP } else { Protocol::ICMPV6 };
        PacketSpec { v4, net_port: (0, 0), ..blank(machine, protocol) }
    }

    /// Returns both endpoints. `number` distinguishes flows: by their address in the internet, or by the port if the
    /// match allows only one address.
    #[must_use]
    pub fn ends(&self, topology: &Topology, number: u16) -> Option<(Endpoint, Endpoint)> {
        let machine = topology.machines.get(self.machine)?;
        let (own, remote) = topology.ends_of(machine, self.v4, number)?;
        let house = Endpoint { space: machine.space.clone(), address: own, port: self.house_port };
        let (first, last) = self.net_port;
        let (address, port) = match self.net {
            None => (remote, first),
            Some(net) if net.is_single() => {
                (some_of(net, 0)?, first + number % (last - first).saturating_add(1))
            }
            Some(net) => (some_of(net, number)?, first),
        };
        Some((house, Endpoint { space: "internet".to_owned(), address, port }))
    }
}

/// Finder of packet specifications.
#[derive(Clone, Copy)]
pub struct Finder<'a> {
    /// Model of the household.
    pub model: &'a Model,
    /// Program of the model.
    pub program: &'a Program,
    /// Topology of the lab.
    pub topology: &'a Topology,
}

impl Finder<'_> {
    /// Returns packets of a machine that match nothing and reach the default class in both directions, if there are
    /// any. `length` is their size in bytes.
    #[must_use]
    pub fn plain(&self, machine: usize, protocol: Protocol, length: u32) -> Option<PacketSpec> {
        let default = self.model.default_leaf()?;
        let who = self.topology.machines.get(machine)?;
        let families = [who.v4.is_some(), false];
        let ports = ANY_NET.into_iter().flat_map(|port| families.map(|v4| (port, v4)));
        ports.map(|(port, v4)| PacketSpec { net_port: (port, port), v4, ..blank(machine, protocol) }).find(
            |packet_spec| {
                Direction::BOTH.iter().all(|direction| self.leads(packet_spec, *direction, default, length))
            },
        )
    }

    /// Returns packets of a machine without regard to their class.
    #[must_use]
    pub fn any(&self, machine: usize, protocol: Protocol) -> PacketSpec {
        let v4 = self.topology.machines.get(machine).is_some_and(|one| one.v4.is_some());
        PacketSpec { v4, ..blank(machine, protocol) }
    }

    /// Returns packets that reach a leaf class in this direction. They have the first of the `wanted` protocols, with
    /// its length in bytes, for which this works. If `by` is given, that machine sends them.
    #[must_use]
    pub fn of_leaf(
        &self,
        leaf: &Class,
        direction: Direction,
        by: Option<usize>,
        wanted: &[(Protocol, u32)],
    ) -> Option<PacketSpec> {
        let mut paths = paths(&self.model.classes, leaf);
        if leaf.is_default() {
            paths.push(Vec::new());
        }
        let machines: Vec<usize> = match by {
            Some(machine) => vec![machine],
            None => (0..self.topology.machines.len()).rev().collect(),
        };
        let mut tried = 0;
        for (protocol, length) in wanted {
            for path in &paths {
                for machine in &machines {
                    for v4 in [true, false] {
                        if *protocol == Protocol::ICMP && !v4 || *protocol == Protocol::ICMPV6 && v4 {
                            continue;
                        }
                        tried += 1;
                        if tried > MOST {
                            return None;
                        }
                        let start = PacketSpec { v4, ..blank(*machine, *protocol) };
                        let made = path
                            .iter()
                            .try_fold(start, |made, one| self.narrowed(made, one, by, (direction, *length)));
                        if let Some(made) = made.filter(|made| self.leads(made, direction, leaf, *length)) {
                            return Some(made);
                        }
                    }
                }
            }
        }
        None
    }

    /// Returns the specification narrowed to an alternative of a match, or `None` if the lab cannot make such packets.
    fn narrowed(
        &self,
        made: PacketSpec,
        one: &Alternative,
        by: Option<usize>,
        (direction, wanted): (Direction, u32),
    ) -> Option<PacketSpec> {
        let mut made = made;
        let machines = &self.topology.machines;
        // the lab has only the WAN device
        if !one.devices.is_empty() {
            return None;
        }
        if !one.hosts.is_empty() && by.is_none() {
            made.machine = machines
                .iter()
                .position(|machine| machine.host.is_some_and(|host| one.hosts.contains(&host)))?;
        }
        if !one.local.is_empty() && by.is_none() {
            made.machine =
                machines.iter().position(|machine| one.local.iter().any(|net| has(machine, *net)))?;
        }
        if let Some(net) = one.remote.iter().find(|net| is_v4(**net) == made.v4) {
            made.net = Some(*net);
        } else if !one.remote.is_empty() {
            return None;
        }
        if !one.protocol.is_empty() && !one.protocol.contains(&made.protocol) {
            return None;
        }
        if let Some(ports) = one.remote_port.as_ref().or(one.port.as_ref()) {
            let range = ports.ranges().first()?;
            made.net_port = (range.first, range.last);
        }
        if let Some(ports) = &one.local_port {
            made.house_port = ports.ranges().first()?.first;
        }
        if let Some(dscp) = one.dscp.first() {
            let trusts = direction == Direction::Down && self.model.link.trust_dscp.value;
            *(if trusts { &mut made.dscp.1 } else { &mut made.dscp.0 }) = dscp.bits();
        }
        if let Some(length) = one.length.iter().find(|length| u32::from(length.max) >= SHORTEST) {
            made.size = Some(wanted.clamp(u32::from(length.min).max(SHORTEST), u32::from(length.max)));
        } else if !one.length.is_empty() {
            return None;
        }
        Some(made)
    }

    /// True if a host's ordinary packets have a lower ceiling than their class, so that it cannot fill the line.
    #[must_use]
    pub fn is_capped(&self, machine: usize) -> bool {
        let length = self.model.link.mtu.value;
        let leaf = self.model.default_leaf().zip(self.plain(machine, Protocol::TCP, length));
        leaf.is_some_and(|(leaf, packet_spec)| {
            Direction::BOTH.iter().any(|direction| {
                let own = |end| if let End::Class { ceiling, .. } = end { Some(ceiling) } else { None };
                let ceiling = self.end(&packet_spec, *direction, length).and_then(own);
                ceiling.is_some_and(|own| own < leaf.ceiling.get(*direction).value)
            })
        })
    }

    /// True if the filters lead these packets to that leaf. `length` is their size in bytes if the specification has
    /// none.
    fn leads(&self, packet_spec: &PacketSpec, direction: Direction, leaf: &Class, length: u32) -> bool {
        match self.end(packet_spec, direction, length) {
            Some(End::Class { name, .. } | End::Tin { name, .. }) => {
                name == leaf.name || name.strip_prefix(&leaf.name).is_some_and(|rest| rest.starts_with('/'))
            }
            // this direction has no classes
            Some(End::Unshaped) => leaf.is_default(),
            Some(End::Past) | None => false,
        }
    }

    /// Returns the destination of packets; `None` if the machine cannot send them.
    fn end(&self, packet_spec: &PacketSpec, direction: Direction, length: u32) -> Option<End> {
        // a sender of TCP cannot choose the length of its packets
        let length = packet_spec.size.filter(|_| packet_spec.protocol != Protocol::TCP).unwrap_or(length);
        let (house, net) = packet_spec.ends(self.topology, 0)?;
        let mac = self.topology.machines.get(packet_spec.machine).and_then(|machine| machine.mac);
        let code = |bits: u8| Dscp::new(bits).unwrap_or_default();
        let (dscp, sent) = match direction {
            Direction::Up => (code(packet_spec.dscp.0), None),
            Direction::Down => (code(packet_spec.dscp.1), Some(code(packet_spec.dscp.0))),
        };
        let ports = packet_spec.protocol.has_ports();
        let house_port = if packet_spec.house_port == 0 { ANY_HOUSE } else { packet_spec.house_port };
        let packet = Packet {
            direction,
            protocol: packet_spec.protocol,
            local: house.address,
            remote: net.address,
            local_port: if ports { house_port } else { 0 },
            remote_port: if ports { net.port } else { 0 },
            dscp,
            ecn: Ecn::NotEct,
            sent,
            mark: 0,
            mac,
            length,
            tcp: Vec::new(),
            tunnel: None,
            device: None,
            by_router: false,
            from_outside: false,
            forwarded: None,
        };
        Some(meet(self.model, self.program, &packet).end)
    }
}

fn blank(machine: usize, protocol: Protocol) -> PacketSpec {
    let port = ANY_NET.first().copied().unwrap_or_default();
    let net_port = (port, port);
    PacketSpec { machine, protocol, v4: true, house_port: 0, net: None, net_port, dscp: (0, 0), size: None }
}

/// Returns all combinations of matches that lead to a leaf: one alternative for each class on the path that has
/// matches.
fn paths<'a>(classes: &'a [Class], leaf: &Class) -> Vec<Vec<&'a Alternative>> {
    let mut all = Vec::new();
    for class in classes {
        let own: Vec<Vec<&Alternative>> = match &class.matches {
            Some(matches) => matches.iter().map(|one| vec![one]).collect(),
            None => vec![Vec::new()],
        };
        let below = match &class.shape {
            Shape::Leaf(_) if class.name == leaf.name => vec![Vec::new()],
            Shape::Leaf(_) => continue,
            Shape::Inner(children) => paths(children, leaf),
        };
        for rest in below {
            all.extend(own.iter().map(|own| [own.as_slice(), &rest].concat()));
            if all.len() > MOST {
                return all;
            }
        }
    }
    all
}

fn has(machine: &Machine, net: Address) -> bool {
    match net {
        Address::V4(net) => machine.v4.is_some_and(|own| net.contains(&own)),
        Address::V6(net) => machine.v6.is_some_and(|own| net.contains(&own)),
        Address::V6Interface { part, bits } => machine.v6.is_some_and(|own| {
            let mask = u128::MAX.checked_shr(128 - u32::from(bits)).unwrap_or(0);
            u128::from(own) & mask == u128::from(part)
        }),
    }
}

const fn is_v4(net: Address) -> bool {
    matches!(net, Address::V4(_))
}

/// Returns the address with this number in a network of the internet, modulo the size of the network.
fn some_of(net: Address, number: u16) -> Option<IpAddr> {
    match net {
        Address::V4(net) => {
            let count = 1_u32 << (32 - net.prefix_len()).min(16);
            // not the network's own address if there is another one
            let place = (u32::from(number) + 1) % count;
            Some(Ipv4Addr::from(u32::from(net.network()) | place).into())
        }
        Address::V6(net) => {
            let count = 1_u128 << (128 - net.prefix_len()).min(16);
            let place = (u128::from(number) + 1) % count;
            Some(Ipv6Addr::from(u128::from(net.network()) | place).into())
        }
        Address::V6Interface { .. } => None,
    }
}
