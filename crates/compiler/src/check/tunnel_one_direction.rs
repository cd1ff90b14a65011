#![doc = include_str!("../rules/Q0517.md")]

use super::host_outside_lan::are_apart;
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::journey::may_serve;
use crate::model::{Alternative, Class, Direction, Inner, Model, Shape, Tunnel, TunnelKind};
use crate::units::{Address, Dscp, PortRange, PortSet};

/// Largest number of combinations with the parents' alternatives to look at for one match.
const MOST: usize = 64;
/// DSCP of WireGuard's own packets: 0 for data, AF41 for handshakes (`HANDSHAKE_DSCP` in the kernel's
/// `drivers/net/wireguard/messages.h`).
const OF_WIREGUARD: [u8; 2] = [0, 34];

/// Conjunction: alternatives that must all match, those of the parent classes from the outermost inwards, then the own
/// one.
type Conjunction<'a> = Vec<&'a Alternative>;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    walk(&model.classes, &[Vec::new()], model, sink);
}

fn walk<'a>(classes: &'a [Class], outer: &[Conjunction<'a>], model: &Model, sink: &mut Sink) {
    for class in classes {
        let mut inner: Vec<Conjunction<'a>> = Vec::new();
        for own in class.matches.iter().flatten() {
            let all = outer.iter().map(|outer| outer.iter().copied().chain([own]).collect());
            let all: Vec<Conjunction<'a>> = all.take(MOST).collect();
            sink.extend(finding(own, &all, model));
            inner.extend(all);
        }
        if let Shape::Inner(children) = &class.shape {
            inner.truncate(MOST);
            let outer = if class.matches.is_some() { &inner } else { outer };
            walk(children, outer, model, sink);
        }
    }
}

/// A tunnel of which a conjunction matches only one direction.
struct OneWay<'a> {
    tunnel: &'a Tunnel,
    /// Direction without matching packets.
    missing: Direction,
    /// Key that no packet of that direction matches.
    key: &'static str,
    /// Place of the match that names the tunnel.
    named: Span,
}

/// Returns the finding on `own`, which is in each of `all`; `None` if some conjunction matches both directions or
/// neither.
fn finding(own: &Alternative, all: &[Conjunction<'_>], model: &Model) -> Option<Diagnostic> {
    let found: Option<Vec<OneWay<'_>>> = all.iter().map(|parts| one_way(parts, model)).collect();
    let OneWay { tunnel, missing, key, named } = found?.into_iter().next()?;
    let (name, loads, direction) = (ticked(&tunnel.name), missing.loads(), missing.as_str());
    let (others, other) = (missing.other().loads(), missing.other().as_str());
    let label = match tunnel.kind {
        TunnelKind::Wireguard => format!(
            "{loads} are encrypted before they reach the WAN queue, so `{key}` of the packets inside is not visible"
        ),
        _ => format!("matches cannot see inside the tunnel, and no outer packet has such a `{key}`"),
    };
    let only = match own.tunnels.len() {
        0 | 1 => format!("if only {others} are meant, write `direction: {other}` in this match"),
        _ => format!(
            "if only {others} of tunnel {name} are meant, write it in a match of its own with `direction: {other}`"
        ),
    };
    let message = format!("this match never matches {loads} of tunnel {name}");
    Some(
        Diagnostic::new(Code::TunnelOneDirection, own.span, message)
            .label(label)
            .also_at((named != own.span).then_some((named, "names the tunnel")))
            .help(only)
            .help(format!(
                "to match all {loads} of the tunnel, write `{{ tunnel: {}, direction: {direction} }}` in a class",
                tunnel.name
            )),
    )
}

/// Returns the tunnel of which a conjunction matches only one direction because its inner packets are hidden. Problems
/// of the parent classes are reported there.
fn one_way<'a>(parts: &[&Alternative], model: &'a Model) -> Option<OneWay<'a>> {
    let (_, outer) = parts.split_last()?;
    if parts.iter().any(|part| part.direction.is_some()) {
        return None;
    }
    let naming = parts.iter().find(|part| !part.tunnels.is_empty())?;
    let common =
        |tunnel: &&usize| parts.iter().all(|part| part.tunnels.is_empty() || part.tunnels.contains(tunnel));
    naming.tunnels.iter().filter(common).filter_map(|tunnel| model.tunnels.get(*tunnel)).find_map(|tunnel| {
        let blind = |direction, parts: &[&Alternative]| {
            let mut keys = parts.iter().filter_map(|part| hidden(tunnel, part, direction, model));
            if is_inside_seen(tunnel, direction) { None } else { keys.next() }
        };
        let (missing, key) = match (blind(Direction::Up, parts), blind(Direction::Down, parts)) {
            (Some(key), None) => (Direction::Up, key),
            (None, Some(key)) => (Direction::Down, key),
            _ => return None,
        };
        let by_parents = outer.iter().any(|part| !part.tunnels.is_empty()) && blind(missing, outer).is_some();
        (!by_parents).then_some(OneWay { tunnel, missing, key, named: naming.span })
    })
}

