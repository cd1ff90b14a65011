//! Compares the class trees of two configurations.

use super::change::{At, Change, ChangeKind, Comparison, Group};
use super::hosts;
use super::matches::Pair;
use super::names::{self, Renamed, now};
use super::queue;
use super::shared::scheduling;
use super::written::{self, Side, Written, word};
use crate::derive::borrows;
use crate::diff::Price;
use crate::model::FileSection;
use crate::model::{Amount, Class, Direction, Leaf, PerDirection, Shape, Val};
use crate::units::{Percent, Rate};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A class and the name of its parent class.
#[derive(Debug, Clone, Copy)]
struct Node<'a> {
    class: &'a Class,
    parent: Option<&'a str>,
}

impl<'a> Node<'a> {
    fn name(self) -> &'a str {
        &self.class.name
    }

    /// Returns the words that name the loss of everything below the class.
    fn and_all(self) -> &'static str {
        match self.class.shape {
            Shape::Inner(_) => ", also for the classes in it",
            Shape::Leaf(_) => "",
        }
    }
}

/// Collects all classes, parents before children, in the order of the file.
fn nodes<'a>(classes: &'a [Class], parent: Option<&'a str>, into: &mut Vec<Node<'a>>) {
    for class in classes {
        into.push(Node { class, parent });
        if let Shape::Inner(children) = &class.shape {
            nodes(children, Some(&class.name), into);
        }
    }
}

/// Returns everything that the file states about a class except its name, to find the class under another name. Derived
/// values are left out.
fn signature(class: &Class, matches: Option<Vec<String>>) -> Vec<String> {
    let (guarantee, ceiling) = (guarantee(class), ceiling(class));
    let mut all = vec![
        if class.priority.is_given() { class.priority.value.to_string() } else { String::new() },
        format!("{:?} {:?}", guarantee.up.0, guarantee.down.0),
        format!("{:?} {:?}", ceiling.up.0, ceiling.down.0),
        format!("{matches:?}"),
    ];
    match &class.shape {
        Shape::Inner(children) => {
            let names: BTreeSet<&str> = children.iter().map(|child| child.name.as_str()).collect();
            all.push(format!("{names:?}"));
        }
        Shape::Leaf(leaf) => all.push(format!(
            "{} {} {:?} {:?} {:?}",
            leaf.default,
            word(&leaf.share.value),
            leaf.set_dscp.as_ref().map(|dscp| dscp.value),
            queue::written(&leaf.queue.up),
            queue::written(&leaf.queue.down),
        )),
    }
    all
}

/// Returns the written and the resulting guarantee of a class.
fn guarantee(class: &Class) -> PerDirection<Side> {
    let (asked, rates) = (&class.asked.guarantee, &class.guarantee);
    PerDirection { up: (asked.up, Some(rates.up.value)), down: (asked.down, Some(rates.down.value)) }
}

/// Returns the written and the resulting ceiling of a class. A written `100%` counts as not written, because it is the
/// default.
fn ceiling(class: &Class) -> PerDirection<Side> {
    let (asked, rates) = (&class.asked.ceiling, &class.ceiling);
    let said = |amount: Written| amount.filter(|amount| *amount != Amount::Share(Percent::ALL));
    PerDirection {
        up: (said(asked.up), Some(rates.up.value)),
        down: (said(asked.down), Some(rates.down.value)),
    }
}

/// The class trees of both configurations.
pub(super) struct Trees<'a> {
    old: Vec<Node<'a>>,
    new: Vec<Node<'a>>,
    /// Old names of renamed classes, with the new ones.
    pub(super) renamed: Renamed<'a>,
}

impl<'a> Trees<'a> {
    pub(super) fn of(pair: Pair<'a>) -> Trees<'a> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        nodes(&pair.old.classes, None, &mut old);
        nodes(&pair.new.classes, None, &mut new);
        let renamed = renamed(pair, &old, &new);
        Trees { old, new, renamed }
    }

    /// Records all differences between the two trees.
    pub(super) fn compare(&self, found: &mut Comparison, pair: Pair<'a>) {
        let olds: BTreeMap<&str, Node<'a>> =
            self.old.iter().map(|node| (now(&self.renamed, node.name()), *node)).collect();
        let news: BTreeSet<&str> = self.new.iter().map(|node| node.name()).collect();
        for node in self.old.iter().filter(|node| !news.contains(now(&self.renamed, node.name()))) {
            found.changes.push(removed(*node));
        }
        for node in &self.new {
            match olds.get(node.name()) {
                Some(old) => self.both(found, pair, *old, *node),
                None => found.changes.push(added(pair, *node)),
            }
        }
        self.default(found);
    }

