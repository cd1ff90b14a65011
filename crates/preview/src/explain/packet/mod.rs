//! Path of one packet: the matches it is compared with, its class and queue, and the bytes it is charged.
//!
//! The packet is made byte for byte and taken through the filters of the script, as in the kernel. So the result shows
//! the kernel's behaviour, even if a match was meant differently.

mod bytes;
mod differs;
mod human;
mod lists;
mod seen;
mod text;
mod types;

pub use human::human;
pub use types::{Asked, Packet, Policed};

use lists::{Then, Walk};
use qosc_compiler::diag::ticked;
use qosc_compiler::journey::{ENCRYPTED, Known, Place, View};
use qosc_compiler::model::{
    self, Cake, Diffserv, Direction, Downloads, Exceed, Inner, Model, Tunnel, TunnelKind, scatter,
};
use qosc_compiler::tc::{Dev, Handle, Hook, HtbClass, Parent, Program, QdiscKind, ROOT};
use qosc_compiler::units::{Address, Dscp, Family, Micros, Rate, is_group};
use seen::Seen;
use serde::Serialize;
use std::net::IpAddr;

/// Destination of a packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// An HTB class and its queue.
    Class {
        /// Name of the class.
        name: String,
        /// Id in the kernel, as tc writes it.
        #[schemars(with = "String")]
        id: Handle,
        /// Rate that the class gets even if all classes want more, as text with its unit.
        #[schemars(with = "String")]
        guarantee: Rate,
        /// Rate that the class gets if no other class sends, as text with its unit.
        #[schemars(with = "String")]
        ceiling: Rate,
        /// Priority; 0 is served first.
        priority: u8,
        /// Kind of the leaf qdisc, as tc calls it.
        queue: &'static str,
        /// Serialization delay of the packet at the ceiling.
        #[schemars(with = "String")]
        takes: Micros,
    },
    /// A tin of CAKE.
    Tin {
        /// Class that the tin stands for.
        name: String,
        /// Name of the tin in tc.
        tin: String,
    },
    /// No class: the packet is sent without queueing.
    Past,
    /// No queue of ours.
    Unshaped,
}

/// Result for one packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Meeting {
    /// Direction of the packet.
    pub direction: Direction,
    /// Matches in the order of comparison, up to the one that matches.
    pub asked: Vec<Asked>,
    /// Policer that the packet passes while its rate is kept.
    pub police: Option<Policed>,
    /// Policer of all downloads, if the packet passes it after `police`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<Policed>,
    /// Destination of the packet.
    pub end: End,
    /// Bytes of the IP packet on the line; in a tunnel, of the outer packet.
    pub length: u64,
    /// Bytes that the class is charged for the packet.
    pub charged: u64,
    /// What the WAN device shows, if this is another packet, and how its host is known there.
    pub shown: Option<String>,
    /// Further remarks for people.
    pub notes: Vec<String>,
    /// True if the packet travels in a tunnel, and matches see only the outer packet.
    #[serde(skip)]
    is_outer: bool,
}

/// Takes a packet through the program of a model.
#[must_use]
pub fn meet(model: &Model, program: &Program, packet: &Packet) -> Meeting {
    let mut meeting = follow(model, program, packet, true);
    if packet.from_outside && packet.direction == Direction::Down {
        let first = follow(model, program, packet, false);
        if first.end != meeting.end {
            let name = match &first.end {
                End::Class { name, .. } | End::Tin { name, .. } => name.as_str(),
                End::Past | End::Unshaped => "",
            };
            meeting.notes.push(format!(
                "the first packet of the connection goes to class {}: no answer has marked it yet",
                ticked(name)
            ));
        }
    }
    meeting
}

