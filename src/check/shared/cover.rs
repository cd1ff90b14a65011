//! Packets of an alternative that earlier alternatives take, computed on sets of addresses, ports, code points,
//! protocols and families.
//!
//! Every result is certain. Cases that the rule cannot see through give no result: tunnels, MAC addresses, and
//! alternatives that take all packets only together.

use crate::model::{Alternative, Class, Ecn, Host, Model, TcpKind, in_match_order};
use crate::units::{Address, Dscp, Family, LengthRange, Mark, PortRange, PortSet, Protocol};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Largest number of alternatives to compare. Thousands of hosts are not written by hand.
const MOST: usize = 2000;
/// Largest number of combinations of an alternative's values to look at.
const VALUES: usize = 512;
/// Largest number of values in copies of an alternative.
const COPIED: usize = 1 << 21;
/// Largest number of comparisons of values. Alternatives that come after them take nothing.
const STEPS: usize = 200_000_000;

/// Indices of the earlier entries that take all packets; `None` if some packets are left.
type Takers = Option<BTreeSet<usize>>;

/// A conjunction for a leaf: its alternatives, from the outermost class to the leaf's own, must all match.
#[derive(Clone)]
struct Entry<'a> {
    leaf: &'a Class,
    parts: Vec<&'a Alternative>,
}

/// The entries before an alternative. Most long lists name one remote address in each entry, and an entry for one
/// address takes nothing from another.
#[derive(Default)]
struct Earlier<'a> {
    all: Vec<Entry<'a>>,
    /// Indices of the entries for a single remote address.
    of_remote: HashMap<Address, Vec<usize>>,
    others: Vec<usize>,
}

impl<'a> Earlier<'a> {
    fn add(&mut self, entry: &Entry<'a>) {
        let single = entry.parts.iter().find_map(|part| match part.remote.as_slice() {
            [remote] if remote.is_single() => Some(*remote),
            _ => None,
        });
        match single {
            Some(remote) => self.of_remote.entry(remote).or_default(),
            None => &mut self.others,
        }
        .push(self.all.len());
        self.all.push(entry.clone());
    }

    /// Returns the index of the first entry that takes all packets that match all of `parts`.
    fn taker(&self, look: Look<'_>, parts: &[&Alternative]) -> Option<usize> {
        let named = parts.iter().filter_map(|part| part.remote.first());
        let lists = named.filter_map(|remote| self.of_remote.get(remote)).chain([&self.others]);
        let takes = |at: &&usize| self.all.get(**at).is_some_and(|entry| covers(look, &entry.parts, parts));
        lists.filter_map(|list| list.iter().find(takes)).min().copied()
    }
}

/// Combinations of alternatives, one of each class from the outermost inwards. Several leaves can share them.
type Combinations<'a> = Rc<Vec<Vec<&'a Alternative>>>;

/// An alternative from which earlier ones take packets.
pub(in crate::check) struct Taken<'a> {
    /// Leaf of the alternative.
    pub(in crate::check) leaf: &'a Class,
    /// The alternative itself.
    pub(in crate::check) own: &'a Alternative,
    /// Leaves and alternatives that take the packets, in the order of the filters.
    pub(in crate::check) by: Vec<(&'a Class, &'a Alternative)>,
    /// Values without any packets left; empty if the whole alternative has none left.
    pub(in crate::check) values: Vec<String>,
}

/// Returns every alternative of which earlier ones take all packets, or all packets with one of its values.
pub(in crate::check) fn taken(model: &Model) -> Vec<Taken<'_>> {
    // Combinations beyond the limit would only cost memory.
    let mut left = MOST;
    let leaves = in_match_order(&model.classes, &mut |class, own, outer| {
        let combinations = combined(own, outer, left);
        if class.leaf().is_some() {
            left -= combinations.len();
        }
        Rc::new(combinations)
    });
    let entries = leaves
        .iter()
        .flat_map(|leaf| leaf.packets.iter().map(|parts| Entry { leaf: leaf.class, parts: parts.clone() }));
    let entries: Vec<Entry<'_>> = entries.take(MOST).collect();
    let steps = Cell::new(STEPS);
    let look = Look { model, steps: &steps };
    let mut found = Vec::new();
    let mut before = Earlier::default();
    // An alternative has one entry for each combination of its parents' alternatives.
    let same = |a: &Entry<'_>, b: &Entry<'_>| {
        a.parts.last().zip(b.parts.last()).is_some_and(|(a, b)| std::ptr::eq(*a, *b))
    };
    for own in entries.chunk_by(same) {
        if look.is_over() {
            break;
        }
        let one = of_one(look, &before, own);
        // If the steps have run out meanwhile, the result is not certain.
        found.extend(one.filter(|_| !look.is_over()));
        own.iter().for_each(|entry| before.add(entry));
    }
    found
}

