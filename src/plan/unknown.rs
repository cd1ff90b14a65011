//! Comparison of the kernel with the program without a record of a completed start. Trees are built anew then, so this
//! concerns only lists of filters.

use crate::diff::steps::{Cause, Object, Step};
use crate::diff::{Cost, Price, compare};
use crate::live::parse;
use crate::tc::Program;
use std::collections::BTreeSet;

/// Reason of a step that writes an object again although it is the same.
pub(super) const AS_IT_IS: &str = "rewritten with its present values: there is no record of them";

/// Finds the lists that are already as desired. Returns their number.
pub(super) fn fill_in(steps: &mut [Step], program: &Program, dump: &str) -> usize {
    let held = parse(&program.wan, &program.ifb, dump);
    let found = compare(program, &held);
    let mut same = BTreeSet::new();
    for step in steps.iter_mut().filter(|step| step.cause == Cause::Unknown && step.price.cost < Cost::Swap) {
        let Object::Filters { dev, hook } = &step.object else { continue };
        let list = format!("{} filter {}", dev.as_str(), hook.as_str());
        // The name of a filter follows that of its list.
        let differs = |object: &str| {
            object.strip_prefix(&list).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        if !found.iter().any(|difference| differs(&difference.object)) {
            step.price = Price::in_place(AS_IT_IS);
            same.insert(step.object.clone());
        }
    }
    same.len()
}
