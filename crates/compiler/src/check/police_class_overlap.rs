#![doc = include_str!("../../../../docs/rules/Q0705.md")]

use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Alternative, Class, Direction, Engine, Exceed, Model, PerDirection, Police, Shape};
use std::collections::HashMap;

/// Largest number of alternatives with the same text to look at.
const MOST: usize = 64;

/// Owners of each alternative by its text.
type ByText<'a, T> = HashMap<&'a str, Vec<(&'a T, &'a Alternative)>>;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    if model.police.is_empty() {
        return;
    }
    let mut classes = ByText::new();
    collect(&model.classes, &mut classes);
    sink.extend(model.police.iter().filter_map(|police| idle(model, police, &classes)));
    let away = PerDirection::from_fn(|direction| {
        let mut away = ByText::new();
        for police in model.police.iter().filter(|police| is_away(police) && police.direction == direction) {
            add(police, &police.matches, &mut away);
        }
        away
    });
    sink.extend(model.leaves().into_iter().filter_map(|class| bypassed(&away, class)));
}

/// Collects the classes whose matches alone decide on a packet's class.
fn collect<'a>(classes: &'a [Class], found: &mut ByText<'a, Class>) {
    for class in classes {
        match (&class.matches, &class.shape) {
            (Some(matches), _) => add(class, matches, found),
            (None, Shape::Inner(children)) => collect(children, found),
            (None, Shape::Leaf(_)) => {}
        }
    }
}

fn add<'a, T>(owner: &'a T, matches: &'a [Alternative], found: &mut ByText<'a, T>) {
    for own in matches {
        found.entry(&own.text).or_default().push((owner, own));
    }
}

/// Returns the owners of an alternative that matches the same.
fn owners<'a, 'f, T>(
    found: &'f ByText<'a, T>,
    own: &'f Alternative,
) -> impl Iterator<Item = &'a T> + use<'a, 'f, T> {
    // True if two alternatives match the same, in any place.
    let is_same = |other: &Alternative| Alternative { span: own.span, ..other.clone() } == *own;
    let same = found.get(own.text.as_str()).into_iter().flatten().take(MOST);
    same.filter(move |(_, other)| is_same(other)).map(|(owner, _)| *owner)
}

/// Returns the finding on a police whose traffic already has a lower ceiling in a class.
fn idle(model: &Model, police: &Police, classes: &ByText<'_, Class>) -> Option<Diagnostic> {
    let direction = police.direction;
    if police.bypass || !model.link.shapes(direction) || model.link.engine.get(direction).value != Engine::Htb
    {
        return None;
    }
    let (first, others) = police.matches.split_first()?;
    let class = owners(classes, first).next()?;
    if !others.iter().all(|other| owners(classes, other).next().is_some_and(|own| own.id == class.id)) {
        return None;
    }
    // on a line that varies, the ceiling can be higher than now
    let varies = model.link.vary.as_ref().is_some_and(|vary| vary.bounds.get(direction).is_some());
    let ceiling = class.ceiling.get(direction);
    let span = ceiling.span().filter(|span| span.is_own())?;
    (!varies && ceiling.value <= police.rate.value).then(|| {
        let (name, police_name) = (ticked(&class.name), ticked(&police.name));
        let message = format!("class {name} already limits the packets of policer {police_name}");
        Diagnostic::new(Code::PoliceClassOverlap, police.span, message)
            .label(format!("allows {} for the same {}", police.rate.value, direction.loads()))
            .also(span, format!("the class has a ceiling of {}", ceiling.value.rounded(4)))
            .help("remove the policer: the class queues packets that the policer would drop")
            .help("if the policer should be the cap, write a lower `rate` there")
    })
}

/// True if none of its packets reaches the shaper.
fn is_away(police: &Police) -> bool {
    police.bypass && police.exceed == Exceed::Drop
}

/// Returns the finding on a class whose packets all bypass the shaper.
fn bypassed(away: &PerDirection<ByText<'_, Police>>, class: &Class) -> Option<Diagnostic> {
    let (first, others) = class.matches.as_ref()?.split_first()?;
    if !class.span.is_own() || class.is_default() {
        return None;
    }
    let by = |direction| {
        let away = away.get(direction);
        let has = |police: &Police, own| owners(away, own).any(|other| std::ptr::eq(other, police));
        owners(away, first).find(|police| others.iter().all(|own| has(police, own)))
    };
    let (up, down) = (by(Direction::Up)?, by(Direction::Down)?);
    let message = format!("no packet reaches class {}", ticked(&class.name));
    Some(
        Diagnostic::new(Code::PoliceClassOverlap, class.span, message)
            .label("all packets that it matches bypass the shaper in both directions")
            .also(up.span, "lets the uploads bypass the shaper")
            .also(down.span, "lets the downloads bypass the shaper")
            .help("remove the class, or remove `bypass` from the policer"),
    )
}
