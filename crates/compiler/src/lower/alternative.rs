//! Converts one alternative of a match into selectors, by direction and family.

use super::identity::HostIdentity;
use super::inside;
use super::intersect::SelectorIndex;
use super::limits::{COMPARED, MOST, TooLarge};
use super::match_set::{DIRECTIONS_AND_FAMILIES, MatchSet, Needed};
use super::prepared::{Prepared, can_carry, matched};
use super::selectors::{self, End};
use crate::journey::{Known, NOT_RESTORED, Place, UNTRUSTED_DSCP, View};
use crate::model::{Alternative, Direction, LinkDevice, Model};
use crate::tc::Selector;
use crate::units::{Address, Family, IfName, PortSet, Protocol};
use std::collections::BTreeSet;

impl MatchSet {
    /// Returns the match set of `alternative` without counting comparisons.
    fn of(alternative: &Alternative, prepared: &Prepared<'_>) -> Result<MatchSet, TooLarge> {
        let mut match_set = MatchSet::default();
        for ((direction, family), slot) in DIRECTIONS_AND_FAMILIES.into_iter().zip(&mut match_set.0) {
            let taken = one_direction(alternative, prepared, direction, family);
            // The search for too many combinations ends after as many.
            prepared.add_steps(taken.as_ref().map_or(MOST, Vec::len));
            *slot = taken?;
        }
        Ok(match_set)
    }

    /// Returns the match set of `alternative`; long lists use hash tables.
    pub(super) fn looked_up(
        alternative: &Alternative,
        prepared: &Prepared<'_>,
    ) -> Result<MatchSet, TooLarge> {
        let match_set = MatchSet::of(alternative, prepared)?;
        Needed::default().add(&match_set)?;
        Ok(match_set)
    }

    /// Returns the match set of `alternative`; every selector is a filter of its own.
    pub(super) fn one_by_one(
        alternative: &Alternative,
        prepared: &Prepared<'_>,
    ) -> Result<MatchSet, TooLarge> {
        let match_set = MatchSet::of(alternative, prepared)?;
        if match_set.0.iter().any(|taken| taken.len() > COMPARED) { Err(TooLarge) } else { Ok(match_set) }
    }
}

