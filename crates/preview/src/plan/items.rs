//! Steps grouped into items: an item is one change as a person would count it.

use super::step::{Area, Cause, ChangedValue, Object, Setting, Step};
use crate::diff::{Cost, Price, Sign};
use indexmap::IndexMap;
use qosc_compiler::diag::count;
use qosc_compiler::tc::{Dev, Hook};
use serde::Serialize;

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
pub(super) fn items(steps: &[Step], settings: &[Setting]) -> Vec<Item> {
    let mut groups = Groups::new();
    let mut steps: Vec<&Step> = steps.iter().collect();
    steps.sort_by_key(|step| (step.area, step.rank));
    for step in steps {
        groups.entry(&step.object).or_default().push(step);
    }
    let mut items: Vec<Item> = Vec::new();
    for item in groups.values().filter_map(|all| item(all, &groups)) {
        match items.last_mut() {
            Some(last) if is_set_again(last) && is_set_again(&item) && last.area == item.area => {
                "all classes and queues".clone_into(&mut last.what);
            }
            _ => items.push(item),
        }
    }
    items.extend(settings.iter().cloned().map(|Setting { what, old, new, cause, .. }| Item {
        area: Area::Settings,
        sign: Sign::Changed,
        what,
        values: vec![ChangedValue { field: String::new(), old, new }],
        price: Price::in_place("no queue is changed"),
        cause,
    }));
    items
}

/// True for a class or queue that the file does not change.
fn is_set_again(item: &Item) -> bool {
    let is_of_tree = matches!(item.area, Area::Uploads | Area::Downloads) && item.sign == Sign::Changed;
    is_of_tree && item.price.cost == Cost::InPlace && item.cause == Cause::Drift && item.values.is_empty()
}

/// Returns the item of all steps on an object, unless another item mentions it.
fn item(all: &[&Step], groups: &Groups<'_>) -> Option<Item> {
    let first = all.first()?;
    // A device is brought up after it was added, and a hook of others makes room for ours.
    let all = if matches!(first.object, Object::Ifb { .. } | Object::Hooks) { all.get(..1)? } else { all };
    let step = all.last()?;
    let has = |object: &Object, verbs: &[&str]| {
        let own = groups.get(object).into_iter().flatten();
        own.into_iter().any(|step| verbs.contains(&step.verb.as_str()))
    };
    let is_new_tree = |dev| has(&Object::Root { dev }, &["add", "del", "replace"]);
    let (sign, what) = match &step.object {
        Object::Root { dev } if is_new_tree(*dev) => {
            let here = has(&step.object, &["del"]) || step.cause != Cause::File;
            (if here { Sign::Changed } else { Sign::Added }, size(step.area, groups))
        }
        // A rebuilt tree is a single item.
        Object::Class { dev, .. } | Object::Leaf { dev, .. } | Object::Filters { dev, hook: Hook::Root }
            if is_new_tree(*dev) =>
        {
            return None;
        }
        Object::Ifb { .. } if step.area == Area::Downloads && is_new_tree(Dev::Ifb) => return None,
        // A new class implies a new queue.
        Object::Leaf { dev, id } if has(&Object::Class { dev: *dev, id: id.clone() }, &["add"]) => {
            return None;
        }
        _ => (sign(all), step.what.clone()),
    };
    Some(Item {
        area: step.area,
        sign,
        what,
        values: step.values.clone(),
        price: step.price.clone(),
        cause: step.cause,
    })
}

/// Returns the sign of all steps together.
fn sign(all: &[&Step]) -> Sign {
    let all_are = |verb| all.iter().all(|step| step.verb == verb);
    if all_are("add") {
        Sign::Added
    } else if all_are("del") {
        Sign::Removed
    } else {
        Sign::Changed
    }
}

/// Returns the number of objects that a new tree has.
fn size(area: Area, groups: &Groups<'_>) -> String {
    let number = |fits: fn(&Object) -> bool| {
        let steps = groups.values().flatten().filter(|step| step.area == area && step.verb != "del");
        steps.filter(|step| fits(&step.object)).count()
    };
    format!(
        "{}, {}, {}",
        count(number(|object| matches!(object, Object::Class { .. })), "class"),
        count(number(|object| matches!(object, Object::Leaf { .. })), "queue"),
        count(number(|object| matches!(object, Object::Filters { .. })), "filter"),
    )
}
