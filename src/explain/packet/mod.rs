//! Which class and queue a packet meets, what it is asked on the way, and what it is charged.
//!
//! The packet is made byte for byte and taken through the lists of filters that a script makes, as the kernel would. So this
//! says what the kernel does, whatever a match was meant to say.

mod bytes;
mod differs;
mod human;
mod lists;
mod text;

pub use human::human;

use crate::model::{Cake, Direction, Downloads, Inner, Model, Seen as Known, TcpKind, Tunnel, scatter};
use crate::tc::{Dev, Handle, Hook, HtbClass, Parent, Program, QdiscKind};
use crate::units::{Dscp, Family, Mac, Micros, Protocol, Rate};
use lists::{Seen, Then, Walk};
use serde::Serialize;
use std::net::IpAddr;

/// A packet as the house knows it: before NAT on its way up, behind it on its way down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// Which way it goes.
    pub direction: Direction,
    /// The protocol in its IP header.
    pub protocol: Protocol,
    /// Its end in the house.
    pub local: IpAddr,
    /// Its end in the internet, of the same family.
    pub remote: IpAddr,
    /// The port in the house; 0 where the protocol has none.
    pub local_port: u16,
    /// The port in the internet; 0 where the protocol has none.
    pub remote_port: u16,
    /// Its own DSCP.
    pub dscp: Dscp,
    /// Of a download, the DSCP that the house last sent on its connection, if it sent any.
    pub sent: Option<Dscp>,
    /// Somebody else's mark: of an upload its own, of a download that of its connection.
    pub mark: u32,
    /// The MAC address of the house's end, where it is known.
    pub mac: Option<Mac>,
    /// Bytes of the IP packet.
    pub length: u32,
    /// The flags of a TCP packet that are named: `ack` alone is an acknowledgement without data; a packet without any carries
    /// data and ACK.
    pub tcp: Vec<TcpKind>,
    /// The tunnel that it travels in, by its place in the file: the packet is then the one inside.
    pub tunnel: Option<usize>,
}

/// A match that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// Where: at the hooks come policers, at the root classes.
    pub hook: Hook,
    /// The class or policer that it is for.
    pub name: String,
    /// The match as it is written, or what it comes from.
    pub what: String,
    /// Its line in the file.
    pub line: Option<u32>,
    /// Whether it takes the packet.
    pub takes: bool,
    /// In which keys the packet is another; of several values, of the nearest.
    pub differs: Vec<&'static str>,
}

/// A policer that the packet passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Policed {
    /// Its name; empty for the one of all downloads.
    pub name: String,
    /// What it lets through.
    pub rate: Rate,
    /// Whether what is above that is dropped; otherwise it goes on to a class.
    pub dropped: bool,
}

/// Where a packet comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// A class of HTB and its queue.
    Class {
        /// Its name.
        name: String,
        /// Its id in the kernel.
        id: Handle,
        /// What it gets when all want more.
        guarantee: Rate,
        /// What it gets when none else wants anything.
        ceiling: Rate,
        /// Its priority, 0 first.
        priority: u8,
        /// The discipline of its queue, as tc calls it.
        queue: &'static str,
        /// How long the packet itself is on its way at the ceiling.
        takes: Micros,
    },
    /// A tin of CAKE.
    Tin {
        /// The class that it stands for.
        name: String,
        /// What tc calls it.
        tin: String,
    },
    /// Past all classes: it waits for nothing.
    Past,
    /// Not in a queue of ours.
    Unshaped,
}

/// What becomes of a packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Meeting {
    /// Which way it goes.
    pub direction: Direction,
    /// The matches that it is asked for, in their order, to the one that takes it.
    pub asked: Vec<Asked>,
    /// The policer that it passes, while it is within that rate.
    pub police: Option<Policed>,
    /// Where it comes to.
    pub end: End,
    /// Bytes of the IP packet on the line: the outer one where it is wrapped.
    pub length: u64,
    /// Bytes that it is charged.
    pub charged: u64,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// Takes a packet through what a model was lowered to.