/// A key with a condition, and the selectors that satisfy it. An empty list means that no packet can.
pub(super) type Key = (&'static str, Vec<Selector>);

/// Returns the reasons why an alternative matches nothing in `direction`, or in any direction. Each reason occurs once.
pub(super) fn obstacles(
    alternative: &Alternative,
    prepared: &Prepared<'_>,
    direction: Option<Direction>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (one, family) in DIRECTIONS_AND_FAMILIES {
        let asked = direction.or(alternative.direction).is_none_or(|only| only == one);
        if asked && alternative.family.is_none_or(|only| only == family) {
            let obstacle = obstacle(alternative, prepared, one, family);
            if !found.contains(&obstacle) {
                found.push(obstacle);
            }
        }
    }
    found
}

fn obstacle(
    alternative: &Alternative,
    prepared: &Prepared<'_>,
    direction: Direction,
    family: Family,
) -> String {
    let name = match family {
        Family::Ipv4 => "IPv4",
        Family::Ipv6 => "IPv6",
    };
    if alternative.direction.is_some_and(|only| only != direction) {
        return "it is for the other direction".to_owned();
    }
    if !alternative.devices.is_empty() && direction == Direction::Up {
        return "only downloads are matched by their `device`".to_owned();
    }
    if !alternative.devices.is_empty() && !alternative.tunnels.is_empty() {
        return "packets of its `tunnel` come by another device".to_owned();
    }
    // for a tunnel whose inner packets are matched, the other keys apply to the inner packet
    let named = !alternative.tunnels.is_empty() && !inside::entered(alternative, prepared).is_empty();
    let place = match named {
        true => Place::Inside { nat: false },
        false if alternative.devices.is_empty() => Place::Line,
        false => Place::Device,
    };
    if named && !inside::carries(alternative, prepared, family) {
        return format!("its tunnel carries no {name}");
    }
    let keys = keys(alternative, prepared.model, direction, family, place);
    match keys.iter().find(|(_, selectors)| selectors.is_empty()).map(|(key, _)| *key) {
        Some("dscp") => UNTRUSTED_DSCP.to_owned(),
        Some("mark") => NOT_RESTORED.to_owned(),
        Some("protocol") => format!("{name} has none of its protocols"),
        Some("length") if !alternative.tcp.is_empty() => format!("no {name} packet with TCP is that short"),
        Some("length") => format!("no {name} packet is that short"),
        Some("tunnel") => format!("the outer packets of its tunnel are not {name}"),
        Some(key) => format!("its `{key}` has no {name} address"),
        None if !named && !alternative.tunnels.is_empty() && inside::asks(alternative) => {
            "packets inside its tunnel cannot be matched, so its keys ask the outer packets, and contradict each other"
                .to_owned()
        }
        None => "its keys contradict each other".to_owned(),
    }
}

fn one_direction(
    alternative: &Alternative,
    prepared: &Prepared<'_>,
    direction: Direction,
    family: Family,
) -> Result<Vec<Selector>, TooLarge> {
    if alternative.direction.is_some_and(|only| only != direction) {
        return Ok(Vec::new());
    }
    if !alternative.devices.is_empty() {
        return by_devices(alternative, prepared.model, direction, family);
    }
    let mut taken = held(alternative, prepared.model, direction, family, Place::Line)?;
    let plain = taken.len();
    let tunnels = inside::entered(alternative, prepared);
    // The selectors of inner packets are the same for all tunnels, and for all at whose devices addresses are translated.
    let carried = |inner, nat| match !prepared.is_carried(family, inner)
        || tunnels.iter().all(|tunnel| tunnel.nat.value != nat)
    {
        true => Ok(Vec::new()),
        false => held(alternative, prepared.model, direction, inner, Place::Inside { nat }),
    };
    let selectors = [false, true].map(|nat| (carried(Family::Ipv4, nat), carried(Family::Ipv6, nat)));
    let has_some =
        |inner: &Result<Vec<Selector>, TooLarge>| inner.as_ref().map_or(true, |all| !all.is_empty());
    for tunnel in tunnels.iter() {
        let [shown, translated] = &selectors;
        let (v4, v6) = if tunnel.nat.value { translated } else { shown };
        let (has_v4, has_v6) = (has_some(v4), has_some(v6));
        let can_carry = |inner| can_carry(tunnel, family, inner);
        if !(has_v4 && can_carry(Family::Ipv4) || has_v6 && can_carry(Family::Ipv6)) {
            continue;
        }
        for wrap in inside::wraps(tunnel, direction, family) {
            let inner = match wrap.inner {
                Family::Ipv4 => v4,
                Family::Ipv6 => v6,
            };
            let inner = inner.as_ref().map_err(|error| *error)?;
            prepared.add_steps(1 + inner.len());
            if prepared.is_over() {
                return Ok(Vec::new());
            }
            taken.extend(inner.iter().filter_map(|selector| wrap.around(selector)));
            // hash tables cannot look at packets inside tunnels
            if taken.len() > MOST || taken.len() - plain > COMPARED {
                return Err(TooLarge);
            }
        }
    }
    taken.extend(decrypted(alternative, prepared, direction, family)?);
    Ok(taken)
}

/// Returns selectors for downloads by the devices that an alternative names. Their packets show the address of the host:
/// marks and NAT belong to the WAN device.
fn by_devices(
    alternative: &Alternative,
    model: &Model,
    direction: Direction,
    family: Family,
) -> Result<Vec<Selector>, TooLarge> {
    if direction == Direction::Up || !alternative.tunnels.is_empty() {
        return Ok(Vec::new());
    }
    let shown = held(alternative, model, direction, family, Place::Device)?;
    let devices = alternative.devices.iter().filter_map(|index| model.link.devices.get(*index));
    let by = |own: &LinkDevice| {
        let came_by = Some(own.device.value.clone());
        shown.iter().map(move |selector| Selector { came_by: came_by.clone(), ..selector.clone() })
    };
    let taken: Vec<Selector> = devices.flat_map(by).collect();
    if taken.len() > MOST { Err(TooLarge) } else { Ok(taken) }
}

/// Returns selectors for packets of tunnels that are queued at the tunnel's device. An alternative without a
/// tunnel needs none, because its other selectors also match these packets. The exception is a match that needs a mark
/// to recognize the host: inside a tunnel, only NAT at the tunnel's device hides it.
fn decrypted(
    alternative: &Alternative,
    prepared: &Prepared<'_>,
    direction: Direction,
    family: Family,
) -> Result<Vec<Selector>, TooLarge> {
    let mut taken = Vec::new();
    if prepared.decrypted.get(direction).is_empty() {
        return Ok(taken);
    }
    let held = |place| held(alternative, prepared.model, direction, family, place);
    let devices = decrypted_devices(alternative, prepared, direction);
    for nat in [false, true] {
        let mut devices = devices.iter().filter(|(_, own)| *own == nat).map(|(device, _)| *device).peekable();
        if devices.peek().is_none() {
            continue;
        }
        let inside = held(Place::Inside { nat })?;
        if inside.is_empty() || alternative.tunnels.is_empty() && inside == held(Place::Line)? {
            continue;
        }
        for device in devices {
            let came_by = |own: &Selector| Selector { came_by: Some(device.clone()), ..own.clone() };
            taken.extend(inside.iter().map(came_by));
            prepared.add_steps(inside.len());
            if taken.len() > MOST {
                return Err(TooLarge);
            }
        }
    }
    Ok(taken)
}

/// Returns the devices of the tunnels with packets queued there that an alternative names, or of all if it names none. They have the order of the file. `true` stands for a device at which addresses are translated.
fn decrypted_devices<'t>(
    alternative: &Alternative,
    prepared: &'t Prepared<'_>,
    direction: Direction,
) -> Vec<(&'t IfName, bool)> {
    let decrypted = prepared.decrypted.get(direction);
    if alternative.tunnels.is_empty() {
        return decrypted.iter().map(|(_, device, nat)| (*device, *nat)).collect();
    }
    let named: BTreeSet<usize> = alternative.tunnels.iter().copied().collect();
    let at = |index: usize| {
        let place = decrypted.binary_search_by_key(&index, |(own, ..)| *own).ok()?;
        decrypted.get(place).map(|(_, device, nat)| (*device, *nat))
    };
    named.into_iter().filter_map(at).collect()
}