/// Returns the first combinations of the alternatives of a class with those of its parents, at most `most`.
fn combined<'a>(
    own: &'a [Alternative],
    outer: Option<&Combinations<'a>>,
    most: usize,
) -> Vec<Vec<&'a Alternative>> {
    let Some(outer) = outer else { return own.iter().take(most).map(|own| vec![own]).collect() };
    let each =
        |own: &'a Alternative| outer.iter().map(move |parts| parts.iter().copied().chain([own]).collect());
    own.iter().flat_map(each).take(most).collect()
}

/// Returns the packets taken from one alternative. `own` has it with each combination of its parents' alternatives.
fn of_one<'a>(look: Look<'_>, before: &Earlier<'a>, own: &[Entry<'a>]) -> Option<Taken<'a>> {
    let leaf = own.first()?.leaf;
    // A leaf for the rest of a match is meant to get only the remaining packets.
    leaf.matches.as_ref()?;
    let last: &'a Alternative = own.first()?.parts.last()?;
    let takers = |single: &Alternative| -> Takers {
        let taker = |entry: &Entry<'_>| {
            let mut parts: Vec<&Alternative> = entry.parts.clone();
            parts.pop();
            parts.push(single);
            before.taker(look, &parts)
        };
        own.iter().map(taker).collect()
    };
    let singles = singles(look, last);
    let mut gone: Vec<Takers> = singles.iter().map(takers).collect();
    let (by, values) = match gone.iter().cloned().collect::<Option<Vec<_>>>() {
        Some(all) => (all.into_iter().flatten().collect(), Vec::new()),
        None => {
            // Packets taken by another alternative of the same leaf are not lost to that leaf.
            let is_own = |at: &usize| before.all.get(*at).is_some_and(|entry| std::ptr::eq(entry.leaf, leaf));
            gone.iter_mut().for_each(|by| *by = by.take().filter(|by| !by.iter().any(is_own)));
            let pairs: Vec<(&Alternative, &Takers)> = singles.iter().zip(&gone).collect();
            let mut by = BTreeSet::new();
            let values = lost_values(look.model, last, &pairs, &mut by);
            if values.is_empty() {
                return None;
            }
            (by, values)
        }
    };
    let mut named: Vec<(&'a Class, &'a Alternative)> = Vec::new();
    for entry in by.iter().filter_map(|at| before.all.get(*at)) {
        let taker: &'a Alternative = entry.parts.last()?;
        if !named.iter().any(|(_, other)| std::ptr::eq(*other, taker)) {
            named.push((entry.leaf, taker));
        }
    }
    Some(Taken { leaf, own: last, by: named, values })
}

/// Returns the alternative with a single value in each key, for all combinations. If there are too many, a key keeps
/// all of its values.
fn singles(look: Look<'_>, whole: &Alternative) -> Vec<Alternative> {
    let mut all = vec![whole.clone()];
    // Nothing reads it, and it may be long.
    all.iter_mut().for_each(|one| one.text.clear());
    each(&mut all, &whole.hosts, |a, some| a.hosts = some.to_vec());
    each(&mut all, &whole.local, |a, some| a.local = some.to_vec());
    each(&mut all, &whole.remote, |a, some| a.remote = some.to_vec());
    each(&mut all, &whole.protocol, |a, some| a.protocol = some.to_vec());
    each(&mut all, ranges(whole.local_port.as_ref()), |a, some| a.local_port = Some(set_of(some)));
    each(&mut all, ranges(whole.remote_port.as_ref()), |a, some| a.remote_port = Some(set_of(some)));
    each(&mut all, ranges(whole.port.as_ref()), |a, some| a.port = Some(set_of(some)));
    each(&mut all, &whole.dscp, |a, some| a.dscp = some.to_vec());
    each(&mut all, &whole.mark, |a, some| a.mark = some.to_vec());
    each(&mut all, &whole.length, |a, some| a.length = some.to_vec());
    each(&mut all, &whole.ecn, |a, some| a.ecn = some.to_vec());
    each(&mut all, &whole.tcp, |a, some| a.tcp = some.to_vec());
    let families: Vec<Alternative> = all.iter().flat_map(|a| each_family(look, a)).collect();
    if families.len() <= VALUES { families } else { all }
}

