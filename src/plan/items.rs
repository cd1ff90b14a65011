//! Steps grouped into items: an item is one change as a person would count it.

use super::settings::Setting;
use crate::diag::count;
use crate::diff::steps::{Cause, Object, Step, Value};
use crate::diff::{Price, Sign};
use crate::tc::{Dev, Hook};
use crate::units::IfName;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Area of the router that an item belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
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

named!(Area);

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
    pub values: Vec<Value>,
    /// Values that others changed and `start` sets back.
    pub drift: Vec<Value>,
    /// Cost of the change for the traffic.
    #[serde(flatten)]
    pub price: Price,
    /// Cause of the change.
    pub cause: Cause,
}

/// Returns the items of a plan, uploads first.
pub(super) fn items(steps: &[Step], settings: &[Setting], wan: &IfName) -> Vec<Item> {
    let mut found = Vec::new();
    let steps = &Steps::of(steps);
    for dev in [Dev::Wan, Dev::Ifb] {
        direction(steps, dev, &mut found);
    }
    for hook in [Hook::Ingress, Hook::Egress] {
        let place = if hook == Hook::Ingress { "ingress" } else { "egress" };
        let of = steps.on(&Object::Filters { dev: Dev::Wan, hook });
        found.extend(filters(of, Area::Hooks, &format!("filters at the {place} of {wan}")));
    }
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    for step in steps.all {
        let Object::Tunnel { device } = &step.object else { continue };
        if seen.insert(device) {
            let of = steps.on(&step.object);
            found.extend(filters(of, Area::Hooks, &format!("filters at the ingress of {device}")));
        }
    }
    if let [step, ..] = steps.on(&Object::Hooks) {
        found.push(item(Area::Hooks, sign(&step.verb), format!("clsact of {wan}"), step));
    }
    if let [step, ..] = steps.on(&Object::Txqueuelen) {
        found.push(item(Area::Settings, Sign::Changed, wan.to_string(), step));
    }
    found.extend(settings.iter().map(|setting| Item {
        area: Area::Settings,
        sign: Sign::Changed,
        what: setting.what.clone(),
        values: vec![Value { field: String::new(), old: setting.old.clone(), new: setting.new.clone() }],
        drift: Vec::new(),
        price: Price::in_place("no queue is changed"),
        cause: setting.cause,
    }));
    found
}

/// All steps, and those on each object.
struct Steps<'a> {
    all: &'a [Step],
    by_object: BTreeMap<&'a Object, Vec<&'a Step>>,
}

impl<'a> Steps<'a> {
    fn of(all: &'a [Step]) -> Self {
        let mut by_object: BTreeMap<&Object, Vec<&Step>> = BTreeMap::new();
        for step in all {
            by_object.entry(&step.object).or_default().push(step);
        }
        Steps { all, by_object }
    }

    fn on(&self, object: &Object) -> &[&'a Step] {
        self.by_object.get(object).map_or(&[], Vec::as_slice)
    }
}

fn sign(verb: &str) -> Sign {
    match verb {
        "add" => Sign::Added,
        "del" => Sign::Removed,
        _ => Sign::Changed,
    }
}

fn item(area: Area, sign: Sign, what: String, step: &Step) -> Item {
    let (values, drift) = (step.values.clone(), step.drift.clone());
    Item { area, sign, what, values, drift, price: step.price.clone(), cause: step.cause }
}

const fn area_and_name(dev: Dev) -> (Area, &'static str) {
    match dev {
        Dev::Wan => (Area::Uploads, "uploads"),
        Dev::Ifb => (Area::Downloads, "downloads"),
    }
}