#[must_use]
pub fn meet(model: &Model, program: &Program, packet: &Packet) -> Meeting {
    let tunnel = packet.tunnel.and_then(|index| model.tunnels.get(index));
    let decrypted = tunnel.filter(|_| packet.direction == Direction::Down).and_then(Tunnel::decrypted);
    let hidden = packet.family() == Family::Ipv4 && model.lan.nat.value;
    let shown = if hidden { bytes::nobody(Family::Ipv4) } else { packet.local };
    let bytes = match (tunnel, decrypted) {
        (Some(tunnel), None) => packet.wrapped(tunnel),
        (Some(_), Some(_)) => packet.bytes(packet.local),
        (None, _) => packet.bytes(shown),
    };
    let own = if tunnel.is_none() { own_mark(model, packet) } else { 0 };
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let length = length + decrypted.map_or(0, |(_, more)| u64::from(more.value));
    let family = if bytes.first().is_some_and(|first| first >> 4 == 4) { Family::Ipv4 } else { Family::Ipv6 };
    let mut seen = Seen {
        bytes: framed(model, family, bytes),
        family,
        direction: packet.direction,
        mark: if packet.direction == Direction::Up { packet.mark | own } else { 0 },
        connection: packet.mark | own,
        marks: model.marks.as_ref(),
        tunnel: tunnel.map(|tunnel| tunnel.name.as_str()),
        came_by: decrypted.map(|(device, _)| &device.value),
    };
    let mut walk = Walk { program, asked: Vec::new(), police: None, name: String::new() };
    let shaped = model.link.shaped_directions().any(|direction| direction == packet.direction);
    let then = match (packet.direction, decrypted) {
        (Direction::Up, _) => walk.hook(Hook::Egress, &mut seen),
        (Direction::Down, Some(_)) => Then::Root,
        (Direction::Down, None) => walk.hook(Hook::Ingress, &mut seen),
    };
    let then = if then == Then::Root && shaped { walk.root(&seen) } else { then };
    let charged = model.link.wire().bytes(length);
    let mut notes: Vec<String> = told(tunnel, packet, hidden && model.marks.is_some()).into_iter().collect();
    if packet.direction == Direction::Up && tunnel.is_some_and(|tunnel| tunnel.decrypted().is_some()) {
        notes.extend(downwards_alone(&walk.asked, &meet(model, program, &answer(packet))));
    }
    let end = end(model, program, packet.direction, then, &walk.name, charged);
    Meeting {
        direction: packet.direction,
        asked: walk.asked,
        police: walk.police,
        end,
        length,
        charged,
        notes,
    }
}

/// A packet that answers: the other way, with its ends kept.
#[must_use]
pub fn answer(packet: &Packet) -> Packet {
    let direction = packet.direction.other();
    let (sent, dscp) = match direction {
        Direction::Down => (Some(packet.dscp), NONE),
        Direction::Up => (None, packet.sent.unwrap_or(NONE)),
    };
    Packet { direction, sent, dscp, ..packet.clone() }
}

/// The code point of most packets.
const NONE: Dscp = match Dscp::new(0) {
    Some(dscp) => dscp,
    None => panic!("0 is a code point"),
};

/// The bits that nft writes into the mark of the connection.
fn own_mark(model: &Model, packet: &Packet) -> u32 {
    let Some(marks) = &model.marks else { return 0 };
    let address = marks.address.as_ref().filter(|_| packet.family() == Family::Ipv4);
    let address = address.map_or(0, |field| field.of_address(packet.local));
    let mac = marks.mac.as_ref().zip(packet.mac).map_or(0, |(field, mac)| {
        let is = |known: &Known| *known == Known::Mac(mac);
        let identity = field.identities.iter().find(|identity| identity.from.iter().any(is));
        identity.map_or(0, |identity| scatter(identity.number, field.bits.value))
    });
    let sent = match packet.direction {
        Direction::Up => Some(packet.dscp),
        Direction::Down => packet.sent,
    };
    let dscp = marks.dscp.as_ref().zip(sent).map_or(0, |(field, dscp)| field.mark(dscp));
    address | mac | dscp
}

