//! Merges the interfaces of a device, which may have one direction each, into one configuration.

use super::block::{Interface, Node};
use super::matches::MOVED;
use super::params::Prio;
use crate::diag::{Span, ticked};
use crate::import::amounts::rate_of;
use crate::import::config::{Charge, Class, Config, Match, NOTHING, joined};
use crate::import::device::{above_ip, bounded, header_note, link_name};
use crate::import::fit::fit;
use crate::import::report::Report;
use crate::terms::{Amount, Direction, Layer, PerDirection};
use crate::units::Rate;
use std::collections::HashMap;

/// A class of both directions.
struct Merged {
    class: Class,
    parent: Option<usize>,
    /// Guarantee in each direction.
    rate: PerDirection<Rate>,
    /// Place in each direction.
    first: PerDirection<Option<u32>>,
    /// All matches with their positions.
    matches: Vec<(u32, Match)>,
    /// Directions in which the source has the class.
    there: PerDirection<bool>,
    inner: bool,
}

/// Converts the interfaces of one device.
pub(super) fn config(parts: &[&Interface], report: &mut Report) -> Option<Config> {
    let start = parts.first()?.span;
    let mut of: PerDirection<Option<&Interface>> = PerDirection::default();
    for interface in parts {
        for direction in &interface.directions {
            if let Some(old) = of.get_mut(*direction).replace(interface) {
                old.report_replaced(&[*direction], report);
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
    for direction in Direction::BOTH {
        if let Some(interface) = of.get(direction).filter(|_| rate(direction).is_none()) {
            let said = format!("the interface has no rate for {}", direction.loads());
            report.bad(interface.span, said, "write `rate 10mbit`");
            return None;
        }
    }
    let mut about_rates = vec![
        "FireQOS states shaped rates, not those of the line, so the margin is 0. Better: give the line's own rates and its profile (`qosc profiles`), and remove `margin`.".to_owned(),
    ];
    if up.is_none() {
        report.lost(
            start,
            "FireQOS does not shape uploads of this device, and a file always does",
            "write the upload rate of the line in `up`",
        );
        about_rates
            .push("FireQOS does not shape uploads: replace `up` by the upload rate of the line.".to_owned());
    }
    let interface = of.up.or(of.down)?;
    let charge = charge(&of, interface, report);
    if charge.overhead.is_some() {
        about_rates.push(header_note(&interface.device));
    }
    let source = format!("FireQOS's interface `{}`", interface.device);
    let name = link_name(interface.device.as_str());
    let rates = PerDirection { up, down };
    let mut config =
        Config { about_rates, ..Config::new(&source, name, interface.device.clone(), rates, charge) };
    let merged = merged(&of, &config.rates, report);
    config.classes = tree(merged, &of, start, report);
    config.trust_dscp = config.classes.iter().any(Class::reads_dscp);
    fit(&mut config, start, report);
    Some(config)
}

fn charge(of: &PerDirection<Option<&Interface>>, interface: &Interface, report: &mut Report) -> Charge {
    let key = |interface: &Interface| {
        let params = &interface.params;
        (params.profile, params.layer, params.overhead, params.mpu, params.mtu)
    };
    if let (Some(up), Some(down)) = (of.up, of.down)
        && key(up) != key(down)
    {
        report.lost(
            down.span,
            "the two interfaces give packets different costs, and a file has one for both directions",
            "those of the interface for uploads are used",
        );
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

/// Returns the classes of both directions. A parent comes before the classes inside it.
fn merged(
    of: &PerDirection<Option<&Interface>>,
    rates: &PerDirection<Rate>,
    report: &mut Report,
) -> Vec<Merged> {
    let mut all: Vec<Merged> = Vec::new();
    let mut known: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    for direction in Direction::BOTH {
        let Some(interface) = of.get(direction) else { continue };
        let whole = *rates.get(direction);
        // index in `all` of each class of this interface
        let mut own: Vec<usize> = Vec::new();
        let mut priorities = Priorities::of(interface);
        for node in &interface.nodes {
            let parent = node.parent.and_then(|parent| own.get(parent).copied());
            let priority = priorities.next(node);
            let key = (parent, node.name.as_str());
            let at = *known.entry(key).or_insert_with(|| {
                all.push(fresh(node, parent, priority));
                all.len() - 1
            });
            own.push(at);
            let mut rate = whole;
            let mut queue = interface.params.queue.clone();
            if let Some(parent) = parent.and_then(|parent| all.get_mut(parent)) {
                parent.inner = true;
                rate = *parent.rate.get(direction);
                queue.clone_from(&parent.class.queue);
            }
            let Some(merged) = all.get_mut(at) else { continue };
            merged.class.queue = merged.class.queue.take().or(queue);
            if *merged.there.get(direction) {
                report.lost(
                    node.span,
                    format!("the class {} is there twice", ticked(&node.name)),
                    "its matches are joined with those of the first",
                );
            }
            if let Some(own) = merged.class.priority.filter(|own| *own != priority) {
                let said = format!(
                    "the class {} has priority {own} for uploads and {priority} for downloads, and a file has one for both",
                    ticked(&node.name)
                );
                report.other(node.span, said, "");
            }
            into(merged, node, direction, rate, interface.params.least(direction, whole));
        }
    }
    all
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
    fn of(interface: &Interface) -> Priorities {
        Priorities { balanced: vec![interface.params.balanced == Some(true)], ..Priorities::default() }
    }

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

fn fresh(node: &Node, parent: Option<usize>, priority: u8) -> Merged {
    let queue = node.params.queue.clone();
    let about = node.added.then(|| "FireQOS adds this class itself.".to_owned());
    Merged {
        class: Class {
            span: Some(node.span),
            queue,
            about: about.into_iter().collect(),
            ..Class::new(node.name.clone(), priority)
        },
        parent,
        rate: PerDirection { up: Rate::from_bps(0), down: Rate::from_bps(0) },
        first: PerDirection::default(),
        matches: Vec::new(),
        there: PerDirection::default(),
        inner: false,
    }
}

/// Adds a class of a direction. Its parent has the guarantee `rate`.
fn into(
    merged: &mut Merged,
    node: &Node,
    direction: Direction,
    rate: Rate,
    (written, least): (Amount, Rate),
) {
    *merged.there.get_mut(direction) = true;
    if !node.added {
        merged.class.about.clear();
    }
    let written = if node.parent.is_none() { written } else { Amount::Rate(least) };
    let own = node.params.rate.get(direction).filter(|own| rate_of(*own, rate) >= least).unwrap_or(written);
    *merged.rate.get_mut(direction) = rate_of(own, rate);
    *merged.class.guarantee.get_mut(direction) = Some(own);
    *merged.class.ceiling.get_mut(direction) = *node.params.ceil.get(direction);
    for (order, place, found) in &node.matches {
        let found = found.get(direction);
        if !found.is_empty() {
            let first = merged.first.get_mut(direction);
            *first = Some(first.map_or(*place, |own| own.min(*place)));
        }
        merged.matches.extend(found.iter().map(|one| (*order, one.clone())));
    }
}

/// Builds the tree, with a default class.
fn tree(
    mut all: Vec<Merged>,
    of: &PerDirection<Option<&Interface>>,
    start: Span,
    report: &mut Report,
) -> Vec<Class> {
    order_is_kept(&all, start, report);
    let mut inside: HashMap<Option<usize>, Vec<(u32, Class)>> = HashMap::new();
    // From the last to the first, so that the classes inside a class are complete before it.
    for at in (0..all.len()).rev() {
        let Some(node) = all.pop() else { break };
        let mut class = node.class;
        for direction in Direction::BOTH {
            let shaped = of.get(direction).is_some();
            if shaped && !*node.there.get(direction) && class.name != "default" {
                *class.guarantee.get_mut(direction) = Some(NOTHING);
            }
        }
        let mut matches = node.matches;
        matches.sort_by_key(|(order, _)| *order);
        class.matches = joined(matches.into_iter().map(|(_, one)| one).collect());
        if class.matches.is_empty() && (node.inner || node.parent.is_some()) && class.name != "default" {
            // Its own matches and those inside would take packets of other classes.
            let said = format!(
                "the class {} is left out: it has no match that can be converted",
                ticked(&class.name)
            );
            report.lost(class.span.unwrap_or(start), said, "write the class with its `match`");
            continue;
        }
        if node.inner {
            class.classes = sorted(inside.remove(&Some(at)).unwrap_or_default());
            class.queue = None;
        }
        // fq_codel without options is the default
        if class.queue.as_ref().is_some_and(|queue| queue.kind == "fq_codel" && queue.options.is_empty()) {
            class.queue = None;
        }
        class.default = node.parent.is_none() && class.name == "default";
        let place = node.first.up.or(node.first.down).map_or(u32::MAX, |place| place % MOVED);
        inside.entry(node.parent).or_default().push((place, class));
    }
    sorted(inside.remove(&None).unwrap_or_default())
}

/// Returns classes in the order of their first match. They were collected from the last to the first.
fn sorted(mut classes: Vec<(u32, Class)>) -> Vec<Class> {
    classes.reverse();
    classes.sort_by_key(|(position, _)| *position);
    classes.into_iter().map(|(_, class)| class).collect()
}

/// Reports if the matches of a class stand before and after those of another class with the same parent.
fn order_is_kept(all: &[Merged], start: Span, report: &mut Report) {
    for direction in Direction::BOTH {
        let mut spans: HashMap<Option<usize>, Vec<(u32, u32)>> = HashMap::new();
        for node in all {
            let own = node
                .matches
                .iter()
                .filter(|(_, one)| one.direction == Some(direction))
                .map(|(order, _)| *order);
            let (least, most) =
                own.fold((u32::MAX, 0), |(least, most), order| (least.min(order), most.max(order)));
            if least <= most {
                spans.entry(node.parent).or_default().push((least, most));
            }
        }
        let mut lists: Vec<Vec<(u32, u32)>> = spans.into_values().collect();
        lists.iter_mut().for_each(|list| list.sort_unstable());
        let mixed = |list: &Vec<(u32, u32)>| {
            list.windows(2).any(|pair| matches!(pair, [(_, most), (least, _)] if most > least))
        };
        if lists.iter().any(mixed) {
            report.other(
                start,
                format!("matches of several classes alternate for {}; a file tries all matches of a class together", direction.loads()),
                "check packets that two of these matches take, with `qosc explain --packet`",
            );
            return;
        }
    }
}
