//! Merges the interfaces of a device, which may have one direction each, into one configuration.

use super::block::{Interface, Node};
use super::matches::MOVED;
use super::params::Prio;
use crate::amounts::rate_of;
use crate::config::{Charge, Class, Config, Match, NOTHING, Queue, joined};
use crate::device::{above_ip, bounded};
use crate::fit::{about_rates, fit};
use crate::proof::packet::Test;
use crate::proof::program::tests;
use crate::proof::proven;
use crate::proof::side::{self, Rule, Side, Sides, TOP};
use crate::report::ImportReport;
use indexmap::IndexMap;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::{Amount, Direction, Layer, PerDirection};
use qosc_compiler::units::{LinkName, Rate};
use std::collections::HashMap;

/// A class of both directions.
#[derive(Default)]
struct Merged {
    class: Class,
    /// Guarantee in each direction in which the source has the class.
    rate: PerDirection<Option<Rate>>,
    /// Place in each direction.
    first: PerDirection<Option<u32>>,
    /// All matches with their positions.
    matches: Vec<(u32, Match)>,
    inner: bool,
}

/// Classes by their name and the number of their parent. A parent comes before the classes inside it.
type Classes<'a> = IndexMap<(Option<usize>, &'a str), Merged>;

/// Converts the interfaces of one device.
pub(super) fn config(parts: &[&Interface], report: &mut ImportReport) -> Option<Config> {
    let mut of: PerDirection<Option<&Interface>> = PerDirection::default();
    for interface in parts {
        for direction in &interface.directions {
            if let Some(first) = of.get_mut(*direction).replace(interface) {
                let loads = direction.loads();
                let said = format!("a later interface replaces this one for {loads}, as in FireQOS");
                report.lost(first.span, said, "remove this interface, or move its classes to the later one");
            }
        }
    }
    let rate = |direction: Direction| {
        let params = &(*of.get(direction))?.params;
        [params.ceil, params.rate].iter().find_map(|own| match own.get(direction) {
            Some(Amount::Rate(rate)) => Some(*rate),
            _ => None,
        })
    };
    let (up, down) = (rate(Direction::Up), rate(Direction::Down));
    if let Some(interface) = of.up.filter(|_| up.is_none()).or(of.down.filter(|_| down.is_none())) {
        return report.refuse(interface.span, "a direction has no rate", "write `rate 10mbit`");
    }
    let interface = of.up.or(of.down)?;
    let charge = charge(&of, interface, report);
    let source = format!("FireQOS's interface `{}`", interface.device);
    let name = LinkName::like(interface.device.as_str());
    let rates = PerDirection { up, down };
    let mut config = Config::new(&source, name, interface.device.clone(), rates, charge);
    let header = config.charge.overhead.is_some();
    about_rates(&mut config, "FireQOS states", up.is_some(), header, report);
    let (merged, sides) = merged(&of, &config.rates, report);
    config.trust_dscp = merged.values().flat_map(|node| &node.matches).any(|(_, one)| one.reads_dscp());
    config.classes = tree(merged, &of, report);
    fit(&mut config, report);
    proven(&mut config, &sides, report);
    Some(config)
}

fn charge(of: &PerDirection<Option<&Interface>>, interface: &Interface, report: &mut ImportReport) -> Charge {
    let key = |interface: &Interface| {
        let params = &interface.params;
        (params.profile, params.layer, params.overhead, params.mpu, params.mtu)
    };
    if let (Some(up), Some(down)) = (of.up, of.down)
        && key(up) != key(down)
    {
        report.two_costs(down.span);
    }
    let (params, span) = (&interface.params, interface.span);
    // without a profile, each number is written
    let default = params.profile.is_none().then_some(0);
    let overhead =
        params.overhead.or(default).map(|bytes| bytes.saturating_add(above_ip(interface.device.as_str())));
    Charge {
        profile: params.profile.unwrap_or("raw"),
        overhead: overhead.map(|bytes| bounded(bytes, span, "overhead", report)),
        mpu: params.mpu.or(default).map(|bytes| bounded(bytes, span, "mpu", report)),
        layer: default.map(|_| params.layer.unwrap_or(Layer::Ethernet)),
        mtu: params.mtu,
    }
}