/// The packet as the WAN device carries it.
fn framed(model: &Model, family: Family, bytes: Vec<u8>) -> Vec<u8> {
    if model.link.frames.value != crate::model::Frames::Pppoe {
        return bytes;
    }
    let [high, low] = u16::try_from(bytes.len() + 2).unwrap_or(u16::MAX).to_be_bytes();
    let protocol = if family == Family::Ipv4 { [0x00, 0x21] } else { [0x00, 0x57] };
    // version, type and code of a session's frame, its number, how long it is (RFC 2516, section 4)
    [&[0x11, 0, 0, 1, high, low], &protocol[..], &bytes].concat()
}

fn end(model: &Model, program: &Program, direction: Direction, then: Then, name: &str, charged: u64) -> End {
    let class = match then {
        Then::Unshaped | Then::Root => return End::Unshaped,
        Then::Past => return End::Past,
        Then::Class(class) => class,
    };
    if let Some(cake) = model.cake.get(direction) {
        return tin(cake, class, name);
    }
    let dev = if direction == Direction::Up { Dev::Wan } else { Dev::Ifb };
    let Some(found) = program.classes.iter().find(|own| own.dev == dev && own.id == class) else {
        return End::Past;
    };
    let HtbClass { rate, ceil, prio, .. } = *found;
    let queue = program.qdiscs.iter().find(|qdisc| qdisc.dev == dev && qdisc.parent == Parent::At(class));
    let queue = match queue.map(|qdisc| &qdisc.kind) {
        Some(QdiscKind::FqCodel { .. }) => "fq_codel",
        Some(QdiscKind::Cake { .. }) => "cake",
        _ => "pfifo",
    };
    let name = if name.is_empty() { found.why.name.clone() } else { name.to_owned() };
    End::Class {
        name,
        id: class,
        guarantee: rate,
        ceiling: ceil,
        priority: prio,
        queue,
        takes: ceil.time_for(charged),
    }
}

fn tin(cake: &Cake, handle: Handle, name: &str) -> End {
    let tin = cake.tins.iter().find(|tin| tin.number == handle.minor);
    End::Tin { name: name.to_owned(), tin: tin.map_or_else(String::new, |tin| tin.name.clone()) }
}

/// Why an upload that is encrypted here is not taken by the match that takes its answer, which is decrypted.
fn downwards_alone(asked: &[Asked], answer: &Meeting) -> Option<String> {
    let taker =
        |asked: &[Asked]| asked.iter().rfind(|asked| asked.takes && asked.hook == Hook::Root).cloned();
    let down = taker(&answer.asked)?;
    let same = taker(asked).is_some_and(|up| (&up.what, up.line) == (&down.what, down.line));
    let line = down.line.map(|line| format!(", line {line}")).unwrap_or_default();
    (!same).then(|| {
        format!(
            "class `{}` takes its answer ({}{line}), but not this packet: uploads of the tunnel are encrypted before they are queued, and no match sees inside",
            down.name, down.what
        )
    })
}

/// What the packet alone does not tell.
fn told(tunnel: Option<&Tunnel>, packet: &Packet, by_connection: bool) -> Option<String> {
    if let Some(tunnel) = tunnel {
        let name = &tunnel.name;
        return Some(match (&tunnel.downloads, packet.direction, tunnel.inner.value) {
            (Some(Downloads::Decrypted(_)), Direction::Down, _) => {
                format!(
                    "tunnel `{name}`: it is queued after it was decrypted, and the packet around it passes unqueued"
                )
            }
            (_, _, Inner::Match) => format!("tunnel `{name}`: matches see the packet inside, too"),
            _ => format!("tunnel `{name}`: matches see the packet around it alone"),
        });
    }
    (by_connection && packet.direction == Direction::Down).then(|| {
        "whose it is behind NAT is known from its connection: the first packet of one that begins in the internet is nobody's".to_owned()
    })
}

#[cfg(test)]
#[path = "packet_tests.rs"]
mod tests;