    /// Records a change of the default class, which receives all traffic that no match selects.
    fn default(&self, found: &mut Comparison) {
        let default = |nodes: &[Node<'a>]| nodes.iter().find(|node| node.class.is_default()).copied();
        let (Some(old), Some(new)) = (default(&self.old), default(&self.new)) else { return };
        let place = At { area: FileSection::Classes, name: "", line: new.class.span.own_line() };
        let names = (now(&self.renamed, old.name()).to_owned(), new.name().to_owned());
        found.field(&place, "default", names, Price::in_place("the catch-all filter is replaced"));
    }

    fn both(&self, found: &mut Comparison, pair: Pair<'a>, old: Node<'a>, new: Node<'a>) {
        let place = At { area: FileSection::Classes, name: new.name(), line: new.class.span.own_line() };
        self.place(found, &place, old, new);

        let changed = Price::in_place("a class can change while packets pass");
        let (was, is) = (&old.class.priority, &new.class.priority);
        let priorities = (was.value.to_string(), is.value.to_string());
        if was.is_given() || is.is_given() {
            found.field(&place, "priority", priorities, changed.clone());
        } else {
            found.follow(&place, Group::Priorities, "priority", priorities.0, priorities.1);
        }
        let directions = names::directions(pair.old, pair.new);
        let (was, is) = (guarantee(old.class), guarantee(new.class));
        let how = (directions, &changed);
        written::rates(found, &place, ("guarantee", written::LEFT), (&was, &is), how);
        let (was, is) = (ceiling(old.class), ceiling(new.class));
        written::rates(found, &place, ("ceiling", "100%"), (&was, &is), how);
        for direction in directions {
            scheduling(
                found,
                &place,
                *direction,
                old.class.scheduling.get(*direction),
                new.class.scheduling.get(*direction),
            );
        }
        shape(found, &place, directions, (old.class, new.class));

        let none = Vec::new();
        let (was, is) = (old.class.matches.as_ref(), new.class.matches.as_ref());
        pair.compare(found, &place, was.unwrap_or(&none), is.unwrap_or(&none));
    }

    /// Compares name, parent and id. Each of them costs the same, so only one of them is recorded.
    fn place(&self, found: &mut Comparison, place: &At<'_>, old: Node<'a>, new: Node<'a>) {
        let (was, is) = (old.class.id.value.0, new.class.id.value.0);
        let renamed = old.name() != new.name();
        if renamed {
            let price = match was == is {
                true => Price::in_place("its `id` is given and stays the same"),
                false => Price::own_backlog(format!("the id is computed from the name{}", new.and_all())),
            };
            found.changes.push(Change {
                old: Some(old.name().to_owned()),
                new: Some(new.name().to_owned()),
                ..place.change(ChangeKind::Renamed, price)
            });
        }
        let parent = old.parent.map(|parent| now(&self.renamed, parent));
        if parent != new.parent {
            let text = |parent: Option<&str>| Some(parent.unwrap_or("the link").to_owned());
            let price = Price::swap(format!("the kernel cannot move a class{}", new.and_all()));
            let change = place.change(ChangeKind::Moved, price);
            found.changes.push(Change { old: text(parent), new: text(new.parent), ..change });
        }
        if was != is && !renamed {
            let reason = match old.class.id.is_given() || new.class.id.is_given() {
                true => "to the kernel, another id is another class",
                false => "another class now gets its id, unless `id` is set",
            };
            found.changes.push(Change {
                field: "id".to_owned(),
                old: Some(format!("{was:#x}")),
                new: Some(format!("{is:#x}")),
                ..place
                    .change(ChangeKind::Renumbered, Price::own_backlog(format!("{reason}{}", new.and_all())))
            });
        }
    }
}

/// Pairs each class that vanished with the first class that appeared under the same parent with the same signature.
/// Parents come first.
fn renamed<'a>(pair: Pair<'a>, old: &[Node<'a>], new: &[Node<'a>]) -> Renamed<'a> {
    let olds: BTreeSet<&str> = old.iter().map(|node| node.name()).collect();
    let news: BTreeSet<&str> = new.iter().map(|node| node.name()).collect();
    let mut appeared: BTreeMap<(Option<&str>, Vec<String>), VecDeque<&str>> = BTreeMap::new();
    for node in new.iter().filter(|node| !olds.contains(node.name())) {
        let keys = node.class.matches.as_ref().map(|list| pair.new_keys(list));
        appeared.entry((node.parent, signature(node.class, keys))).or_default().push_back(node.name());
    }
    let mut pairs = BTreeMap::new();
    for node in old.iter().filter(|node| !news.contains(node.name())) {
        let keys = node.class.matches.as_ref().map(|list| pair.old_keys(list));
        let signature = signature(node.class, keys);
        let parent = node.parent.map(|parent| now(&pairs, parent));
        if let Some(other) = appeared.get_mut(&(parent, signature)).and_then(VecDeque::pop_front) {
            pairs.insert(node.name(), other);
        }
    }
    pairs
}

