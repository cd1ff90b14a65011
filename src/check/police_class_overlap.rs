#![doc = include_str!("../rules/Q0705.md")]

use crate::diag::{Code, Diagnostic, FileId, Sink, ticked};
use crate::model::{Alternative, Class, Direction, Engine, Exceed, Model, PerDirection, Police, Shape};
use std::collections::HashMap;

/// Largest number of alternatives with the same text to look at.
const MOST: usize = 64;

/// Policers of each alternative whose packets bypass the shaper.
type Away<'a> = HashMap<&'a str, Vec<(&'a Police, &'a Alternative)>>;

/// Classes of each alternative, for matches that alone decide on a packet's class.
type Asked<'a> = HashMap<&'a str, Vec<(&'a Class, &'a Alternative)>>;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    if model.police.is_empty() {
        return;
    }
    let mut asked = Asked::new();
    collect(&model.classes, &mut asked);
    for police in &model.police {
        sink.extend(idle(model, police, &asked));
    }
    let away = PerDirection::from_fn(|direction| {
        let mut away = Away::new();
        for police in model.police.iter().filter(|police| is_away(police) && police.direction == direction) {
            for alternative in &police.matches {
                away.entry(&alternative.text).or_default().push((police, alternative));
            }
        }
        away
    });
    for class in model.leaves() {
        sink.extend(bypassed(&away, class));
    }
}

fn collect<'a>(classes: &'a [Class], asked: &mut Asked<'a>) {
    for class in classes {
        match (&class.matches, &class.shape) {
            (Some(matches), _) => {
                for alternative in matches {
                    asked.entry(&alternative.text).or_default().push((class, alternative));
                }
            }
            (None, Shape::Inner(children)) => collect(children, asked),
            (None, Shape::Leaf(_)) => {}
        }
    }
}

/// Returns the finding on a police whose traffic already has a lower ceiling in a class.
fn idle(model: &Model, police: &Police, asked: &Asked<'_>) -> Option<Diagnostic> {
    let direction = police.direction;
    let shaped = model.link.shapes(direction);
    if police.bypass || !shaped || model.link.engine.get(direction).value != Engine::Htb {
        return None;
    }
    let class = |alternative: &Alternative| {
        let same = asked.get(alternative.text.as_str()).into_iter().flatten();
        same.take(MOST).filter(|(_, other)| is_same(alternative, other)).map(|(class, _)| *class).next()
    };
    let (first, others) = police.matches.split_first()?;
    let class = class(first)
        .filter(|only| others.iter().all(|other| class(other).is_some_and(|class| class.id == only.id)))?;
    let ceiling = class.ceiling.get(direction);
    let span = ceiling.span().filter(|span| span.file == FileId::OWN)?;
    (ceiling.value <= police.rate.value).then(|| {
        let name = ticked(&class.name);
        let message = format!("class {name} already limits the packets of policer {}", ticked(&police.name));
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
fn bypassed(away: &PerDirection<Away<'_>>, class: &Class) -> Option<Diagnostic> {
    let matches = class.matches.as_ref().filter(|matches| !matches.is_empty())?;
    if class.span.file != FileId::OWN || class.is_default() {
        return None;
    }
    let by = |direction: Direction| {
        let has = |police: &Police, own: &Alternative| {
            let same = away.get(direction).get(own.text.as_str()).into_iter().flatten();
            same.take(MOST).any(|(other, asked)| std::ptr::eq(*other, police) && is_same(own, asked))
        };
        let first = away.get(direction).get(matches.first()?.text.as_str())?;
        first
            .iter()
            .take(MOST)
            .map(|(police, _)| *police)
            .find(|police| matches.iter().all(|own| has(police, own)))
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

/// True if two alternatives match the same, in any place.
fn is_same(one: &Alternative, other: &Alternative) -> bool {
    one.text == other.text && Alternative { span: one.span, ..other.clone() } == *one
}