/// Splits an alternative for both families into one for each, because an earlier match may take one family.
fn each_family(look: Look<'_>, alternative: &Alternative) -> Vec<Alternative> {
    let parts = [alternative];
    if [Family::Ipv4, Family::Ipv6].iter().any(|family| within_family(look, &parts, *family)) {
        return vec![alternative.clone()];
    }
    let with = |family| Alternative { family: Some(family), ..alternative.clone() };
    vec![with(Family::Ipv4), with(Family::Ipv6)]
}

fn ranges(ports: Option<&PortSet>) -> &[PortRange] {
    ports.map(PortSet::ranges).unwrap_or_default()
}

/// The model, and the comparisons that are left.
#[derive(Clone, Copy)]
struct Look<'a> {
    model: &'a Model,
    steps: &'a Cell<usize>,
}

impl Look<'_> {
    /// Counts a comparison; false if there were too many.
    fn step(self) -> bool {
        self.spend(1);
        !self.is_over()
    }

    /// Counts several comparisons.
    fn spend(self, steps: usize) {
        self.steps.set(self.steps.get().saturating_sub(steps));
    }

    fn is_over(self) -> bool {
        self.steps.get() == 0
    }
}

fn set_of(ranges: &[PortRange]) -> PortSet {
    ranges.iter().copied().collect()
}

/// Returns the number of values in the keys that may have long lists.
fn length(one: &Alternative) -> usize {
    let ports = [&one.local_port, &one.remote_port, &one.port];
    let ports = ports.into_iter().map(|ports| ranges(ports.as_ref()).len()).sum::<usize>();
    let named = one.hosts.len()
        + one.tunnels.len()
        + one.devices.len()
        + one.protocol.len()
        + one.dscp.len()
        + one.mark.len();
    ports + named + one.local.len() + one.remote.len() + one.length.len() + one.tcp.len() + one.ecn.len()
}

/// Replaces each alternative by one for every value of a key, unless there are too many. `set` stores the values.
fn each<T: Copy>(all: &mut Vec<Alternative>, values: &[T], set: impl Fn(&mut Alternative, &[T])) {
    if values.len() < 2 || all.len().saturating_mul(values.len()) > VALUES {
        return;
    }
    // No copy holds the whole list.
    all.iter_mut().for_each(|one| set(one, &[]));
    if all.iter().map(length).sum::<usize>().saturating_mul(values.len()) > COPIED {
        all.iter_mut().for_each(|one| set(one, values));
        return;
    }
    let one = |(one, value): (&Alternative, &T)| {
        let mut one = one.clone();
        set(&mut one, std::slice::from_ref(value));
        one
    };
    *all = all.iter().flat_map(|with| values.iter().map(move |value| (with, value))).map(one).collect();
}

/// Returns the values, as in the file, of which no combination has packets left. Adds the entries that take them to
/// `by`.
fn lost_values(
    model: &Model,
    whole: &Alternative,
    singles: &[(&Alternative, &Takers)],
    by: &mut BTreeSet<usize>,
) -> Vec<String> {
    let mut lost = Vec::new();
    let mut ask = |name: String, has: &dyn Fn(&Alternative) -> bool| {
        let with = singles.iter().filter(|(single, _)| has(single));
        let takers: Option<Vec<&BTreeSet<usize>>> = with.map(|(_, takers)| takers.as_ref()).collect();
        if let Some(takers) = takers.filter(|takers| !takers.is_empty()) {
            lost.push(name);
            by.extend(takers.into_iter().flatten());
        }
    };
    for host in &whole.hosts {
        let name = model.hosts.get(*host).map(|host| host.name.clone()).unwrap_or_default();
        ask(format!("host {name}"), &|a| a.hosts == [*host]);
    }
    for value in &whole.local {
        ask(format!("local {value}"), &|a| a.local == [*value]);
    }
    for value in &whole.remote {
        ask(format!("remote {value}"), &|a| a.remote == [*value]);
    }
    for value in &whole.protocol {
        ask(format!("protocol {value}"), &|a| a.protocol == [*value]);
    }
    for (key, of) in PORTS {
        for value in ranges(of(whole)) {
            ask(format!("{key} {value}"), &|a| ranges(of(a)) == [*value]);
        }
    }
    for value in &whole.dscp {
        ask(format!("dscp {value}"), &|a| a.dscp == [*value]);
    }
    for value in &whole.ecn {
        ask(format!("ecn {value}"), &|a| a.ecn == [*value]);
    }
    for value in &whole.length {
        ask(format!("length {value}"), &|a| a.length == [*value]);
    }
    for value in &whole.tcp {
        ask(format!("tcp {value}"), &|a| a.tcp == [*value]);
    }
    lost
}