fn removed(node: Node<'_>) -> Change {
    let place = At { area: FileSection::Classes, name: node.name(), line: node.class.span.own_line() };
    let price = match node.class.shape {
        Shape::Leaf(_) => Price::own_backlog("its queue is deleted with it"),
        Shape::Inner(_) => Price::in_place("it has no queue of its own"),
    };
    Change { old: node.parent.map(str::to_owned), ..place.change(ChangeKind::Removed, price) }
}

fn added(pair: Pair<'_>, node: Node<'_>) -> Change {
    let place = At { area: FileSection::Classes, name: node.name(), line: node.class.span.own_line() };
    let directions = names::directions(pair.old, pair.new);
    let class = node.class;
    let rates = |name: &str, rates: &PerDirection<Val<Rate>>| {
        let text = |rate: Rate| if borrows(rate) { "0%".to_owned() } else { rate.to_string() };
        let mut texts: Vec<String> =
            directions.iter().map(|direction| text(rates.get(*direction).value)).collect();
        texts.dedup();
        format!(", {name} {}", texts.join(" / "))
    };
    let mut note = format!("priority {}{}", class.priority.value, rates("guarantee", &class.guarantee));
    // Without a written ceiling the class has its parent's.
    if directions.iter().any(|direction| ceiling(class).get(*direction).0.is_some()) {
        note.push_str(&rates("ceiling", &class.ceiling));
    }
    let change =
        place.change(ChangeKind::Added, Price::in_place("no packet enters it before it is complete"));
    Change { new: node.parent.map(str::to_owned), note: Some(note), ..change }
}

/// Compares the fields of leaf classes. Also records a leaf that becomes a parent class, and the reverse.
fn shape(found: &mut Comparison, place: &At<'_>, directions: &[Direction], (old, new): (&Class, &Class)) {
    let names = |class: &Class| match &class.shape {
        Shape::Leaf(_) => "a queue".to_owned(),
        Shape::Inner(children) => {
            let names: Vec<&str> = children.iter().map(|child| child.name.as_str()).collect();
            format!("classes ({})", names.join(", "))
        }
    };
    let (was, is) = match (&old.shape, &new.shape) {
        (Shape::Leaf(was), Shape::Leaf(is)) => (was, is),
        (Shape::Leaf(_), Shape::Inner(_)) => {
            let price = Price::swap("classes replace its queue");
            return found.field(place, "holds", (names(old), names(new)), price);
        }
        (Shape::Inner(_), Shape::Leaf(_)) => {
            let price = Price::swap("a queue replaces its last classes");
            return found.field(place, "holds", (names(old), names(new)), price);
        }
        (Shape::Inner(_), Shape::Inner(_)) => return,
    };
    let shares = (word(&was.share.value), word(&is.share.value));
    found.field(place, "share", shares, Price::swap("the queue in the leaf is replaced"));
    let dscp = |leaf: &Leaf| leaf.set_dscp.as_ref().map(|dscp| dscp.value.to_string());
    found.field(place, "set_dscp", (dscp(was), dscp(is)), Price::in_place("the filters are replaced"));
    for direction in directions {
        queue::compare(found, place, *direction, was.queue.get(*direction), is.queue.get(*direction));
        if let (Some(was), Some(is)) = (was.hosts.get(*direction), is.hosts.get(*direction)) {
            hosts::classes(found, *direction, was, is);
        }
    }
}
