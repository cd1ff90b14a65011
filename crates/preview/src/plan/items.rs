//! Steps grouped into items: an item is one change as a person would count it.

use super::step::{Cause, ChangedValue, Object, Setting, Step};
use crate::diff::{Cost, Price, Sign};
use indexmap::IndexMap;
use qosc_compiler::diag::count;
use qosc_compiler::tc::{Dev, Hook};
use qosc_compiler::units::IfName;
use serde::Serialize;

qosc_compiler::choices! {
    /// Area of the router that an item belongs to.
    pub enum Area {
        /// The WAN device's root qdisc and everything below it.
        Uploads,
        /// The ifb, its root qdisc and everything below it.
        Downloads,
        /// Qdisc and filters at the hooks of the WAN device, and filters at the ingress of tunnel devices.
        Hooks,
        /// Settings outside the qdiscs.
        Settings,
    }
}

/// One change as a person would count it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Item {
    /// Area of the router.
    pub area: Area,
    /// Kind of the change: added, removed or changed.
    pub sign: Sign,
    /// Text that names the object: a class by its name, the queue of a class, a filter list.
    pub what: String,
    /// Values that the file changes.
    pub values: Vec<ChangedValue>,
    /// Cost of the change for the traffic.
    #[serde(flatten)]
    pub price: Price,
    /// Cause of the change.
    pub cause: Cause,
}

/// Steps by the object that they act on, in the order of the items.
type Groups<'a> = IndexMap<&'a Object, Vec<&'a Step>>;

/// Returns the items of a plan, uploads first.
pub(super) fn items(steps: &[Step], settings: &[Setting], wan: &IfName) -> Vec<Item> {
    let mut groups = Groups::new();
    for step in steps {
        groups.entry(&step.object).or_default().push(step);
    }
    groups.sort_by(|one, _, other, _| place(one).cmp(&place(other)));
    let is_new_tree = |object: &Object, all| matches!(object, Object::Root { .. }) && is_new_root(all);
    let new_trees = groups.iter().filter(|(object, all)| is_new_tree(object, all));
    let new_trees: Vec<Area> = new_trees.map(|(object, _)| place(object).0).collect();
    let changes = groups.iter().filter_map(|(object, all)| change(object, all, &groups, &new_trees, wan));
    let settings = settings.iter().map(|setting| Item {
        area: Area::Settings,
        sign: Sign::Changed,
        what: setting.what.clone(),
        values: vec![ChangedValue {
            field: String::new(),
            old: setting.old.clone(),
            new: setting.new.clone(),
        }],
        price: Price::in_place("no queue is changed"),
        cause: setting.cause,
    });
    let mut items: Vec<Item> = Vec::new();
    for item in changes {
        match items.last_mut() {
            Some(last) if is_set_again(last) && is_set_again(&item) && last.area == item.area => {
                "all classes and queues".clone_into(&mut last.what);
            }
            _ => items.push(item),
        }
    }
    items.extend(settings);
    items
}

/// True for a class or queue that the file does not change.
fn is_set_again(item: &Item) -> bool {
    let is_of_tree = matches!(item.area, Area::Uploads | Area::Downloads) && item.sign == Sign::Changed;
    is_of_tree && item.price.cost == Cost::InPlace && item.cause == Cause::Drift && item.values.is_empty()
}

/// Returns the area of an object, and its rank in the area.
pub(super) const fn place(object: &Object) -> (Area, u8) {
    match object {
        Object::Ifb { .. } => (Area::Downloads, 1),
        Object::Filters { dev: Dev::Ifb, hook: Hook::Ingress } => (Area::Downloads, 4),
        Object::Filters { hook: Hook::Ingress, .. } => (Area::Hooks, 0),
        Object::Filters { hook: Hook::Egress, .. } => (Area::Hooks, 1),
        Object::Tunnel { .. } => (Area::Hooks, 2),
        Object::Hooks => (Area::Hooks, 3),
        Object::Txqueuelen => (Area::Settings, 0),
        Object::Root { dev } => (tree(*dev), 0),
        Object::Class { dev, .. } | Object::Leaf { dev, .. } => (tree(*dev), 2),
        Object::Filters { dev, .. } => (tree(*dev), 3),
    }
}

