#![doc = include_str!("../rules/Q0517.md")]

use super::host_outside_lan::are_apart;
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Alternative, Class, Direction, Inner, Model, Shape, Tunnel, TunnelKind};
use crate::units::{Address, Family, PortSet};

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
    let found = found?;
    let OneWay { tunnel, missing, key, named } = found.first()?;
    let (name, loads) = (&tunnel.name, missing.loads());
    let other = missing.other();
    let finding = Diagnostic::new(
        Code::TunnelOneDirection,
        own.span,
        format!("this match never matches {loads} of tunnel {}", ticked(name)),
    );
    let finding = match tunnel.kind {
        TunnelKind::Wireguard => finding.label(format!(
            "{loads} are encrypted before they reach the WAN queue, so `{key}` of the packets inside is not visible"
        )),
        _ => finding.label(format!("matches cannot see inside the tunnel, and no outer packet has such a `{key}`")),
    };
    let finding = finding.also_at((*named != own.span).then_some((*named, "names the tunnel")));
    let finding = match own.tunnels.len() {
        0 | 1 => finding.help(format!(
            "if only {} are meant, write `direction: {}` in this match",
            other.loads(),
            other.as_str()
        )),
        _ => finding.help(format!(
            "if only {} of tunnel {} are meant, write it in a match of its own with `direction: {}`",
            other.loads(),
            ticked(name),
            other.as_str()
        )),
    };
    Some(finding.help(format!(
        "to match all {loads} of the tunnel, write `{{ tunnel: {name}, direction: {} }}` in a class",
        missing.as_str()
    )))
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
    if !asked.tcp.is_empty() && !protocols.contains(&6) {
        return Some("tcp");
    }
    if !asked.protocol.is_empty() && !asked.protocol.iter().any(|own| protocols.contains(&own.0)) {
        return Some("protocol");
    }
    // the tunnel's port is that of the remote endpoint; for VXLAN it is the destination's
    let at_remote = tunnel.kind != TunnelKind::Vxlan || direction == Direction::Up;
    let (key, ports) = match at_remote {
        true => ("remote_port", &asked.remote_port),
        false => ("local_port", &asked.local_port),
    };
    if ports.as_ref().zip(tunnel.port.as_ref()).is_some_and(|(asked, own)| !meet(asked, own)) {
        return Some(key);
    }
    let remote = |far: &Address| tunnel.remote.iter().any(|own| !is_apart(*far, own.value));
    if !asked.remote.is_empty() && !tunnel.remote.is_empty() && !asked.remote.iter().any(remote) {
        return Some("remote");
    }
    let family = |family: Family| tunnel.remote.iter().any(|own| own.value.family() == family);
    if asked.family.is_some_and(|asked| !tunnel.remote.is_empty() && !family(asked)) {
        return Some("family");
    }
    (tunnel.kind == TunnelKind::Wireguard).then(|| of_router(tunnel, asked, model)).flatten()
}

/// Returns a key that the outer packets of a WireGuard tunnel do not match because the router itself sends them.
fn of_router(tunnel: &Tunnel, asked: &Alternative, model: &Model) -> Option<&'static str> {
    let ported = |ports: &Option<PortSet>| {
        ports.as_ref().zip(tunnel.port.as_ref()).is_some_and(|(asked, own)| !meet(asked, own))
    };
    // addresses are read from marks, which the kernel clears
    let marked = |address: &Address| model.lan.nat.value && address.family() == Family::Ipv4;
    if !asked.hosts.is_empty() {
        Some("host")
    } else if !asked.local.is_empty() && asked.local.iter().all(marked) {
        Some("local")
    } else if ported(&asked.local_port) {
        Some("local_port")
    } else if ported(&asked.port) {
        Some("port")
    } else if !asked.dscp.is_empty() && !asked.dscp.iter().any(|own| OF_WIREGUARD.contains(&own.bits())) {
        Some("dscp")
    } else {
        None
    }
}

/// True if some port is in both sets.
fn meet(one: &PortSet, other: &PortSet) -> bool {
    one.ranges().iter().any(|a| other.ranges().iter().any(|b| a.first <= b.last && b.first <= a.last))
}

/// True if no address is in both.
fn is_apart(one: Address, other: Address) -> bool {
    one.family() != other.family() || are_apart(one, other)
}

#[cfg(test)]
#[path = "tunnel_one_direction_tests.rs"]
mod tests;
