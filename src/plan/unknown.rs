//! Comparison of the kernel with the program without a record of a completed start, as far as tc shows the objects.

use crate::diff::steps::{Cause, Object, Step, Value, option};
use crate::diff::{Change, Difference, Price, compare};
use crate::live::parse;
use crate::tc::Program;
use crate::units::Rate;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included};

/// Reason of a step that writes an object again although it is the same.
pub(super) const AS_IT_IS: &str = "rewritten with its present values: there is no record of them";

/// Adds the differing values to each step with an unknown cause. Returns the number of objects that are already as
/// desired.
pub(super) fn fill_in(steps: &mut [Step], program: &Program, dump: &str) -> usize {
    let held = parse(&program.wan, &program.ifb, dump);
    let found = compare(program, &held);
    let mut by_object: BTreeMap<&str, Vec<&Difference>> = BTreeMap::new();
    for difference in &found {
        by_object.entry(&difference.object).or_default().push(difference);
    }
    let mut same = BTreeSet::new();
    for step in steps.iter_mut().filter(|step| step.cause == Cause::Unknown) {
        let Some(prefix) = prefix(step) else { continue };
        let of = by_object.get(prefix.as_str()).map_or(&[][..], Vec::as_slice);
        // The name of a filter follows that of its list. `!` is the character after the blank.
        let (first, end) = (format!("{prefix} "), format!("{prefix}!"));
        let mut below = by_object.range::<str, _>((Included(first.as_str()), Excluded(end.as_str())));
        if of.is_empty()
            && below.next().is_none()
            && ["change", "add", "del"].contains(&step.verb.as_str())
            && stays(step)
        {
            step.price = Price::in_place(AS_IT_IS);
            same.insert(step.object.clone());
            continue;
        }
        if !matches!(step.object, Object::Filters { .. }) {
            step.values = of.iter().filter_map(|found| value(found)).collect();
        }
    }
    same.len()
}

/// True if the step keeps the object: a filter list is compared as a whole, all other objects stay if they are changed.
fn stays(step: &Step) -> bool {
    matches!(step.object, Object::Filters { .. }) || step.verb == "change"
}

/// Name that `compare` gives to the object of a step.
fn prefix(step: &Step) -> Option<String> {
    match &step.object {
        Object::Class { dev, id } => Some(format!("{} class {id}", dev.as_str())),
        Object::Leaf { dev, .. } => {
            option(&step.command, "handle").map(|handle| format!("{} qdisc {handle}", dev.as_str()))
        }
        Object::Filters { dev, hook } => Some(format!("{} filter {}", dev.as_str(), hook.as_str())),
        Object::Root { .. }
        | Object::Tunnel { .. }
        | Object::Hooks
        | Object::Ifb { .. }
        | Object::Txqueuelen => None,
    }
}

fn value(found: &Difference) -> Option<Value> {
    match &found.change {
        Change::Differs { field, asked, held } => {
            let print = |value: &String| match (*field, value.parse::<u64>()) {
                ("rate" | "ceil", Ok(bps)) => Rate::from_bps(bps).to_string(),
                _ => value.clone(),
            };
            Some(Value { field: (*field).to_owned(), old: print(held), new: print(asked) })
        }
        Change::Missing | Change::Unexpected => None,
    }
}