const fn tree(dev: Dev) -> Area {
    match dev {
        Dev::Wan => Area::Uploads,
        Dev::Ifb => Area::Downloads,
    }
}

fn sign(verb: &str) -> Sign {
    match verb {
        "add" => Sign::Added,
        "del" => Sign::Removed,
        _ => Sign::Changed,
    }
}

/// Returns the sign of all steps together.
fn common_sign(all: &[&Step]) -> Sign {
    match all {
        [first, rest @ ..] if rest.iter().all(|step| step.verb == first.verb) => sign(&first.verb),
        _ => Sign::Changed,
    }
}

/// Returns the item of the steps on an object, unless another item mentions it.
fn change(
    object: &Object,
    all: &[&Step],
    groups: &Groups<'_>,
    new_trees: &[Area],
    wan: &IfName,
) -> Option<Item> {
    let area = place(object).0;
    let (first, last) = (all.first()?, all.last()?);
    let filters = |what| (common_sign(all), what, *first);
    let (sign, what, step) = match object {
        Object::Root { .. } if is_new_root(all) => new_tree(all, area, groups)?,
        Object::Root { .. } => (Sign::Changed, format!("all {}", area.as_str()), *last),
        Object::Hooks => (sign(&first.verb), format!("clsact of {wan}"), *first),
        Object::Txqueuelen => (Sign::Changed, wan.to_string(), *first),
        Object::Tunnel { device } => filters(format!("filters at the ingress of {device}")),
        Object::Filters { dev: Dev::Ifb, hook: Hook::Ingress } => filters(first.name.clone()),
        Object::Filters { hook, .. } if *hook != Hook::Root => {
            filters(format!("filters at the {} of {wan}", hook.as_str()))
        }
        // A rebuilt tree is a single item.
        _ if new_trees.contains(&area) => return None,
        Object::Filters { .. } => filters(format!("filters of {}", area.as_str())),
        Object::Ifb { name } if first.verb == "set" => {
            (Sign::Changed, format!("{name}, which is down"), *first)
        }
        Object::Ifb { name } => (sign(&first.verb), format!("{name}, the ifb device of downloads"), *first),
        Object::Class { .. } => {
            // The top class is named `LINK: all uploads`. People read it without the link.
            let top = last.name.split_once(": all ").map(|(_, area)| format!("all {area}"));
            (common_sign(all), top.unwrap_or_else(|| last.name.clone()), *last)
        }
        Object::Leaf { dev, id } => {
            // A new class implies a new queue.
            let class = groups.get(&Object::Class { dev: *dev, id: id.clone() });
            if class.is_some_and(|all| all.iter().any(|step| step.verb == "add")) {
                return None;
            }
            let queue = last.name.strip_suffix(": queue").map(|name| format!("queue of {name}"));
            (common_sign(all), queue.unwrap_or_else(|| last.name.clone()), *last)
        }
    };
    Some(Item { area, sign, what, values: step.values.clone(), price: step.price.clone(), cause: step.cause })
}

/// Returns `true` unless the steps only change the options of a root.
fn is_new_root(roots: &[&Step]) -> bool {
    roots.len() > 1 || roots.iter().any(|step| step.verb != "change")
}

/// Returns sign, text and step of the item for a new tree.
fn new_tree<'a>(roots: &[&'a Step], area: Area, groups: &Groups<'_>) -> Option<(Sign, String, &'a Step)> {
    let root = roots.last()?;
    let number = |fits: fn(&Object) -> bool| {
        let own = groups.iter().filter(|(object, _)| place(object).0 == area && fits(object));
        own.flat_map(|(_, all)| all).filter(|step| step.verb != "del").count()
    };
    let what = format!(
        "{}, {}, {}",
        count(number(|object| matches!(object, Object::Class { .. })), "class"),
        count(number(|object| matches!(object, Object::Leaf { .. })), "queue"),
        count(number(|object| matches!(object, Object::Filters { .. })), "filter"),
    );
    let here = roots.iter().any(|step| step.verb == "del") || root.cause != Cause::File;
    Some((if here { Sign::Changed } else { Sign::Added }, what, root))
}
