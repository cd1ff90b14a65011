#![doc = include_str!("../rules/Q0424.md")]

use super::guarantee_too_small::{Need, guaranteed};
use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, FileId, Sink, ticked};
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
    let tree = PerDirection::from_fn(|direction| model.link.tree.get(direction).value);
    level(model, default, &model.classes, tree, &mut found);
    each_or_all(&found, sink, |some| finding(model, some));
}

/// Checks the siblings of the default class and of its ancestors. Other classes do not share a parent's rate with it.
fn level<'a>(
    model: &Model,
    default: &'a Class,
    list: &'a [Class],
    whole: PerDirection<Rate>,
    found: &mut Vec<Low<'a>>,
) {
    for class in list {
        if holds(class, default) {
            if let Shape::Inner(children) = &class.shape {
                level(
                    model,
                    default,
                    children,
                    PerDirection::from_fn(|direction| class.guarantee.get(direction).value),
                    found,
                );
            }
            continue;
        }
        let direction = guaranteed(model).find(|direction| {
            let asked = class.asked.guarantee.get(*direction).is_some();
            !asked && class.guarantee.get(*direction).value >= default.guarantee.get(*direction).value
        });
        let later = class.priority.value > default.priority.value;
        // A default priority tells nothing about the user's intention.
        let meant = later && !matches!(class.priority.origin, Origin::Default { .. });
        if let Some(direction) = direction.filter(|_| meant && class.span.file == FileId::OWN) {
            found.push(Low { class, default, direction, whole });
        }
    }
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
    let names: Vec<&str> = some.iter().map(|low| low.class.name.as_str()).collect();
    let own = class.guarantee.get(*direction).value;
    let as_much = if own == default.guarantee.get(*direction).value { "as much as" } else { "more than" };
    let message = match others {
        [] => format!("class {} is guaranteed {as_much} the default class", ticked(&class.name)),
        _ => format!("{} classes are guaranteed as much as the default class, or more", some.len()),
    };
    let finding = Diagnostic::new(Code::LowPriorityGuarantee, class.span, message)
        .label(format!(
            "{} {} at priority {}: classes without `guarantee` share equally",
            own.rounded(4),
            direction.as_str(),
            class.priority.value
        ))
        .also_at(others.iter().take(super::EACH).map(|low| (low.class.span, "this one too")))
        .also_at((default.span.file == FileId::OWN).then(|| {
            let rate = default.guarantee.get(*direction).value.rounded(4);
            (default.span, format!("{rate} {} at priority {}", direction.as_str(), default.priority.value))
        }));
    let within = if others.is_empty() { "class" } else { "classes" };
    let within = format!("{within} {}", some_of(&names));
    Some(finding.help(match cure(model, first) {
        Some(little) => {
            format!("write `guarantee: {little}` in {within}, or `guarantee: 0%` if it should only borrow")
        }
        None => format!("write `guarantee: 0%` in {within}: then it only borrows"),
    }))
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
