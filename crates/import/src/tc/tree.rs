//! Builds the class tree from the classes and filters of both directions.

use super::gather;
use super::original::mark_of;
use super::read::{Device, Filter, Place, after};
use super::root::{Link, Queues, Root};
use super::selector::{BY_HAND, implied, matched};
use crate::amounts::rate_of_tc;
use crate::config::{Class, DEEPEST, Match, NOTHING};
use crate::proof::side::{Side, Sides, TOP};
use crate::report::ImportReport;
use indexmap::IndexSet;
use qosc_compiler::diag::ticked;
use qosc_compiler::tc::{ROOT, class_number};
use qosc_compiler::terms::limits::CLASS_ID;
use qosc_compiler::terms::{Amount, Direction, PerDirection};
use qosc_compiler::units::{Mark, Rate};
use std::collections::{BTreeMap, HashMap};

/// Largest number of filters whose targets have filters of their own.
const MOST: usize = 10_000;

/// A class of both directions.
#[derive(Default)]
struct Node {
    class: Class,
    parent: Option<u16>,
    inner: bool,
}

/// Classes by their minor number.
struct Tree<'a> {
    report: &'a mut ImportReport,
    nodes: BTreeMap<u16, Node>,
    queues: HashMap<u16, Queues<'a>>,
    /// Classes by their parent, in the order of the file.
    inside: HashMap<Option<u16>, Vec<u16>>,
    /// Classes with filters and those around them, in the order of the first filters.
    seen: IndexSet<u16>,
    default: Option<u16>,
    /// Directions with a shaper.
    shaped: PerDirection<bool>,
}

/// Returns the classes of a link.
pub(super) fn classes(link: &Link<'_>, source: &Sides, report: &mut ImportReport) -> Vec<Class> {
    let shaped = PerDirection::from_fn(|one| link.has_htb(one));
    let queues = link.queues();
    let (nodes, inside, seen) = Default::default();
    let mut tree = Tree { report, nodes, queues, inside, seen, default: None, shaped };
    let mut fallback: PerDirection<Option<u16>> = PerDirection::default();
    for direction in Direction::BOTH {
        let (Some(device), Some(root), Some(side)) =
            (*link.devices.get(direction), link.root(direction), source.get(direction))
        else {
            continue;
        };
        // HTB has the classes of both directions if CAKE has only one.
        if root.cake.is_some() && link.has_htb(direction.other()) {
            continue;
        }
        if root.qdisc.kind == "htb" {
            tree.add_classes(side, direction);
        }
        *fallback.get_mut(direction) = tree.add_filters(device, (root, side), direction, fallback.up);
    }
    tree.default = fallback.up.or(fallback.down).filter(|minor| tree.is_leaf(*minor));
    let mut minors: Vec<u16> = tree.nodes.keys().copied().collect();
    minors.sort_by_key(|minor| tree.seen.get_index_of(minor).unwrap_or(usize::MAX));
    for minor in minors {
        let parent = tree.nodes.get(&minor).and_then(|node| node.parent);
        let parent = parent.filter(|parent| tree.nodes.contains_key(parent));
        tree.inside.entry(parent).or_default().push(minor);
    }
    let mut classes = tree.level(None, 1);
    if link.first().is_some_and(|root| root.qdisc.kind == "tbf") {
        let mut class = Class { default: true, ..Class::new("normal", None) };
        super::queue::kind(tree.queues.get(&0).or(tree.queues.get(&1)), &mut class, tree.report);
        classes.push(class);
    } else if tree.default.is_none() {
        let about = vec!["The source has no class for packets that nothing matches.".to_owned()];
        classes.push(Class { default: true, about, ..Class::new("unmatched", 7) });
    }
    classes
}

