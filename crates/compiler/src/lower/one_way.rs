//! Matches of a tunnel that see its packets in one direction only, because they cannot look inside it in the other.

use super::alternative::{Key, keys};
use super::intersect::SelectorIndex;
use super::limits::TooLarge;
use super::match_set::DIRECTIONS_AND_FAMILIES;
use super::prepared::matched;
use super::rule::Conjunction;
use super::selectors::{self, End};
use crate::diag::{Code, Diagnostic, Span, ticked};
use crate::journey::{ENCRYPTED, Place};
use crate::model::{Alternative, Direction, Field, Model, Tunnel, TunnelKind};
use crate::tc::Selector;
use crate::units::{Dscp, Family};

/// Largest number of tunnels, and of combinations with the parents' alternatives, to look at for one match.
const MOST: usize = 64;
/// DSCP of WireGuard's own packets: 0 for data, AF41 for handshakes (`HANDSHAKE_DSCP` in the kernel's
/// `drivers/net/wireguard/messages.h`).
const OF_WIREGUARD: [u8; 2] = [0, 34];

/// Returns a key that no outer packet of a tunnel meets in a direction and family, as far as the file tells.
fn hidden(own: &Tunnel, keys: &[Key], model: &Model, to: Direction, family: Family) -> Option<&'static str> {
    let both = |one: &[Selector], other: &[Selector]| {
        SelectorIndex::new(one, other.len())
            .product(other)
            .unwrap_or_else(|TooLarge| vec![Selector::default()])
    };
    // what the router itself sends has the port and the code points of WireGuard, and only the router's mark
    let by_router = own.kind == TunnelKind::Wireguard && own.device.is_some();
    let ports = own.port.iter().map(|ports| selectors::ports(ports, End::local(to), family));
    let points = OF_WIREGUARD.into_iter().filter_map(Dscp::new).map(|point| selectors::dscp(point, family));
    let facts = ports.chain([points.collect()]).filter(|_| by_router);
    let outer = facts.fold(selectors::tunnel(own, to, family), |all, fact| both(&all, &fact));
    if outer.is_empty() {
        return Some("family");
    }
    let field = model.marks.as_ref().and_then(|marks| marks.address.as_ref());
    let router = field.map_or(0, Field::of_router);
    let is_router = |own: &Selector| own.mark.is_some_and(|mark| mark.value == router);
    let is_met = |(key, list): &&Key| match *key {
        "tunnel" => true,
        // rule Q0504 is about downloads without a DSCP
        "dscp" if list.is_empty() => true,
        "host" if by_router => list.iter().any(is_router),
        "local" if by_router && list.iter().all(|own| own.mark.is_some()) => list.iter().any(is_router),
        _ => !both(&outer, list).is_empty(),
    };
    keys.iter().find(|own| !is_met(own)).map(|(key, _)| *key)
}

/// A tunnel of which a conjunction matches only one direction, the other direction, a key that no packet of that
/// direction meets, and the place of the match that names the tunnel.
type OneWay<'a> = (&'a Tunnel, Direction, &'static str, Span);

/// Returns the finding on `own`, which is in each of `all`; `None` if some conjunction matches both directions or
/// neither.
pub(super) fn finding(own: &Alternative, all: &[Conjunction<'_>], model: &Model) -> Option<Diagnostic> {
    let all = all.iter().take(MOST).map(|all| one_way(&all.parts, model)).collect::<Option<Vec<_>>>()?;
    let (tunnel, missing, key, named) = all.into_iter().next()?;
    let (name, loads, direction) = (ticked(&tunnel.name), missing.loads(), missing.as_str());
    let (others, other) = (missing.other().loads(), missing.other().as_str());
    let label = match tunnel.kind {
        TunnelKind::Wireguard => format!("{ENCRYPTED}, so `{key}` of the packets inside is not visible"),
        _ => format!("matches cannot see inside the tunnel, and no outer packet has such a `{key}`"),
    };
    let message = format!("this match never matches {loads} of tunnel {name}");
    Some(
        Diagnostic::new(Code::TunnelOneDirection, own.span, message)
            .label(label)
            .also_at((named != own.span).then_some((named, "names the tunnel")))
            .help(format!("if only {others} are meant, write `direction: {other}` in a match of this tunnel alone"))
            .help(format!(
                "to match all {loads} of the tunnel, write `{{ tunnel: {}, direction: {direction} }}` in a class",
                tunnel.name
            )),
    )
}

/// Keys of an alternative by direction and family; `None` for the other family than it asks for.
type Asked = [Option<Vec<Key>>; 4];

/// Returns the tunnel of which a conjunction matches only one direction because its inner packets are hidden. Problems
/// of the parent classes are reported there.
fn one_way<'a>(parts: &[&Alternative], model: &'a Model) -> Option<OneWay<'a>> {
    let naming = parts.iter().find(|part| !part.tunnels.is_empty())?;
    if parts.iter().any(|part| part.direction.is_some()) {
        return None;
    }
    let keys_of = |part: &&Alternative| {
        DIRECTIONS_AND_FAMILIES.map(|(direction, family)| {
            let asked = part.family.is_none_or(|only| only == family);
            asked.then(|| keys(part, model, direction, family, Place::Line))
        })
    };
    let all: Vec<Asked> = parts.iter().map(keys_of).collect();
    let named =
        |tunnel: &&usize| parts.iter().all(|part| part.tunnels.is_empty() || part.tunnels.contains(tunnel));
    let tunnels =
        naming.tunnels.iter().filter(named).take(MOST).filter_map(|tunnel| model.tunnels.get(*tunnel));
    tunnels.into_iter().find_map(|tunnel| {
        let blind = |direction, parts: &[Asked]| {
            let is_seen = matched(tunnel) || tunnel.seen_at_device(direction).is_some();
            parts.iter().filter(|_| !is_seen).find_map(|part| in_no_family(tunnel, part, model, direction))
        };
        let (missing, key) = match (blind(Direction::Up, &all), blind(Direction::Down, &all)) {
            (Some(key), None) => (Direction::Up, key),
            (None, Some(key)) => (Direction::Down, key),
            _ => return None,
        };
        let (_, outer) = all.split_last()?;
        let by_parents = !std::ptr::eq(*naming, *parts.last()?) && blind(missing, outer).is_some();
        (!by_parents).then_some((tunnel, missing, key, naming.span))
    })
}

/// Returns a key that no outer packet of a tunnel meets in either family.
fn in_no_family(own: &Tunnel, asked: &Asked, model: &Model, to: Direction) -> Option<&'static str> {
    let all = DIRECTIONS_AND_FAMILIES.into_iter().zip(asked).filter(|((direction, _), _)| *direction == to);
    let key = |((_, family), keys): ((_, Family), &Option<Vec<Key>>)| match keys {
        Some(keys) => hidden(own, keys, model, to, family),
        None => Some("family"),
    };
    let found: Vec<&'static str> = all.map(key).collect::<Option<_>>()?;
    found.iter().find(|key| **key != "family").or(found.first()).copied()
}

#[cfg(test)]
#[path = "one_way_tests.rs"]
mod tests;