type Ports = fn(&Alternative) -> Option<&PortSet>;

const PORTS: [(&str, Ports); 3] = [
    ("local_port", |a| a.local_port.as_ref()),
    ("remote_port", |a| a.remote_port.as_ref()),
    ("port", |a| a.port.as_ref()),
];

/// True if every packet that matches all of `parts` matches all of `wide`.
fn covers(look: Look<'_>, wide: &[&Alternative], parts: &[&Alternative]) -> bool {
    wide.iter().all(|wide| covers_part(look, wide, parts))
}

fn covers_part(look: Look<'_>, wide: &Alternative, parts: &[&Alternative]) -> bool {
    // The rule cannot see what is inside a tunnel, or where it begins.
    let tunnels = parts.iter().any(|part| !part.tunnels.is_empty());
    look.spend(parts.len());
    // The packets of another device show other addresses than those of the WAN device.
    if (parts.iter().any(|part| !part.devices.is_empty()) || !wide.devices.is_empty())
        && !parts.iter().any(|part| part.devices == wide.devices && !part.devices.is_empty())
    {
        return false;
    }
    if tunnels || !wide.tunnels.is_empty() {
        look.spend(wide.tunnels.len());
        return parts.iter().any(|part| part.tunnels == wide.tunnels && !part.tunnels.is_empty())
            && covers_part_outside(look, wide, parts);
    }
    covers_part_outside(look, wide, parts)
}

fn covers_part_outside(look: Look<'_>, wide: &Alternative, parts: &[&Alternative]) -> bool {
    let any = |holds: &dyn Fn(&Alternative) -> bool| parts.iter().any(|part| holds(part));
    wide.direction.is_none_or(|direction| any(&|part| part.direction == Some(direction)))
        && wide.family.is_none_or(|family| within_family(look, parts, family))
        && (wide.local.is_empty() || any(&|part| local_within(look, part, &wide.local)))
        && (wide.remote.is_empty()
            || any(&|part| all_within(look, &part.remote, &wide.remote, |a, b| within(*a, *b))))
        && (wide.protocol.is_empty()
            || any(&|part| all_within(look, &part.protocol, &wide.protocol, |a: &Protocol, b| a == b)))
        && wide
            .local_port
            .as_ref()
            .is_none_or(|ports| any(&|part| ports_within(look, part.local_port.as_ref(), ports)))
        && wide
            .remote_port
            .as_ref()
            .is_none_or(|ports| any(&|part| ports_within(look, part.remote_port.as_ref(), ports)))
        && wide
            .port
            .as_ref()
            .is_none_or(|ports| PORTS.iter().any(|(_, of)| any(&|part| ports_within(look, of(part), ports))))
        && (wide.dscp.is_empty()
            || any(&|part| all_within(look, &part.dscp, &wide.dscp, |a: &Dscp, b| a == b)))
        && (wide.ecn.is_empty() || any(&|part| all_within(look, &part.ecn, &wide.ecn, |a: &Ecn, b| a == b)))
        && (wide.mark.is_empty() || any(&|part| all_within(look, &part.mark, &wide.mark, mark_within)))
        && (wide.length.is_empty()
            || any(&|part| all_within(look, &part.length, &wide.length, length_within)))
        && (wide.tcp.is_empty()
            || any(&|part| all_within(look, &part.tcp, &wide.tcp, |a: &TcpKind, b| a == b)))
        // This list is the longest in most files, so it comes last.
        && (wide.hosts.is_empty() || any(&|part| of_hosts(look, part, &wide.hosts)))
}

