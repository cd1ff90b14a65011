//! Builds the class tree from the classes and filters of both directions.

use super::gather;
use super::link::Link;
use super::read::{Device, Filter, Id, Place, Qdisc, after};
use super::root::Root;
use super::selector::{matched, priority};
use crate::diag::{Span, ticked};
use crate::import::amounts::rate_of_tc;
use crate::import::config::{Class, DEEPEST, Match, NOTHING};
use crate::import::report::Report;
use crate::import::text::START;
use crate::tc::{ROOT, class_number};
use crate::terms::limits::CLASS_ID;
use crate::terms::{Amount, Direction, PerDirection};
use crate::units::{Dscp, Rate};
use std::collections::{BTreeMap, HashMap};

/// A class of both directions, by its minor number.
#[derive(Default)]
struct Node {
    span: Option<Span>,
    parent: Option<u16>,
    rate: PerDirection<Option<Rate>>,
    ceil: PerDirection<Option<Rate>>,
    prio: Option<u8>,
    inner: bool,
    matches: Vec<Match>,
    /// Position of the first filter in each direction.
    first: PerDirection<Option<usize>>,
    ours: bool,
}

/// Changes of the DSCP.
#[derive(Default)]
struct Edits {
    set: HashMap<u16, Dscp>,
    wash: PerDirection<bool>,
}

/// Returns the classes of a link, and the directions in which filters clear the DSCP.
pub(super) fn classes(link: &Link<'_>, start: Span, report: &mut Report) -> (Vec<Class>, PerDirection<bool>) {
    let mut nodes: BTreeMap<u16, Node> = BTreeMap::new();
    let mut edits = Edits::default();
    let mut fallback: PerDirection<Option<u16>> = PerDirection::default();
    for direction in Direction::BOTH {
        let (Some(device), Some(root)) = (*link.devices.get(direction), link.roots.get(direction)) else {
            continue;
        };
        // HTB has the classes of both directions if CAKE has only one.
        if root.cake.is_some() && link.has_htb(direction.other()) {
            continue;
        }
        objects(device, root, direction, &mut nodes, report);
        let caught = filters(device, root, direction, &mut nodes, &mut edits, report);
        *fallback.get_mut(direction) = caught.or_else(|| by_default(root, &nodes));
    }
    let default = chosen(&fallback, &nodes, start, report);
    let queues = queues(link);
    let mut inside: HashMap<Option<u16>, Vec<(usize, u16)>> = HashMap::new();
    for (minor, node) in &nodes {
        let parent = node.parent.filter(|parent| nodes.contains_key(parent));
        let position = node.first.up.or(node.first.down).unwrap_or(usize::MAX);
        inside.entry(parent).or_default().push((position, *minor));
    }
    let shaped = PerDirection::from_fn(|one| link.has_htb(one));
    let mut builder = Builder { nodes, inside, default, shaped, queues, set: edits.set };
    let mut classes = builder.level(None, 1, report);
    if default.is_none() {
        let about = vec!["The source has no class for packets that nothing matches.".to_owned()];
        classes.push(Class { default: true, about, ..Class::new("unmatched", 7) });
    }
    (classes, edits.wash)
}

/// Returns the class for packets that no filter takes, as HTB's own option names it.
fn by_default(root: &Root<'_>, nodes: &BTreeMap<u16, Node>) -> Option<u16> {
    let text = after(&root.qdisc.words, "default")?;
    let minor = u16::from_str_radix(text.trim_start_matches("0x"), 16).ok()?;
    nodes.get(&minor).filter(|node| !node.inner).map(|_| minor)
}

fn chosen(
    fallback: &PerDirection<Option<u16>>,
    nodes: &BTreeMap<u16, Node>,
    start: Span,
    report: &mut Report,
) -> Option<u16> {
    if let (Some(up), Some(down)) = (fallback.up, fallback.down)
        && up != down
    {
        let said = format!(
            "packets that no filter takes go to class {up:x} for uploads and {down:x} for downloads, and a file has one default class"
        );
        report.lost(start, said, "the class for uploads is used");
    }
    let leaves = || nodes.iter().filter(|(_, node)| !node.inner);
    let found =
        fallback.up.or(fallback.down).filter(|minor| nodes.get(minor).is_some_and(|node| !node.inner));
    // a single class takes everything
    let found = found.or_else(|| leaves().next().map(|(minor, _)| *minor).filter(|_| leaves().count() == 1));
    if found.is_none() {
        report.lost(
            start,
            "packets that no filter takes bypass the classes, and a file always has a default class",
            "the class `unmatched` takes them; give it a `guarantee`, or mark another class with `default: true`",
        );
    }
    found
}

