#![doc = include_str!("../../../../docs/rules/Q0424.md")]

use super::guarantee_too_small::{Need, guaranteed};
use super::{each_or_all, siblings, some_of};
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Class, Direction, Model, Origin, PerDirection, Shape};
use crate::units::{Percent, Rate};

/// Usual guarantee of a class that can wait.
const LITTLE: Percent = Percent::from_ppm(50_000);

/// A class that is served after the default class, but has at least the same guarantee.
struct Low<'a> {
    class: &'a Class,
    default: &'a Class,
    /// First direction in which this holds.
    direction: Direction,
    /// Guarantees of the parent.
    whole: PerDirection<Rate>,
}

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let Some(default) = model.default_leaf() else { return };
    let mut found = Vec::new();
    // Other classes do not share a parent's rate with the default class or one of its ancestors.
    for (parent, list) in siblings(model) {
        let (own, others): (Vec<&Class>, _) = list.iter().partition(|class| holds(class, default));
        let whole = parent.map_or(&model.link.tree, |parent| &parent.guarantee);
        let whole = PerDirection::from_fn(|direction| whole.get(direction).value);
        for class in others.into_iter().filter(|class| !own.is_empty() && is_meant_to_wait(class, default)) {
            let as_much = |direction: &Direction| {
                let asked = class.asked.guarantee.get(*direction).is_some();
                !asked && class.guarantee.get(*direction).value >= default.guarantee.get(*direction).value
            };
            let direction = guaranteed(model).find(as_much);
            found.extend(direction.map(|direction| Low { class, default, direction, whole }));
        }
    }
    each_or_all(&found, sink, |some| finding(model, some));
}

/// True if the file gives the class a lower priority than the default class has. A default priority tells nothing about
/// the user's intention.
fn is_meant_to_wait(class: &Class, default: &Class) -> bool {
    class.priority.value > default.priority.value
        && !matches!(class.priority.origin, Origin::Default { .. })
        && class.span.is_own()
}

/// True if a class is this leaf or an ancestor of it.
fn holds(class: &Class, leaf: &Class) -> bool {
    match &class.shape {
        Shape::Leaf(_) => class.id.value == leaf.id.value,
        Shape::Inner(children) => children.iter().any(|child| holds(child, leaf)),
    }
}

fn finding(model: &Model, some: &[Low<'_>]) -> Option<Diagnostic> {
    let (first, others) = some.split_first()?;
    let Low { class, default, direction, .. } = first;
    let rate = |class: &Class| class.guarantee.get(*direction).value;
    let at_priority = |class: &Class| {
        let (rate, direction) = (rate(class).rounded(4), direction.as_str());
        format!("{rate} {direction} at priority {}", class.priority.value)
    };
    let names = some_of(&some.iter().map(|low| low.class.name.as_str()).collect::<Vec<_>>());
    let as_much = if rate(class) == rate(default) { "as much as" } else { "more than" };
    let (message, within) = match others {
        [] => (format!("class {names} is guaranteed {as_much} the default class"), "class"),
        _ => (
            format!("{} classes are guaranteed as much as the default class, or more", some.len()),
            "classes",
        ),
    };
    let help = match cure(model, first) {
        Some(little) => {
            format!(
                "write `guarantee: {little}` in {within} {names}, or `guarantee: 0%` if it should only borrow"
            )
        }
        None => format!("write `guarantee: 0%` in {within} {names}: then it only borrows"),
    };
    let own_default = (default.span.is_own()).then(|| (default.span, at_priority(default)));
    Some(
        Diagnostic::new(Code::LowPriorityGuarantee, class.span, message)
            .label(format!("{}: classes without `guarantee` share equally", at_priority(class)))
            .also_at(others.iter().take(super::EACH).map(|low| (low.class.span, "this one too")))
            .also_at(own_default)
            .help(help),
    )
}

/// Returns a smaller guarantee that still carries a packet in time, if there is one.
fn cure(model: &Model, low: &Low<'_>) -> Option<String> {
    let need = Need::of(model, low.class.priority.value);
    let little = |direction| low.whole.get(direction).percent(LITTLE);
    let less = |rate: Rate| rate < low.class.guarantee.get(low.direction).value;
    if guaranteed(model).all(|direction| need.is_met(little(direction))) && less(little(low.direction)) {
        return Some(LITTLE.to_string());
    }
    Some(need.rounded()).filter(|rate| less(*rate)).map(|rate| rate.to_string())
}

#[cfg(test)]
#[path = "low_priority_guarantee_tests.rs"]
mod tests;