/// Returns the classes of both directions.
fn merged<'a>(
    of: &PerDirection<Option<&'a Interface>>,
    rates: &PerDirection<Rate>,
    report: &mut ImportReport,
) -> (Classes<'a>, Sides) {
    let mut all = Classes::new();
    let mut sides = PerDirection::default();
    for direction in Direction::BOTH {
        let Some(interface) = of.get(direction) else { continue };
        let whole = *rates.get(direction);
        let mut side = Side::default();
        side.add(TOP, side::Node::new(None, whole, ""));
        // place, list, class and match of each filter
        let mut filters: Vec<(u32, side::Id, side::Id, &Match)> = Vec::new();
        // index in `all` of each class of this interface
        let mut own: Vec<usize> = Vec::new();
        let balanced = vec![interface.params.balanced == Some(true)];
        let mut priorities = Priorities { balanced, ..Priorities::default() };
        for (number, node) in interface.nodes.iter().enumerate() {
            let outer = node.parent.map_or(TOP, id);
            let parent = node.parent.and_then(|parent| own.get(parent).copied());
            let priority = priorities.next(node);
            let (mut rate, mut queue) = (whole, interface.params.queue.clone());
            if let Some((_, parent)) = parent.and_then(|parent| all.get_index_mut(parent)) {
                parent.inner = true;
                rate = parent.rate.get(direction).unwrap_or(whole);
                queue.clone_from(parent.class.queue.get(direction));
            }
            let entry = all.entry((parent, node.name.as_str()));
            own.push(entry.index());
            let merged = entry.or_insert_with(|| {
                let class = Class { span: Some(node.span), ..Class::new(&node.name, priority) };
                Merged { class, ..Merged::default() }
            });
            let slot = merged.class.queue.get_mut(direction);
            *slot = slot.take().or_else(|| node.params.queue.clone()).or(queue);
            let (written, least) = interface.params.least(direction, whole);
            let written = if node.parent.is_none() { written } else { Amount::Rate(least) };
            let given = node.params.rate.get(direction).filter(|own| rate_of(*own, rate) >= least);
            let guarantee = given.unwrap_or(written);
            *merged.rate.get_mut(direction) = Some(rate_of(guarantee, rate));
            *merged.class.guarantee.get_mut(direction) = Some(guarantee);
            *merged.class.ceiling.get_mut(direction) = *node.params.ceil.get(direction);
            let guaranteed = rate_of(guarantee, rate);
            let most = side.node(outer).map_or(whole, |outer| outer.ceil);
            let ceil = node.params.ceil.get(direction).map_or(most, |own| rate_of(own, most));
            let named = side::Node::new(Some(outer), guaranteed, &node.name);
            side.add(id(number), side::Node { ceil, prio: priority, span: Some(node.span), ..named });
            for (order, place, found) in &node.matches {
                let found = found.get(direction);
                filters.extend(found.iter().map(|one| (*order, outer, id(number), one)));
                if !found.is_empty() {
                    let first = merged.first.get_mut(direction);
                    *first = Some(first.map_or(*place, |own| own.min(*place)));
                }
                merged.matches.extend(found.iter().map(|one| (*order, one.clone())));
            }
        }
        filters.sort_by_key(|(order, ..)| *order);
        let matches: Vec<Match> = filters.iter().map(|(.., one)| (*one).clone()).collect();
        let Some(tests) = tests(&matches, direction) else {
            let said = "the result is not compared with this interface, which has too many matches, or one that contradicts itself";
            report.lost(interface.span, said, "");
            continue;
        };
        for (number, family, test) in tests {
            let Some((_, list, to, _)) = filters.get(number) else { continue };
            let span = side.node(*to).and_then(|node| node.span);
            side.lists.entry(*list).or_default().add(Rule { family, test, to: *to, span });
        }
        // the class `default` of a group has the packets that no other class in it takes
        for (number, node) in interface.nodes.iter().enumerate().filter(|(_, node)| node.name == "default") {
            let (to, span) = (id(number), Some(node.span));
            match node.parent.map(id) {
                None => side.default = Some(to),
                Some(list) => {
                    let rule = Rule { family: None, test: Test::default(), to, span };
                    side.lists.entry(list).or_default().add(rule);
                }
            }
        }
        *sides.get_mut(direction) = Some(side);
    }
    (all, sides)
}