/// Takes a packet through the program. If it is not `known`, its connection has no mark yet.
fn follow(model: &Model, program: &Program, packet: &Packet, known: bool) -> Meeting {
    let tunnel = packet.tunnel.and_then(|index| model.tunnels.get(index));
    let decrypted = tunnel.and_then(|tunnel| tunnel.seen_at_device(packet.direction));
    let device = packet.device.and_then(|index| model.link.devices.get(index));
    let device = device.filter(|_| packet.direction == Direction::Down).map(|own| &own.device.value);
    let place = match (tunnel, device) {
        (Some(tunnel), _) => Place::Inside { nat: tunnel.nat.value },
        (None, Some(_)) => Place::Device,
        (None, None) => Place::Line,
    };
    let view = View::at(place, model, packet.family(), packet.direction);
    let group = is_group(packet.local);
    let hidden = !group && view.address == Known::Marked;
    let shown = packet.shown(hidden);
    let bytes = match (tunnel, decrypted) {
        (Some(tunnel), None) => shown.wrapped(tunnel),
        (Some(_), Some(_)) | (None, _) => shown.bytes(),
    };
    let wrapped = tunnel.filter(|_| decrypted.is_none());
    let inside = wrapped.filter(|tunnel| tunnel.inner.value == Inner::Match);
    let inside = inside.and_then(|_| u16::try_from(bytes.len() - shown.bytes().len()).ok());
    let inside = inside.map(|before| (before, packet.family()));
    let encrypted = wrapped.is_some_and(|tunnel| tunnel.kind == TunnelKind::Wireguard);
    let own = match wrapped {
        _ if !known => 0,
        // The router sends what is around the packet.
        Some(tunnel) if !tunnel.is_matched_behind_nat() => of_router(model),
        _ if encrypted || group || view.mac != Known::Marked => 0,
        _ => own_mark(model, packet),
    };
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let length = length + decrypted.map_or(0, |(_, more)| u64::from(more.value));
    let family = if bytes.first().is_some_and(|first| first >> 4 == 4) { Family::Ipv4 } else { Family::Ipv6 };
    let mut seen = Seen {
        bytes: framed(model, family, bytes),
        family,
        direction: packet.direction,
        mark: match packet.direction {
            Direction::Up => own | if encrypted { 0 } else { packet.mark },
            Direction::Down => 0,
        },
        connection: packet.mark | own,
        marks: model.marks.as_ref(),
        inside,
        tunnel: tunnel.map(|tunnel| tunnel.name.as_str()),
        came_by: decrypted.map(|(device, _)| &device.value).or(device),
    };
    let mut walk = Walk { program, asked: Vec::new(), police: None, cap: None, name: String::new() };
    let shaped = model.link.shaped_directions().any(|direction| direction == packet.direction);
    let then = match (packet.direction, decrypted) {
        _ if packet.device.is_some() && packet.direction == Direction::Up => Then::Unshaped,
        _ if device.is_some() => Then::Root,
        (Direction::Up, Some(_)) => Then::Root,
        (Direction::Up, None) => walk.hook(Hook::Egress, &mut seen),
        (Direction::Down, Some((device, _))) => {
            let at = program.decrypted.iter().find(|tunnel| tunnel.device == device.value);
            at.into_iter().for_each(|tunnel| seen.restore(&tunnel.restored));
            Then::Root
        }
        (Direction::Down, None) => walk.hook(Hook::Ingress, &mut seen),
    };
    let then = match model.cake.get(packet.direction) {
        // a CAKE with one tin has no filters
        Some(cake) if then == Then::Root && cake.diffserv.value == Diffserv::Besteffort => {
            Then::Class(Handle { major: ROOT, minor: 1 })
        }
        _ if then == Then::Root && shaped => walk.root(&seen),
        _ => then,
    };
    let charged = model.link.wire().bytes(length);
    let mut notes: Vec<String> =
        unseen(tunnel, packet, hidden && model.marks.is_some() && !packet.from_outside).into_iter().collect();
    notes.extend(swapped(model, packet));
    if packet.direction == Direction::Up && encrypted && tunnel.and_then(Tunnel::decrypted).is_some() {
        notes.extend(downwards_alone(&walk.asked, &meet(model, program, &answer(packet))));
    }
    let end = end(model, program, packet.direction, then, &walk.name, charged);
    Meeting {
        direction: packet.direction,
        asked: walk.asked,
        police: walk.police.map(|police| Policed { class: beyond(model, &police.name), ..police }),
        cap: walk.cap,
        end,
        length,
        charged,
        shown: (tunnel.is_none() && (hidden || packet.forwarded.is_some()))
            .then(|| sight(model, &shown, own)),
        notes,
        is_outer: wrapped.is_some() && inside.is_none(),
    }
}

