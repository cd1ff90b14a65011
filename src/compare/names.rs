//! Finds removed, added and renamed hosts, tunnels and classes.

use crate::model::{Alternative, ClassId, Direction, Host, Model, Tunnel};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Old names of renamed objects, mapped to the new ones.
pub(super) type Renamed<'a> = BTreeMap<&'a str, &'a str>;

/// Returns the new name of an old object.
pub(super) fn now<'a>(renamed: &Renamed<'a>, old: &'a str) -> &'a str {
    renamed.get(old).copied().unwrap_or(old)
}

/// Pairs each object that vanished with the first unpaired one that appeared with the same key.
pub(super) fn renamed<'a, K: Ord>(old: Vec<(&'a str, K)>, new: Vec<(&'a str, K)>) -> Renamed<'a> {
    let olds: BTreeSet<&str> = old.iter().map(|(name, _)| *name).collect();
    let news: BTreeSet<&str> = new.iter().map(|(name, _)| *name).collect();
    let mut appeared: BTreeMap<K, VecDeque<&str>> = BTreeMap::new();
    for (name, key) in new.into_iter().filter(|(name, _)| !olds.contains(name)) {
        appeared.entry(key).or_default().push_back(name);
    }
    let vanished = old.into_iter().filter(|(name, _)| !news.contains(name));
    vanished.filter_map(|(name, key)| Some((name, appeared.get_mut(&key)?.pop_front()?))).collect()
}

/// Returns hosts that have another name and the same addresses.
pub(super) fn hosts<'a>(old: &'a Model, new: &'a Model) -> Renamed<'a> {
    let key = |host: &'a Host| {
        let addresses: BTreeSet<String> =
            host.addresses.iter().map(|address| address.value.to_string()).collect();
        let mac: BTreeSet<String> = host.mac.iter().map(|mac| mac.value.to_string()).collect();
        (host.name.as_str(), (addresses, mac))
    };
    renamed(old.hosts.iter().map(key).collect(), new.hosts.iter().map(key).collect())
}

/// Returns tunnels that have another name and are otherwise the same.
pub(super) fn tunnels<'a>(old: &'a Model, new: &'a Model) -> Renamed<'a> {
    let key = |tunnel: &'a Tunnel| (tunnel.name.as_str(), super::shared::tunnel_fields(tunnel));
    renamed(old.tunnels.iter().map(key).collect(), new.tunnels.iter().map(key).collect())
}

/// Returns the name of a class.
pub(super) fn class(model: &Model, id: ClassId) -> &str {
    fn find(classes: &[crate::model::Class], id: ClassId) -> Option<&str> {
        classes.iter().find_map(|class| match &class.shape {
            _ if class.id.value == id => Some(class.name.as_str()),
            crate::model::Shape::Inner(children) => find(children, id),
            crate::model::Shape::Leaf(_) => None,
        })
    }
    find(&model.classes, id).unwrap_or_default()
}

/// Returns the directions that have classes.
pub(super) fn directions(old: &Model, new: &Model) -> &'static [Direction] {
    let shaped = |model: &Model| model.link.ingress.value == crate::model::Ingress::Shape;
    if shaped(old) && shaped(new) { &Direction::BOTH } else { &[Direction::Up] }
}

/// Returns an alternative in normal form: its conditions with names, in a fixed order and spelling.
pub(super) fn key(
    alternative: &Alternative,
    model: &Model,
    hosts: &Renamed<'_>,
    tunnels: &Renamed<'_>,
) -> String {
    /// Formats a list in a fixed order, with each value once.
    fn list<T: ToString>(name: &str, values: impl IntoIterator<Item = T>) -> String {
        let sorted: BTreeSet<String> = values.into_iter().map(|value| value.to_string()).collect();
        if sorted.is_empty() { String::new() } else { format!("{name} {sorted:?} ") }
    }
    let a = alternative;
    let host = |index: &usize| model.hosts.get(*index).map(|host| now(hosts, &host.name).to_owned());
    let tunnel =
        |index: &usize| model.tunnels.get(*index).map(|tunnel| now(tunnels, &tunnel.name).to_owned());
    let device = |index: &usize| model.link.devices.get(*index).map(|own| own.device.value.to_string());
    [
        list("host", a.hosts.iter().filter_map(host)),
        list("local", &a.local),
        list("remote", &a.remote),
        list("protocol", &a.protocol),
        list("local_port", &a.local_port),
        list("remote_port", &a.remote_port),
        list("port", &a.port),
        list("dscp", &a.dscp),
        list("ecn", &a.ecn),
        list("mark", &a.mark),
        list("tunnel", a.tunnels.iter().filter_map(tunnel)),
        list("device", a.devices.iter().filter_map(device)),
        list("family", a.family),
        list("direction", a.direction.map(|direction| direction.as_str())),
        list("length", &a.length),
        list("tcp", &a.tcp),
    ]
    .concat()
}