/// Adds the classes of a direction.
fn objects(
    device: &Device,
    root: &Root<'_>,
    direction: Direction,
    nodes: &mut BTreeMap<u16, Node>,
    report: &mut Report,
) {
    let whole = root.whole.map(|whole| whole.id);
    let single = device.classes.len() == 1;
    for class in &device.classes {
        let ours = class.id.0 == ROOT;
        if Some(class.id) == whole && !single {
            continue;
        }
        let parent =
            class.parent.filter(|parent| Some(*parent) != whole && parent.1 != 0 && *parent != class.id);
        let node = nodes.entry(class.id.1).or_default();
        if node.span.is_some() && node.parent != parent.map(|parent| parent.1) {
            let said = format!(
                "the class {:x} has another parent for downloads, and a file has one tree",
                class.id.1
            );
            report.lost(class.span, said, "the parent for uploads is used");
        } else {
            node.parent = parent.map(|parent| parent.1);
        }
        if let (Some(own), Some(other)) = (node.prio, class.prio)
            && own != other
        {
            let said = format!(
                "the class {:x} has priority {own} for uploads and {other} for downloads, and a file has one for both",
                class.id.1
            );
            report.lost(class.span, said, "the priority for uploads is used");
        }
        node.prio = node.prio.or(class.prio);
        node.span = node.span.or(Some(class.span));
        node.ours = ours;
        *node.rate.get_mut(direction) = Some(class.rate);
        *node.ceil.get_mut(direction) = Some(class.ceil);
        if let Some((_, parent)) = parent {
            nodes.entry(parent).or_default().inner = true;
        }
    }
}

/// Adds the matches of a direction. Returns the class that takes all remaining packets.
fn filters(
    device: &Device,
    root: &Root<'_>,
    direction: Direction,
    nodes: &mut BTreeMap<u16, Node>,
    edits: &mut Edits,
    report: &mut Report,
) -> Option<u16> {
    let mut sorted: Vec<&Filter> = device.filters.iter().collect();
    sorted.sort_by_key(|filter| filter.pref);
    let mut caught = None;
    for (position, filter) in sorted.into_iter().enumerate() {
        let Place::Class(place) = filter.place else {
            others(filter, report);
            continue;
        };
        let tin = priority(filter).filter(|_| root.cake.is_some());
        let Some((_, minor)) = filter.flowid.or(tin) else {
            report.lost(filter.span, "this filter has no class", "");
            continue;
        };
        if tin.is_some() {
            let node = nodes.entry(minor).or_default();
            node.span = node.span.or(Some(filter.span));
            // tins are served from the highest number
            node.prio = Some(7u8.saturating_sub(u8::try_from(minor).unwrap_or(7)));
        }
        let one = match matched(filter, direction) {
            Ok(one) => one,
            Err(words) => {
                let said = format!("the filter is left out: {} has no equivalent", ticked(&words));
                report.lost(filter.span, said, "write a `match` with the keys of the file");
                continue;
            }
        };
        edited(filter, direction, minor, edits, report);
        let everything = Match { direction: one.direction, ..Match::default() } == one;
        let at_root = place.is_none_or(|place: Id| place.1 == 0);
        let Some(node) = nodes.get_mut(&minor) else {
            report.lost(filter.span, format!("the filter is left out: there is no class {minor:x}"), "");
            continue;
        };
        if everything && at_root && !node.inner {
            caught = caught.or(Some(minor));
            continue;
        }
        if caught.is_some() && at_root {
            report.other(
                filter.span,
                "no packet reaches this filter: a filter above it takes all packets",
                "",
            );
            continue;
        }
        let slot = node.first.get_mut(direction);
        *slot = slot.or(Some(position));
        node.matches.push(one);
    }
    caught
}

/// Records the DSCP that a filter sets, and reports any other change of a packet.
fn edited(filter: &Filter, direction: Direction, minor: u16, edits: &mut Edits, report: &mut Report) {
    let set = super::selector::set_dscp(filter);
    let plain = !filter.has("pedit");
    match set {
        Some(dscp) if dscp.bits() == 0 => *edits.wash.get_mut(direction) = true,
        Some(dscp) => {
            edits.set.insert(minor, dscp);
        }
        None if plain => {}
        None => report.lost(
            filter.span,
            "the filter changes packets, and the class does not",
            "a class can change the DSCP alone, with `set_dscp`",
        ),
    }
}