/// Returns what the WAN device shows of a packet whose address in the house is hidden, and what its mark tells.
fn sight(model: &Model, shown: &Packet, own: u32) -> String {
    let end = |address: IpAddr, port: u16| {
        let address = match address {
            _ if address.is_unspecified() => "ROUTER".to_owned(),
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        if shown.protocol.has_ports() { format!("{address}:{port}") } else { address }
    };
    let (local, remote) = (end(shown.local, shown.local_port), end(shown.remote, shown.remote_port));
    let (from, to) = shown.ordered(local, remote);
    let by = match own {
        _ if !shown.local.is_unspecified() || model.marks.is_none() => String::new(),
        0 => "; nothing there tells its host".to_owned(),
        own => format!("; the mark {own:#010x} tells its host"),
    };
    format!("{} shows {} {from} > {to}{by}", model.link.device.value, shown.protocol)
}

/// Returns a hint if only the far end of a packet is in a network of the house.
fn swapped(model: &Model, packet: &Packet) -> Option<String> {
    let has = |address: IpAddr| {
        let single = match address {
            IpAddr::V4(address) => Address::V4(address.into()),
            IpAddr::V6(address) => Address::V6(address.into()),
        };
        model.lan.listed().iter().any(|network| network.value.common(single).is_some())
    };
    (packet.tunnel.is_none() && has(packet.remote) && !has(packet.local)).then(|| {
        let (near, far) = packet.ordered("first", "second");
        let other = packet.direction.other().as_str();
        format!("the {near} address is outside `networks` of `lan` and the {far} inside: write `{other}` if they are right")
    })
}

/// Returns the class for packets above the rate of a policer.
fn beyond(model: &Model, police: &str) -> Option<String> {
    let Exceed::Reclassify(id) = model.police.iter().find(|own| own.name == police)?.exceed else {
        return None;
    };
    model.leaves().into_iter().find(|class| class.id.value == id).map(|class| class.name.clone())
}

/// Returns the packet's answer: the other direction with the same endpoints.
#[must_use]
pub fn answer(packet: &Packet) -> Packet {
    let direction = packet.direction.other();
    let (sent, dscp) = match direction {
        Direction::Down => (Some(packet.dscp), NONE),
        Direction::Up => (None, packet.sent.unwrap_or(NONE)),
    };
    Packet { direction, sent, dscp, ..packet.clone() }
}

/// Default code point, which most packets have.
const NONE: Dscp = match Dscp::new(0) {
    Some(dscp) => dscp,
    None => panic!("0 is a code point"),
};

/// Returns the bits of what the router itself sends.
fn of_router(model: &Model) -> u32 {
    model.marks.as_ref().and_then(|marks| marks.address.as_ref()).map_or(0, model::Field::of_router)
}

/// Returns our bits that nft writes into the connection's mark.
fn own_mark(model: &Model, packet: &Packet) -> u32 {
    let Some(marks) = &model.marks else { return 0 };
    let address = marks.address.as_ref().map_or(0, |field| match of_router(model) {
        own if packet.by_router && own != 0 => own,
        _ => field.of_address(packet.local),
    });
    let mac = marks.mac.as_ref().zip(packet.mac).map_or(0, |(field, mac)| {
        let is = |seen: &model::Seen| *seen == model::Seen::Mac(mac);
        let identity = field.identities.iter().find(|identity| identity.from.iter().any(is));
        identity.map_or(0, |identity| scatter(identity.number, field.bits.value))
    });
    let sent = match packet.direction {
        Direction::Up => Some(packet.dscp),
        Direction::Down => packet.sent,
    };
    let port = marks.port.as_ref().filter(|_| packet.protocol.has_ports());
    let port = port.map_or(0, |field| field.of_port(packet.local_port));
    let dscp = marks.dscp.as_ref().zip(sent).map_or(0, |(field, dscp)| field.mark(dscp));
    address | mac | port | dscp
}

/// Returns the packet's bytes as the WAN device carries them: in a PPPoE frame if `frames` says so.
fn framed(model: &Model, family: Family, bytes: Vec<u8>) -> Vec<u8> {
    if model.link.frames.value != model::Frames::Pppoe {
        return bytes;
    }
    let [high, low] = u16::try_from(bytes.len() + 2).unwrap_or(u16::MAX).to_be_bytes();
    let protocol = if family == Family::Ipv4 { [0x00, 0x21] } else { [0x00, 0x57] };
    // version, type and code of a session's frame, session id, length (RFC 2516, section 4)
    [&[0x11, 0, 0, 1, high, low], &protocol[..], &bytes].concat()
}

fn end(model: &Model, program: &Program, direction: Direction, then: Then, name: &str, charged: u64) -> End {
    let class = match then {
        Then::Unshaped | Then::Root => return End::Unshaped,
        Then::Past => return End::Past,
        Then::Class(class) => class,
    };
    if let Some(cake) = model.cake.get(direction) {
        let default = model.default_leaf().map_or("", |class| &class.name);
        return tin(cake, class, if name.is_empty() { default } else { name });
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

/// Note for an upload that is encrypted on this router: the match that takes its decrypted answer cannot see inside it.
fn downwards_alone(asked: &[Asked], answer: &Meeting) -> Option<String> {
    let taker =
        |asked: &[Asked]| asked.iter().rfind(|asked| asked.takes && asked.hook == Hook::Root).cloned();
    let down = taker(&answer.asked)?;
    let same = taker(asked).is_some_and(|up| (&up.what, up.line) == (&down.what, down.line));
    let line = down.line.map(|line| format!(", line {line}")).unwrap_or_default();
    (!same).then(|| {
        format!(
            "class `{}` matches its answer ({}{line}), but not this packet: {ENCRYPTED}, so no match can read them",
            down.name, down.what
        )
    })
}

/// Note on facts that the packet alone does not show.
fn unseen(tunnel: Option<&Tunnel>, packet: &Packet, by_connection: bool) -> Option<String> {
    if let Some(tunnel) = tunnel {
        let name = &tunnel.name;
        return Some(match (&tunnel.downloads, packet.direction, tunnel.inner.value) {
            (Some(Downloads::Decrypted(_)), Direction::Down, _) => {
                format!(
                    "tunnel `{name}`: the packet is queued behind the tunnel's device, and the outer packet passes unqueued"
                )
            }
            (_, Direction::Up, _) if tunnel.queued_before_encryption().is_some() => {
                format!(
                    "tunnel `{name}`: the packet is queued before it is encrypted, and the outer packet passes unqueued"
                )
            }
            (_, Direction::Up, _) if tunnel.kind == TunnelKind::Wireguard => {
                format!("tunnel `{name}`: matches read only the outer packet")
            }
            _ if tunnel.is_matched_behind_nat() => {
                format!(
                    "tunnel `{name}`: matches read the inner packet as well, and know its host by the connection"
                )
            }
            (_, _, Inner::Match) => format!("tunnel `{name}`: matches read the inner packet as well"),
            _ => format!("tunnel `{name}`: matches read only the outer packet"),
        });
    }
    (by_connection && packet.direction == Direction::Down).then(|| {
        "behind NAT, the host of a download follows from its connection: the first packet of a connection from the internet belongs to no host".to_owned()
    })
}

#[cfg(test)]
#[path = "packet_tests.rs"]
mod tests;
