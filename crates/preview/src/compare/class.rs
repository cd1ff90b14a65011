//! Compares the classes, and the host classes below their leaves.

use super::change::{At, Comparison};
use super::fields::{self, Field};
use super::price;
use super::section::{Object, Pair, written};
use super::side::{Renamed, Side};
use crate::diff::{Cost, Price};
use qosc_compiler::derive::borrows;
use qosc_compiler::diag::Span;
use qosc_compiler::model::{
    Alternative, Amount, Class, Direction, FileSection, HostClass, Leaf, PerDirection, Queue, Shape, Val,
};
use qosc_compiler::units::{Percent, Rate};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns rates together with the amounts that somebody wrote.
pub(super) fn rates(asked: PerDirection<impl Serialize>, rates: &PerDirection<impl Serialize>) -> Value {
    json!({
        "up": { "value": rates.up, "asked": asked.up },
        "down": { "value": rates.down, "asked": asked.down },
    })
}

/// Returns who shares the leaf of a class: a value for both directions, if there is one in both classes.
fn share(leaf: &Leaf, other: &Leaf) -> Value {
    let own = |leaf: &Leaf| PerDirection::from_fn(|direction| leaf.share.get(direction).value);
    let is_one = |leaf: &Leaf| own(leaf).up == own(leaf).down;
    if is_one(leaf) && is_one(other) { json!(own(leaf).up) } else { json!(own(leaf)) }
}

/// Returns the parameters of a queue, each with its kind.
fn queue(queue: &Queue) -> Value {
    match queue {
        Queue::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => json!({
            "": "fq_codel", "target": target, "interval": interval, "limit": limit, "quantum": quantum,
            "flows": flows, "memory": memory, "ecn": ecn,
        }),
        Queue::Cake { rtt, diffserv, ack_filter, wash, isolation, nat, memory } => json!({
            "": "cake", "rtt": rtt, "diffserv": diffserv, "ack_filter": ack_filter, "wash": wash,
            "isolation": isolation, "nat": nat, "memory": memory,
        }),
        Queue::Fifo { limit } => json!({ "": "fifo", "limit": limit }),
    }
}

/// Returns the words that name the loss of everything below the class.
fn and_all(class: &Class) -> &'static str {
    if class.leaf().is_some() { "" } else { ", also for the classes in it" }
}

/// Returns the cost of another id. A class in it that keeps its own id would have to move.
fn renumbering(old: &Class, new: &Class, reason: &str) -> Price {
    match new.children().iter().find(|own| old.children().iter().any(|was| was.id.value == own.id.value)) {
        Some(kept) if old.id.value != new.id.value => {
            Price::swap(format!("{reason}, and the kernel cannot move {}", kept.name))
        }
        _ => Price::own_backlog(format!("{reason}{}", and_all(new))),
    }
}

/// Returns the cost of a change for a class that may get another id. The kernel then creates it beside the tree.
fn unless_created(old: &Class, new: &Class, price: Price) -> Price {
    match old.id.value != new.id.value && price.cost == Cost::Swap {
        true => Price::own_backlog("it is created anew, because its id changes"),
        false => price,
    }
}

/// Words for the guarantee of a class that only borrows.
const BORROWS: &str = "borrows only";

/// Returns what the class contains.
fn contents(class: &Class) -> String {
    match &class.shape {
        Shape::Leaf(_) => "a queue".to_owned(),
        Shape::Inner(children) => {
            let names: Vec<&str> = children.iter().map(|child| child.name.as_str()).collect();
            format!("classes ({})", names.join(", "))
        }
    }
}

/// Returns the values that do not depend on the place of the class.
fn values(class: &Class, other: &Class) -> Value {
    let leaves = class.leaf().zip(other.leaf());
    let holds = class.leaf().is_some() != other.leaf().is_some();
    json!({
        "priority": class.priority,
        "guarantee": rates(class.asked.guarantee, &class.guarantee),
        "ceiling": rates(class.asked.ceiling, &class.ceiling),
        "": class.scheduling,
        "holds": holds.then(|| contents(class)),
        "share": leaves.map(|(own, other)| share(own, other)),
        "set_dscp": leaves.and_then(|(own, _)| own.set_dscp.as_ref()),
    })
}

impl Object for &Class {
    const AREA: FileSection = FileSection::Classes;

    fn name(&self) -> &str {
        &self.name
    }

    fn span(&self) -> Span {
        self.span
    }

    fn matches(&self) -> &[Alternative] {
        self.matches.as_deref().unwrap_or_default()
    }

    /// Returns everything that the file states about a class except its name. Derived values are left out.
    fn key(&self, side: &Side<'_>, renamed: &Renamed<'_>) -> String {
        let matches = self.matches.as_ref().map(|list| side.normal_matches(list));
        let queues = |leaf: &Leaf| json!({ "up": queue(&leaf.queue.up), "down": queue(&leaf.queue.down) });
        let queues = self.leaf().map(|leaf| written(&queues(leaf)));
        let parent = side.parent(&self.name, renamed);
        let (contents, default) = (contents(self), self.is_default());
        format!("{parent:?} {contents} {default} {matches:?} {queues:?} {}", written(&values(self, self)))
    }