/// Returns the rate of a policer for all downloads.
pub(super) fn policed(device: &Device) -> Option<Rate> {
    device.filters.iter().find_map(whole_policer)
}

fn whole_policer(filter: &Filter) -> Option<Rate> {
    let everything = Match { direction: Some(Direction::Down), ..Match::default() };
    if filter.place != Place::Ingress || matched(filter, Direction::Down).ok()? != everything {
        return None;
    }
    let police = filter.more.iter().find(|line| line.iter().any(|word| word.text == "police"))?;
    rate_of_tc(after(police, "rate")?)
}

/// Reports a filter at a hook, unless it only redirects packets.
fn others(filter: &Filter, report: &mut Report) {
    if whole_policer(filter).is_some() {
        return;
    }
    if filter.has("police") {
        report.lost(filter.span, "a policer is not converted", "write `police` with its `match` and `rate`");
    } else if !filter.has("mirred") {
        report.lost(filter.span, "a filter at a hook of the device is not converted", "");
    }
}

/// Returns the queues of the classes in each direction.
fn queues<'a>(link: &Link<'a>) -> HashMap<u16, PerDirection<Option<&'a Qdisc>>> {
    let mut all: HashMap<u16, PerDirection<Option<&Qdisc>>> = HashMap::new();
    for (direction, qdisc) in link.qdiscs() {
        if let Some((_, minor)) = qdisc.parent {
            *all.entry(minor).or_default().get_mut(direction) = Some(qdisc);
        }
    }
    all
}

struct Builder<'a> {
    nodes: BTreeMap<u16, Node>,
    inside: HashMap<Option<u16>, Vec<(usize, u16)>>,
    default: Option<u16>,
    /// Directions with a shaper.
    shaped: PerDirection<bool>,
    /// DSCP of the packets of a class.
    set: HashMap<u16, Dscp>,
    queues: HashMap<u16, PerDirection<Option<&'a Qdisc>>>,
}

impl Builder<'_> {
    fn level(&mut self, parent: Option<u16>, depth: usize, report: &mut Report) -> Vec<Class> {
        let mut level = self.inside.remove(&parent).unwrap_or_default();
        level.sort_unstable();
        let mut classes = Vec::new();
        for (_, minor) in level {
            let Some(node) = self.nodes.remove(&minor) else { continue };
            if depth > DEEPEST {
                let span = node.span.unwrap_or(START);
                report.bad(
                    span,
                    format!("the class {minor:x} is nested deeper than {DEEPEST} levels"),
                    "a file has at most seven levels",
                );
                continue;
            }
            let inner = self.level(Some(minor), depth + 1, report);
            classes.push(self.class(minor, node, inner, report));
        }
        classes
    }

    fn class(&self, minor: u16, node: Node, inner: Vec<Class>, report: &mut Report) -> Class {
        let (name, prio) = match node.rate == PerDirection::default() && node.prio.is_some() {
            true => (format!("tin-{minor}"), node.prio),
            false => (format!("class-{minor:x}"), node.prio),
        };
        let tin = name.starts_with("tin-");
        let leaf = inner.is_empty();
        let mut class = Class::new(name, prio.filter(|_| leaf));
        class.span = node.span;
        class.id = Some(class_number(minor)).filter(|id| node.ours && CLASS_ID.holds((*id).into()));
        class.default = leaf && self.default == Some(minor);
        if !tin {
            let missing = |one: Direction| (*self.shaped.get(one) && !class.default).then_some(NOTHING);
            class.guarantee =
                PerDirection::from_fn(|one| node.rate.get(one).map(Amount::Rate).or_else(|| missing(one)));
            class.ceiling = PerDirection::from_fn(|one| node.ceil.get(one).map(Amount::Rate));
        }
        class.set_dscp = self.set.get(&minor).copied().filter(|_| leaf);
        class.matches = gather::gathered(node.matches);
        class.classes = inner;
        if leaf && !tin {
            let queues = self.queues.get(&minor).copied().unwrap_or_default();
            super::queue::kind(&queues, &mut class, report);
        }
        class
    }
}