fn direction(steps: &Steps<'_>, dev: Dev, found: &mut Vec<Item>) {
    let (area, name) = area_and_name(dev);
    let of_dev: Vec<&Step> = steps.all.iter().filter(|step| is_of(&step.object, dev)).collect();
    // A rebuilt tree is a single item.
    let roots = steps.on(&Object::Root { dev });
    if let [root] = roots
        && root.verb == "change"
    {
        found.push(item(area, Sign::Changed, format!("all {name}"), root));
    } else if let [.., root] = roots {
        let number = |fits: fn(&Object) -> bool| {
            of_dev.iter().filter(|step| step.verb != "del" && fits(&step.object)).count()
        };
        let what = format!(
            "{}, {}, {}",
            count(number(|object| matches!(object, Object::Class { .. })), "class"),
            count(number(|object| matches!(object, Object::Leaf { .. })), "queue"),
            count(number(|object| matches!(object, Object::Filters { .. })), "filter"),
        );
        let here = roots.iter().any(|step| step.verb == "del")
            || root.cause != Cause::File
            || root.price.reason.contains("; downloads stay shaped");
        found.push(item(area, if here { Sign::Changed } else { Sign::Added }, what, root));
        return;
    }
    links(steps.all, dev, found);
    let mut seen: BTreeSet<&Object> = BTreeSet::new();
    let is_filter = |step: &&&Step| matches!(step.object, Object::Filters { .. });
    let (filters_of_dev, objects): (Vec<&&Step>, Vec<&&Step>) = of_dev.iter().partition(is_filter);
    for step in objects.into_iter().chain(filters_of_dev) {
        if !seen.insert(&step.object) {
            continue;
        }
        let all = steps.on(&step.object);
        match &step.object {
            Object::Class { .. } => found.extend(class(all, area)),
            Object::Leaf { id, .. } => {
                // A new class implies a new queue.
                let of_class = steps.on(&Object::Class { dev, id: id.clone() });
                if !of_class.iter().any(|other| other.verb == "add") {
                    found.extend(leaf(all, area));
                }
            }
            Object::Filters { .. } => found.extend(filters(all, area, &format!("filters of {name}"))),
            _ => {}
        }
    }
}

fn is_of(object: &Object, own: Dev) -> bool {
    match object {
        Object::Class { dev, .. } | Object::Leaf { dev, .. } => *dev == own,
        Object::Filters { dev, hook: Hook::Root } => *dev == own,
        _ => false,
    }
}

/// Adds an item for each ifb that changes. A rebuilt tree has an item of its own instead.
fn links(steps: &[Step], dev: Dev, found: &mut Vec<Item>) {
    if dev != Dev::Ifb {
        return;
    }
    let mut seen = BTreeSet::new();
    for step in steps {
        let Object::Ifb { name } = &step.object else { continue };
        if !seen.insert(name) {
            continue;
        }
        let what = match step.verb.as_str() {
            "set" => format!("{name}, which is down"),
            _ => format!("{name}, the ifb device of downloads"),
        };
        let sign = if step.verb == "set" { Sign::Changed } else { sign(&step.verb) };
        found.push(item(Area::Downloads, sign, what, step));
    }
}

fn class(all: &[&Step], area: Area) -> Option<Item> {
    let last = all.last()?;
    let verb = last.verb.as_str();
    let sign = if all.iter().all(|step| step.verb == verb) { sign(verb) } else { Sign::Changed };
    // The top class is named `LINK: all uploads`. People read it without the link.
    let what = last
        .name
        .split_once(": all ")
        .map_or(last.name.clone(), |(_, area_and_name)| format!("all {area_and_name}"));
    Some(item(area, sign, what, last))
}

fn leaf(all: &[&Step], area: Area) -> Option<Item> {
    let last = all.last()?;
    let sign = if all.len() == 1 { sign(&last.verb) } else { Sign::Changed };
    let what = last.name.strip_suffix(": queue").map_or(last.name.clone(), |name| format!("queue of {name}"));
    Some(item(area, sign, what, last))
}

fn filters(all: &[&Step], area: Area, what: &str) -> Option<Item> {
    let first = all.first()?;
    let verbs = |verb: &str| all.iter().any(|step| step.verb == verb);
    let sign = match (verbs("add"), verbs("del")) {
        (true, false) => Sign::Added,
        (false, true) => Sign::Removed,
        _ => Sign::Changed,
    };
    Some(item(area, sign, what.to_owned(), first))
}