/// Returns selectors for the packets of `family` that satisfy all keys.
fn held(
    alternative: &Alternative,
    model: &Model,
    direction: Direction,
    family: Family,
    place: Place,
) -> Result<Vec<Selector>, TooLarge> {
    if alternative.family.is_some_and(|only| only != family) {
        return Ok(Vec::new());
    }
    let keys = keys(alternative, model, direction, family, place);
    if keys.iter().any(|(_, selectors)| selectors.is_empty()) {
        return Ok(Vec::new());
    }
    keys.iter().try_fold(vec![Selector::default()], |all, (_, selectors)| {
        SelectorIndex::new(&all, selectors.len()).product(selectors)
    })
}

pub(super) fn keys(
    alternative: &Alternative,
    model: &Model,
    direction: Direction,
    family: Family,
    place: Place,
) -> Vec<Key> {
    let (local, remote) = (End::local(direction), End::remote(direction));
    let at = |end: End, list: &[Address]| -> Vec<Selector> {
        list.iter().filter_map(|address| selectors::address(*address, end, family)).collect()
    };
    let view = View::at(place, model, family, direction);
    let shown = HostIdentity::new(model, view);
    let mut keys: Vec<Key> = Vec::new();
    if !alternative.hosts.is_empty() {
        keys.push(("host", shown.hosts(&alternative.hosts, |list| at(local, list))));
    }
    if !alternative.local.is_empty() {
        keys.push(("local", shown.local(&alternative.local, |list| at(local, list))));
    }
    if !alternative.remote.is_empty() {
        keys.push(("remote", at(remote, &alternative.remote)));
    }
    if !alternative.tunnels.is_empty() && place == Place::Line {
        // where inner packets are matched, the other keys apply only to the inner packet
        let tunnels = alternative.tunnels.iter().filter_map(|tunnel| model.tunnels.get(*tunnel));
        let whole = tunnels.filter(|tunnel| !matched(tunnel) || !inside::asks(alternative));
        let outer = whole.flat_map(|tunnel| selectors::tunnel(tunnel, direction, family));
        keys.push(("tunnel", outer.collect()));
    }
    if !alternative.protocol.is_empty() {
        let ported = [&alternative.local_port, &alternative.remote_port, &alternative.port];
        let ported = ported.into_iter().any(Option::is_some);
        let kept = alternative.protocol.iter().filter(|protocol| !ported || protocol.has_ports());
        let kept = kept.filter_map(|protocol: &Protocol| selectors::protocol(*protocol, family));
        keys.push(("protocol", kept.collect()));
    }
    if !alternative.dscp.is_empty() {
        let points = alternative.dscp.iter();
        keys.push((
            "dscp",
            match view.dscp {
                Known::Shown => points.map(|point| selectors::dscp(*point, family)).collect(),
                Known::Marked | Known::Not(_) => shown.sent(&alternative.dscp),
            },
        ));
    }
    if !alternative.ecn.is_empty() {
        keys.push(("ecn", alternative.ecn.iter().map(|ecn| selectors::ecn(*ecn, family)).collect()));
    }
    if !alternative.mark.is_empty() {
        let marks = alternative.mark.iter().flat_map(|mark| match (view.mark, &model.marks) {
            (Known::Not(_), _) => Vec::new(),
            (Known::Marked, Some(marks)) => marks.downwards(*mark),
            _ => vec![*mark],
        });
        keys.push(("mark", marks.map(selectors::mark).collect()));
    }
    if !alternative.length.is_empty() {
        // only packets that are long enough to have TCP flags are tested for them
        let least = if alternative.tcp.is_empty() { 0 } else { selectors::least_tcp(family) };
        let ranges = alternative.length.iter().filter(|range| range.max >= least);
        keys.push(("length", ranges.flat_map(|range| selectors::length(*range, family)).collect()));
    }
    if !alternative.tcp.is_empty() {
        keys.push(("tcp", alternative.tcp.iter().flat_map(|kind| selectors::tcp(*kind, family)).collect()));
    }
    let inside = |ports: &PortSet| match alternative.hosts.is_empty() && alternative.local.is_empty() {
        true => Vec::new(),
        false => shown.ports(ports),
    };
    if let Some(ports) = &alternative.local_port {
        keys.push(("local_port", [selectors::ports(ports, local, family), inside(ports)].concat()));
    }
    if let Some(ports) = &alternative.remote_port {
        keys.push(("remote_port", selectors::ports(ports, remote, family)));
    }
    if let Some(ports) = &alternative.port {
        let either = [selectors::ports(ports, local, family), selectors::ports(ports, remote, family)];
        keys.push(("port", [either.concat(), inside(ports)].concat()));
    }
    keys
}

#[cfg(test)]
#[path = "alternative_tests.rs"]
pub(super) mod tests;