/// True if matches see the inner packets of a tunnel.
fn is_inside_seen(tunnel: &Tunnel, direction: Direction) -> bool {
    tunnel.inner.value == Inner::Match || direction == Direction::Down && tunnel.decrypted().is_some()
}

/// Returns a key that no outer packet of the tunnel matches in a direction; `None` if some packet may match.
fn hidden(tunnel: &Tunnel, asked: &Alternative, direction: Direction, model: &Model) -> Option<&'static str> {
    let protocols: &[u8] = match tunnel.kind {
        TunnelKind::Wireguard | TunnelKind::Vxlan => &[17],
        TunnelKind::Openvpn => &[6, 17],
        TunnelKind::L2tp => &[17, 115],
        TunnelKind::Ipip => &[4],
        TunnelKind::Sit => &[41],
        TunnelKind::Gre => &[47],
        // or after an option of IPv6
        TunnelKind::Ip6tnl => &[4, 41, 60],
        TunnelKind::Ip6gre => &[47, 60],
        TunnelKind::Other => return None,
    };
    // if the router is no server, the tunnel's port is that of the remote endpoint; for VXLAN it is the destination's
    let at_remote = tunnel.kind != TunnelKind::Vxlan || direction == Direction::Up;
    let (port_key, ports) = match at_remote {
        true => ("remote_port", &asked.remote_port),
        false => ("local_port", &asked.local_port),
    };
    let far = || tunnel.remote.iter().map(|own| own.value);
    let is_remote = |asked: &Address| far().any(|own| !is_apart(*asked, own));
    let is_known = !tunnel.remote.is_empty();
    // what the router itself sends: addresses are read from marks, which the kernel clears
    let by_router = tunnel.kind == TunnelKind::Wireguard;
    let marked = |address: &Address| model.lan.translates(address.family());
    let dscp = |own: &Dscp| OF_WIREGUARD.contains(&own.bits());
    let hidden = [
        ("tcp", !asked.tcp.is_empty() && !protocols.contains(&6)),
        ("protocol", none(&asked.protocol, |own| protocols.contains(&own.0))),
        (port_key, !may_serve(tunnel) && has_other_ports(tunnel, ports)),
        ("remote", is_known && none(&asked.remote, is_remote)),
        ("family", is_known && asked.family.is_some_and(|only| far().all(|own| own.family() != only))),
        ("host", by_router && !asked.hosts.is_empty()),
        ("local", by_router && none(&asked.local, |own| !marked(own))),
        ("local_port", by_router && has_other_ports(tunnel, &asked.local_port)),
        ("port", by_router && has_other_ports(tunnel, &asked.port)),
        ("dscp", by_router && none(&asked.dscp, dscp)),
    ];
    hidden.into_iter().find(|(_, is_hidden)| *is_hidden).map(|(key, _)| key)
}

/// True if a key has values, and none of them is met.
fn none<T>(values: &[T], is_met: impl Fn(&T) -> bool) -> bool {
    !values.is_empty() && !values.iter().any(is_met)
}

/// True if ports are asked for, and the tunnel has none of them.
fn has_other_ports(tunnel: &Tunnel, asked: &Option<PortSet>) -> bool {
    let meet = |a: &PortRange, b: &PortRange| a.first <= b.last && b.first <= a.last;
    asked.as_ref().zip(tunnel.port.as_ref()).is_some_and(|(asked, own)| {
        !asked.ranges().iter().any(|one| own.ranges().iter().any(|other| meet(one, other)))
    })
}

/// True if no address is in both.
fn is_apart(one: Address, other: Address) -> bool {
    one.family() != other.family() || are_apart(one, other)
}

#[cfg(test)]
#[path = "tunnel_one_direction_tests.rs"]
mod tests;