impl Tree<'_> {
    fn is_leaf(&self, minor: u16) -> bool {
        self.nodes.get(&minor).is_some_and(|node| !node.inner)
    }

    /// Adds the classes of a direction. A class of both has the parent and the priority of uploads.
    fn add_classes(&mut self, side: &Side, direction: Direction) {
        for ((major, minor), from) in side.classes() {
            let parent = from.parent.filter(|parent| *parent != TOP).map(|(_, parent)| parent);
            let node = self.nodes.entry(*minor).or_default();
            node.parent = if node.class.span.is_some() { node.parent } else { parent };
            let class = &mut node.class;
            (class.span, class.priority) = (class.span.or(from.span), class.priority.or(Some(from.prio)));
            let number = Some(class_number(*minor)).filter(|number| CLASS_ID.holds((*number).into()));
            class.id = number.filter(|_| *major == ROOT);
            *class.guarantee.get_mut(direction) = Some(Amount::Rate(from.rate));
            *class.ceiling.get_mut(direction) = Some(Amount::Rate(from.ceil));
            if let Some(parent) = parent {
                self.nodes.entry(parent).or_default().inner = true;
            }
        }
    }

    /// Adds the matches of a direction. Returns the class that takes all remaining packets; if uploads have another
    /// one, it gets a match.
    fn add_filters(
        &mut self,
        device: &Device,
        (root, side): (&Root<'_>, &Side),
        direction: Direction,
        up: Option<u16>,
    ) -> Option<u16> {
        let mut sorted: Vec<&Filter> = device.filters.iter().collect();
        sorted.sort_by_key(|filter| filter.pref);
        for filter in sorted.iter().filter(|filter| !matches!(filter.place, Place::Class(_))) {
            others(filter, self.report);
        }
        let default = side.default.map(|own| own.1).filter(|minor| self.is_leaf(*minor));
        let all = Match { direction: Some(direction), ..Match::default() };
        let mut taken = Vec::new();
        self.flatten(&sorted, root, (0, 0, &all), default, &mut taken);
        // the default class needs no match at the end
        while taken.pop_if(|(_, minor, filter)| filter.is_none() && Some(*minor) == default).is_some() {}
        let mut caught = None;
        let last = taken.len().saturating_sub(1);
        for (number, (one, minor, _)) in taken.into_iter().enumerate() {
            let Some(node) = self.nodes.get_mut(&minor) else { continue };
            // Without a default class, all packets of one IP version are those that have a class.
            let is_rest = default.is_none() && number == last && Match { family: None, ..one.clone() } == all;
            if one == all || is_rest {
                caught = caught.or(Some(minor));
            } else if caught.is_none() {
                node.class.matches.push(one);
                self.see(minor);
            }
        }
        let rest = caught.or(default);
        if let Some(minor) = rest.filter(|minor| up.is_some_and(|up| up != *minor))
            && let Some(node) = self.nodes.get_mut(&minor)
        {
            node.class.matches.push(all);
            self.see(minor);
        }
        rest
    }

    /// Adds the filters of a list with the leaf class that their packets get. A class with children asks its own
    /// filters, and packets that none of them takes have the default class, as do those that a filter gives to no
    /// class.
    fn flatten<'f>(
        &mut self,
        filters: &[&'f Filter],
        root: &Root<'_>,
        (place, depth, around): (u16, usize, &Match),
        default: Option<u16>,
        taken: &mut Vec<(Match, u16, Option<&'f Filter>)>,
    ) {
        let direction = around.direction.unwrap_or(Direction::Up);
        let is_here = |filter: &&&Filter| match filter.place {
            Place::Class(own) => own.map_or(0, |own| own.1) == place,
            _ => false,
        };
        for filter in filters.iter().filter(is_here) {
            if filter.kind == "fw" && filter.handle.is_none() && filter.flowid.is_none() {
                let major = root.qdisc.id.map_or(0, |id| id.0);
                let is_leaf = |node: &Node| !node.inner && node.class.guarantee.get(direction).is_some();
                for (minor, _) in self.nodes.iter().filter(|(_, node)| is_leaf(node)) {
                    let mark = Mark { value: mark_of((major, *minor)), mask: u32::MAX };
                    taken.push((Match { mark: vec![mark], ..around.clone() }, *minor, Some(*filter)));
                }
                continue;
            }
            if filter.link.is_some() {
                let said = "the filter leads to a hash table of u32, which is not converted";
                self.report.bad(filter.span, said, BY_HAND);
                continue;
            }
            let Some((_, minor)) = filter.flowid else {
                self.report.lost(filter.span, "this filter has no class", "");
                continue;
            };
            let one = matched(filter, direction)
                .and_then(|one| one.within(around).ok_or_else(|| "a match behind another match".to_owned()));
            let one = match one {
                Ok(one) => one,
                Err(words) => {
                    let said = format!("the filter is left out: {} has no equivalent", ticked(&words));
                    self.report.lost(filter.span, said, "write a `match` with the keys of the file");
                    continue;
                }
            };
            if filter.protocol == "all" && filter.has("match") && one.family.or(implied(&one)).is_some() {
                let said = "the filter also compares packets that are not IPv4; here it is a match of IPv4";
                self.report.other(filter.span, said, "");
            }
            if filter.has("pedit") {
                let said = "the filter changes packets, and the class does not";
                self.report.lost(filter.span, said, "a class can change the DSCP, with `set_dscp`");
            }
            if self.is_leaf(minor) {
                taken.push((one, minor, Some(*filter)));
                continue;
            }
            let is_inner =
                self.nodes.contains_key(&minor) || root.whole.is_some_and(|whole| whole.id.1 == minor);
            let said = format!("the class {minor:x} of the filter is no leaf class");
            let help = "packets that no filter of that class takes have the default class, as in the kernel";
            self.report.lost(filter.span, said, help);
            if depth == DEEPEST || taken.len() > MOST {
                let said = "filters lead to each other too often";
                self.report.bad(filter.span, said, "lead to the classes directly");
                return;
            }
            if is_inner {
                self.flatten(filters, root, (minor, depth + 1, &one), default, taken);
            }
            taken.extend(default.map(|default| (one, default, None)));
        }
    }

    /// Notes the place of a class with a filter, and of those around it.
    fn see(&mut self, minor: u16) {
        let mut around = Some(minor);
        for _ in 0..DEEPEST {
            let Some(minor) = around else { break };
            self.seen.insert(minor);
            around = self.nodes.get(&minor).and_then(|node| node.parent);
        }
    }

    fn level(&mut self, parent: Option<u16>, depth: usize) -> Vec<Class> {
        let level = self.inside.remove(&parent).unwrap_or_default();
        let mut classes = Vec::new();
        for minor in level {
            let Some(node) = self.nodes.remove(&minor) else { continue };
            if depth > DEEPEST {
                let said = format!("the class {minor:x} is nested deeper than {DEEPEST} levels");
                self.report.bad(self.report.place(node.class.span), said, "a file has at most seven levels");
                continue;
            }
            let inner = self.level(Some(minor), depth + 1);
            classes.push(self.finished(minor, node, inner));
        }
        classes
    }

    fn finished(&mut self, minor: u16, node: Node, inner: Vec<Class>) -> Class {
        let class = node.class;
        let leaf = inner.is_empty();
        let default = leaf && self.default == Some(minor);
        let missing = |one: Direction| (*self.shaped.get(one) && !default).then_some(NOTHING);
        let mut class = Class {
            name: format!("class-{minor:x}"),
            priority: class.priority.filter(|_| leaf),
            default,
            guarantee: PerDirection::from_fn(|one| class.guarantee.get(one).or_else(|| missing(one))),
            matches: gather::gathered(class.matches),
            classes: inner,
            ..class
        };
        if leaf && !default && class.matches.is_empty() {
            let said =
                format!("only other programs can choose class {minor:x}, such as iptables with CLASSIFY");
            let help = "write its packets as `match`, or remove the class if it is not used";
            self.report.lost(class.span, said, help);
        }
        if leaf {
            super::queue::kind(self.queues.get(&minor), &mut class, self.report);
        }
        class
    }
}

/// Returns the rate of a policer for all downloads.
pub(super) fn whole_policer(filter: &Filter) -> Option<Rate> {
    let everything = Match { direction: Some(Direction::Down), ..Match::default() };
    // IPv4 alone is nearly all
    let found = Match { family: None, ..matched(filter, Direction::Down).ok()? };
    if filter.place != Place::Ingress || found != everything || filter.protocol == "ipv6" {
        return None;
    }
    let police = filter.more.iter().find(|line| line.iter().any(|word| word.text == "police"))?;
    rate_of_tc(after(police, "rate")?)
}

/// Reports a filter at a hook, unless it only redirects packets.
fn others(filter: &Filter, report: &mut ImportReport) {
    if whole_policer(filter).is_some() {
        let said = "here the policer is one for all downloads of both IP versions, with a derived burst";
        report.other(filter.span, said, "");
    } else if filter.has("police") {
        report.lost(filter.span, "a policer is not converted", "write `police` with its `match` and `rate`");
    } else if !filter.has("mirred") {
        report.lost(filter.span, "a filter at a hook of the device is not converted", "");
    }
}