/// Returns the id of a class in the comparison.
fn id(number: usize) -> side::Id {
    (1, u16::try_from(number + 1).unwrap_or(u16::MAX))
}

/// Priorities of the classes of an interface, by FireQOS's rules.
#[derive(Default)]
struct Priorities {
    /// Whether the classes inside have the same priority: of the interface, and of each class so far.
    balanced: Vec<bool>,
    /// Next number of a class without `prio`, by the parent.
    next: HashMap<Option<usize>, u8>,
    last: u8,
}

impl Priorities {
    /// Returns the priority of the next class.
    fn next(&mut self, node: &Node) -> u8 {
        let parent = node.parent.map_or(0, |parent| parent + 1);
        let balanced = self.balanced.get(parent).copied().unwrap_or_default();
        self.balanced.push(node.params.balanced.unwrap_or(balanced));
        let next = self.next.entry(node.parent).or_default();
        let own = match node.params.prio {
            Prio::Keep => return self.last,
            Prio::Next if balanced => 4,
            Prio::Next => *next,
            Prio::Fixed(number) => number,
        };
        *next = own.saturating_add(1);
        self.last = own.min(7);
        self.last
    }
}

/// Builds the tree, with a default class.
fn tree(
    mut all: Classes<'_>,
    of: &PerDirection<Option<&Interface>>,
    report: &mut ImportReport,
) -> Vec<Class> {
    let mut inside: HashMap<Option<usize>, Vec<(u32, Class)>> = HashMap::new();
    // From the last to the first, so that the classes inside a class are complete before it.
    while let Some(((parent, _), node)) = all.pop() {
        let mut class = node.class;
        let is_default = class.name == "default";
        for direction in Direction::BOTH {
            let missing = of.get(direction).filter(|_| !is_default).map(|_| NOTHING);
            let guarantee = class.guarantee.get_mut(direction);
            *guarantee = guarantee.or(missing);
        }
        let mut matches = node.matches;
        matches.sort_by_key(|(order, _)| *order);
        class.matches = joined(matches.into_iter().map(|(_, one)| one).collect());
        if class.matches.is_empty() && (node.inner || parent.is_some()) && !is_default {
            // Its own matches and those inside would take packets of other classes.
            let name = ticked(&class.name);
            let said = format!("the class {name} is left out: it has no match that can be converted");
            report.lost(class.span, said, "write the class with its `match`");
            continue;
        }
        if node.inner {
            class.classes = sorted(inside.remove(&Some(all.len())).unwrap_or_default());
            class.queue = PerDirection::default();
        }
        class.queue = PerDirection::from_fn(|direction| {
            // A direction that the class is not in has the queue of the other one.
            let own = node.rate.get(direction).map_or(direction.other(), |_| direction);
            // fq_codel without options is the default
            let is_default = |queue: &Queue| queue.kind == "fq_codel" && queue.options.is_empty();
            class.queue.get(own).clone().filter(|queue| !is_default(queue))
        });
        class.default = parent.is_none() && is_default;
        let place = node.first.up.or(node.first.down).map_or(u32::MAX, |place| place % MOVED);
        inside.entry(parent).or_default().push((place, class));
    }
    sorted(inside.remove(&None).unwrap_or_default())
}

/// Returns classes in the order of their first match. They were collected from the last to the first.
fn sorted(mut classes: Vec<(u32, Class)>) -> Vec<Class> {
    classes.reverse();
    classes.sort_by_key(|(position, _)| *position);
    classes.into_iter().map(|(_, class)| class).collect()
}