    fn summary(&self, side: &Side<'_>) -> Option<String> {
        side.parent(&self.name, &Renamed::new()).map(str::to_owned)
    }

    fn note(&self, pair: &Pair<'_>) -> Option<String> {
        let rates = |name: &str, rates: &PerDirection<Val<Rate>>| {
            let text = |rate: Rate| if borrows(rate) { BORROWS.to_owned() } else { rate.to_string() };
            let mut texts: Vec<String> =
                pair.directions().iter().map(|direction| text(rates.get(*direction).value)).collect();
            texts.dedup();
            match texts.as_slice() {
                [only] if only == BORROWS => format!(", {only}"),
                _ => format!(", {name} {}", texts.join(" / ")),
            }
        };
        let mut note = format!("priority {}{}", self.priority.value, rates("guarantee", &self.guarantee));
        // Without a written ceiling the class has its parent's.
        let is_lowered =
            |amount: Option<Amount>| amount.is_some_and(|own| own != Amount::Share(Percent::ALL));
        if pair.directions().iter().any(|direction| is_lowered(*self.asked.ceiling.get(*direction))) {
            note.push_str(&rates("ceiling", &self.ceiling));
        }
        Some(note)
    }

    fn price(_pair: &Pair<'_>, old: Option<&Self>, _new: Option<&Self>) -> Price {
        match old.map(|old| old.leaf()) {
            None => Price::in_place("no packet enters it before it is complete"),
            Some(Some(_)) => Price::own_backlog("its queue is deleted with it"),
            Some(None) => Price::in_place("it has no queue of its own"),
        }
    }

    fn rename_price(&self, new: &Self) -> Price {
        match self.id.value == new.id.value {
            true => Price::in_place("its `id` is given and stays the same"),
            false => renumbering(self, new, "the id is computed from the name"),
        }
    }

    /// Another name brings another id, so the id of a renamed class is left out.
    fn view(&self, side: &Side<'_>, other: &Self) -> Value {
        let id = (self.name == other.name).then(|| format!("{:#x}", self.id.value.0));
        json!({
            "in": side.parent(&self.name, &side.classes).unwrap_or("the link"),
            "id": id,
            "": values(self, other),
        })
    }

    fn field_price(&self, _pair: &Pair<'_>, new: &Self, field: &Field<'_>) -> Price {
        match (field.label, new.leaf()) {
            ("in", _) if self.id.value == new.id.value => {
                Price::swap(format!("the kernel cannot move a class{}", and_all(new)))
            }
            ("in", _) => renumbering(self, new, "in another class it has another id"),
            ("id", _) if self.id.is_given() || new.id.is_given() => {
                renumbering(self, new, "to the kernel, another id is another class")
            }
            ("id", _) if self.path != new.path => renumbering(self, new, "the id is computed from the path"),
            ("id", _) => renumbering(self, new, "another class now gets its id, unless `id` is set"),
            ("holds", None) => unless_created(self, new, Price::swap("classes replace its queue")),
            ("holds", Some(_)) => unless_created(self, new, Price::swap("a queue replaces its last classes")),
            _ => unless_created(self, new, price::price(FileSection::Classes, field)),
        }
    }

    /// Records the differences of the queues, and those of the host classes.
    fn compare_rest(&self, found: &mut Comparison, pair: &Pair<'_>, place: At<'_>, new: &Self) {
        let price = |field: &Field<'_>| unless_created(self, new, price::price(FileSection::Classes, field));
        let (Some(old), Some(new)) = (self.leaf(), new.leaf()) else { return };
        for direction in pair.directions() {
            let view =
                |leaf: &Leaf| json!({ "queue": { direction.as_str(): queue(leaf.queue.get(*direction)) } });
            fields::compare(found, place, (&view(old), &view(new)), false, price);
            let before: BTreeMap<&str, &HostClass> =
                old.host_classes(*direction).map(|class| (class.name.as_str(), class)).collect();
            for class in new.host_classes(*direction) {
                let Some(before) = before.get(class.name.as_str()) else { continue };
                let place = At { name: &class.name, line: class.span.own_line(), ..place };
                let views = (host_view(*direction, before), host_view(*direction, class));
                fields::compare(found, place, (&views.0, &views.1), true, price);
            }
        }
    }
}

/// Returns the values of a host class.
fn host_view(direction: Direction, class: &HostClass) -> Value {
    json!({ direction.as_str(): {
        "guarantee": class.guarantee,
        "ceiling": class.ceiling,
        "": class.scheduling,
        "queue": queue(&class.queue),
    }})
}
