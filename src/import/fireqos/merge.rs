//! Merges the interfaces of a device, which may have one direction each, into one configuration.

use super::block::{Interface, Node};
use super::params::Prio;
use crate::diag::{Span, ticked};
use crate::import::config::{Charge, Class, Config, Match, UNSHAPED, joined};
use crate::import::device::{above_ip, bounded, header_note, link_name};
use crate::import::fit::fit;
use crate::import::report::Report;
use crate::terms::{Amount, Direction, Layer, PerDirection};
use crate::units::Percent;
use std::collections::HashMap;

/// Guarantee of a class without one: a hundredth.
const LEAST: Amount = Amount::Share(Percent::from_ppm(10_000));

/// A class of both directions.
struct Merged {
    class: Class,
    parent: Option<usize>,
    /// Position of the first match in each direction.
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
            let slot = of.get_mut(*direction);
            if slot.is_some() {
                let said = format!(
                    "a second interface for the {} of `{}` is not converted",
                    direction.loads(),
                    interface.device
                );
                report.lost(interface.span, said, "");
            } else {
                *slot = Some(interface);
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
        let Some(interface) = of.get(direction) else { continue };
        if rate(direction).is_none() {
            report.bad(
                interface.span,
                format!("the interface has no rate for {}", direction.loads()),
                "write `rate 10mbit`",
            );
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
    let mut config = Config {
        head: vec![format!(
            "Converted from FireQOS's interface `{}`. `qosc check` reports what to improve.",
            interface.device
        )],
        name: link_name(interface.device.as_str()),
        device: interface.device.clone(),
        rates: PerDirection { up: up.unwrap_or(UNSHAPED), down: down.or(up).unwrap_or(UNSHAPED) },
        about_rates,
        charge,
        shapes_down: down.is_some(),
        polices_down: false,
        cake: PerDirection::default(),
        trust_dscp: false,
        wash: PerDirection::default(),
        nat: None,
        classes: Vec::new(),
    };
    let merged = merged(&of, report);
    let reads = |(_, one): &(u32, Match)| !one.dscp.is_empty() && one.direction == Some(Direction::Down);
    config.trust_dscp = merged.iter().any(|node| node.matches.iter().any(reads));
    config.classes = tree(merged, &of, start, report);
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
    let params = &interface.params;
    let span = interface.span;
    match params.profile {
        Some(profile) => Charge {
            profile,
            overhead: params.overhead.map(|bytes| {
                bounded(bytes.saturating_add(above_ip(&interface.device)), span, "overhead", report)
            }),
            mpu: params.mpu.map(|bytes| bounded(bytes, span, "mpu", report)),
            layer: None,
            mtu: params.mtu,
        },
        None => Charge {
            profile: "raw",
            overhead: Some(bounded(
                params.overhead.unwrap_or(0).saturating_add(above_ip(&interface.device)),
                span,
                "overhead",
                report,
            )),
            mpu: Some(bounded(params.mpu.unwrap_or(0), span, "mpu", report)),
            layer: Some(params.layer.unwrap_or(Layer::Ethernet)),
            mtu: params.mtu,
        },
    }
}

/// Returns the classes of both directions. A parent comes before the classes inside it.
fn merged(of: &PerDirection<Option<&Interface>>, report: &mut Report) -> Vec<Merged> {
    let mut all: Vec<Merged> = Vec::new();
    let mut known: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    for direction in Direction::BOTH {
        let Some(interface) = of.get(direction) else { continue };
        // index in `all` of each class of this interface
        let mut own: Vec<usize> = Vec::new();
        // number of classes so far and the last priority, for each parent
        let mut counts: HashMap<Option<usize>, (u8, u8)> = HashMap::new();
        for node in &interface.nodes {
            let parent = node.parent.and_then(|parent| own.get(parent).copied());
            let priority = priority(node, interface, parent, &mut counts);
            let key = (parent, node.name.as_str());
            let at = *known.entry(key).or_insert_with(|| {
                all.push(fresh(node, parent, priority));
                all.len() - 1
            });
            own.push(at);
            if let Some(parent) = parent.and_then(|parent| all.get_mut(parent)) {
                parent.inner = true;
            }
            let Some(merged) = all.get_mut(at) else { continue };
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
            into(merged, node, interface, direction);
        }
    }
    all
}

fn fresh(node: &Node, parent: Option<usize>, priority: u8) -> Merged {
    let queue = node.params.queue.clone();
    Merged {
        class: Class { span: Some(node.span), queue, ..Class::new(node.name.clone(), priority) },
        parent,
        first: PerDirection::default(),
        matches: Vec::new(),
        there: PerDirection::default(),
        inner: false,
    }
}

fn priority(
    node: &Node,
    interface: &Interface,
    parent: Option<usize>,
    counts: &mut HashMap<Option<usize>, (u8, u8)>,
) -> u8 {
    let inherited =
        node.parent.and_then(|parent| interface.nodes.get(parent)).map(|parent| parent.params.balanced);
    let balanced = inherited.unwrap_or(interface.params.balanced);
    let (count, last) = counts.entry(parent).or_insert((0, 0));
    let own = match node.params.prio {
        Prio::Fixed(number) => number,
        Prio::Keep => *last,
        Prio::Next if balanced => 4,
        Prio::Next => (*count).min(7),
    };
    (*count, *last) = (count.saturating_add(1), own);
    own
}

fn into(merged: &mut Merged, node: &Node, interface: &Interface, direction: Direction) {
    *merged.there.get_mut(direction) = true;
    let least = *interface.params.minrate.get(direction);
    let own = node.params.rate.get(direction).or(least).unwrap_or(LEAST);
    *merged.class.guarantee.get_mut(direction) = Some(own);
    let inherited = *node.params.ceil.get(direction);
    *merged.class.ceiling.get_mut(direction) = inherited;
    if merged.class.queue.is_none() {
        merged.class.queue.clone_from(&interface.params.queue);
    }
    for (order, found) in &node.matches {
        let found = found.get(direction);
        if !found.is_empty() {
            let first = merged.first.get_mut(direction);
            *first = Some(first.map_or(*order, |own: u32| own.min(*order)));
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
    let mut found = false;
    // From the last to the first, so that the classes inside a class are complete before it.
    for at in (0..all.len()).rev() {
        let Some(node) = all.pop() else { break };
        let mut class = node.class;
        for direction in Direction::BOTH {
            let shaped = of.get(direction).is_some();
            if shaped && !*node.there.get(direction) && class.name != "default" {
                *class.guarantee.get_mut(direction) = Some(Amount::Share(Percent::from_ppm(0)));
            }
        }
        let mut matches = node.matches;
        matches.sort_by_key(|(order, _)| *order);
        class.matches = joined(matches.into_iter().map(|(_, one)| one).collect());
        let position = node.first.up.or(node.first.down).unwrap_or(u32::MAX);
        if node.inner {
            class.classes = sorted(inside.remove(&Some(at)).unwrap_or_default());
            class.queue = None;
        }
        // fq_codel without options is the default
        if class.queue.as_ref().is_some_and(|queue| queue.kind == "fq_codel" && queue.options.is_empty()) {
            class.queue = None;
        }
        if node.parent.is_none() && class.name == "default" && !node.inner {
            class.default = true;
            found = true;
        }
        inside.entry(node.parent).or_default().push((position, class));
    }
    let mut classes = sorted(inside.remove(&None).unwrap_or_default());
    if !found {
        let name = if classes.iter().any(|class| class.name == "default") { "rest" } else { "default" };
        let guarantee = PerDirection::from_fn(|one| of.get(one).map(|_| LEAST));
        let about = vec!["FireQOS adds this class itself.".to_owned()];
        let priority = u8::try_from(classes.len().min(7)).unwrap_or(7);
        classes.push(Class { default: true, guarantee, about, ..Class::new(name, priority) });
    }
    classes
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