/// True if `narrow` is not empty and each of its elements is within one of `wide`.
fn all_within<T>(look: Look<'_>, narrow: &[T], wide: &[T], within: impl Fn(&T, &T) -> bool) -> bool {
    let within = |narrow, wide| look.step() && within(narrow, wide);
    !narrow.is_empty() && narrow.iter().all(|narrow| wide.iter().any(|wide| within(narrow, wide)))
}

fn ports_within(look: Look<'_>, narrow: Option<&PortSet>, wide: &PortSet) -> bool {
    let within = |a: &PortRange, b: &PortRange| b.first <= a.first && a.last <= b.last;
    all_within(look, ranges(narrow), wide.ranges(), within)
}

fn length_within(narrow: &LengthRange, wide: &LengthRange) -> bool {
    wide.min <= narrow.min && narrow.max <= wide.max
}

fn mark_within(narrow: &Mark, wide: &Mark) -> bool {
    wide.mask & !narrow.mask == 0 && narrow.value & wide.mask == wide.value
}

/// True if only packets of this family can match.
fn within_family(look: Look<'_>, parts: &[&Alternative], family: Family) -> bool {
    let only = |addresses: &[Address]| {
        look.spend(addresses.len());
        !addresses.is_empty() && addresses.iter().all(|address| address.family() == family)
    };
    parts.iter().any(|part| {
        let carried = match family {
            Family::Ipv4 => Protocol::ICMP,
            Family::Ipv6 => Protocol::ICMPV6,
        };
        part.family == Some(family)
            || only(&part.local)
            || only(&part.remote)
            || addresses(look, part).is_some_and(|addresses| only(&addresses))
            || (!part.protocol.is_empty() && part.protocol.iter().all(|protocol| *protocol == carried))
    })
}

/// Returns the addresses of the matched hosts; `None` if no host is matched, or one also has a MAC address.
fn addresses(look: Look<'_>, part: &Alternative) -> Option<Vec<Address>> {
    look.spend(part.hosts.len());
    let hosts: Option<Vec<&Host>> = part.hosts.iter().map(|host| look.model.hosts.get(*host)).collect();
    let hosts = hosts.filter(|hosts| !hosts.is_empty() && hosts.iter().all(|host| host.mac.is_empty()))?;
    Some(hosts.iter().flat_map(|host| host.addresses.iter().map(|address| address.value)).collect())
}

fn of_hosts(look: Look<'_>, part: &Alternative, wide: &[usize]) -> bool {
    look.spend(part.hosts.len() + wide.len());
    let named = match part.hosts.as_slice() {
        [] => false,
        [host] => wide.contains(host),
        hosts => {
            let wide: BTreeSet<&usize> = wide.iter().collect();
            hosts.iter().all(|host| wide.contains(host))
        }
    };
    if named {
        return true;
    }
    let hosts = wide.iter().filter_map(|host| look.model.hosts.get(*host));
    let theirs: Vec<Address> =
        hosts.flat_map(|host| host.addresses.iter().map(|address| address.value)).collect();
    local_within(look, part, &theirs)
}

fn local_within(look: Look<'_>, part: &Alternative, wide: &[Address]) -> bool {
    let fits = |narrow: &[Address]| all_within(look, narrow, wide, |a, b| within(*a, *b));
    fits(&part.local) || addresses(look, part).is_some_and(|own| fits(&own))
}

/// True if every address in `narrow` is in `wide`.
fn within(narrow: Address, wide: Address) -> bool {
    match (narrow, wide) {
        (Address::V4(narrow), Address::V4(wide)) => wide.contains(&narrow),
        (Address::V6(narrow), Address::V6(wide)) => wide.contains(&narrow),
        (Address::V6Interface { part: narrow, bits: own }, Address::V6Interface { part: wide, bits }) => {
            own >= bits && same_end(narrow.to_bits(), wide.to_bits(), bits)
        }
        (Address::V6(narrow), Address::V6Interface { part, bits }) => {
            narrow.prefix_len() == 128 && same_end(narrow.addr().to_bits(), part.to_bits(), bits)
        }
        _ => false,
    }
}

/// True if the last bits are the same.
fn same_end(one: u128, other: u128, bits: u8) -> bool {
    let others = u32::from(128u8.saturating_sub(bits));
    (one ^ other).checked_shl(others).is_none_or(|differs| differs == 0)
}

#[cfg(test)]
#[path = "cover_tests.rs"]
mod tests;
