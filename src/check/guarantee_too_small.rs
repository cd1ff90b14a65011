#![doc = include_str!("../rules/Q0423.md")]

mod hosts;
mod need;
mod text;
mod unmet;

pub(super) use need::{Need, guaranteed};

use super::{each_or_all, some_of};
use crate::derive::borrows;
use crate::diag::{Code, Diagnostic, FileId, Sink, Span, ticked};
use crate::model::{Class, Direction, Model, PerDirection, Shape};
use crate::units::Rate;
use need::{Short, URGENT};
use text::{in_one, label, spoken, worst, written};

/// Largest number of places in one finding.
const POINTED_AT: usize = 8;

/// A class or host whose guarantee cannot carry a packet in time.
struct Small<'a> {
    /// Name in messages.
    name: &'a str,
    finding: Diagnostic,
    /// Sufficient guarantee, for a finding on many classes.
    cure: Rate,
}

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut found = Vec::new();
    let all = Level { model, parent: None, list: &model.classes, given: Given::all(&model.classes) };
    all.walk(&mut found);
    if let Some(finding) = all.of_preset(&found) {
        sink.push(finding);
        return;
    }
    each_or_all(&found, sink, |some| match some {
        [one] => Some(one.finding.clone()),
        many => together(many),
    });
}

/// Returns one finding on many classes, at the place of the first.
fn together(many: &[Small<'_>]) -> Option<Diagnostic> {
    let (first, others) = many.split_first()?;
    let most = many.iter().map(|small| small.cure).max()?;
    let names: Vec<&str> = many.iter().map(|small| small.name).collect();
    let message = format!("{} guarantees are too small for their packets", many.len());
    let places = others.iter().filter_map(|small| small.finding.labels.first());
    let places = places.take(POINTED_AT).map(|label| (label.span, "this one too"));
    let at = first.finding.labels.first()?.span;
    Some(
        Diagnostic::new(Code::GuaranteeTooSmall, at, message)
            .label(first.finding.message.clone())
            .also_at(places)
            .help(format!(
                "write `guarantee: {most}` or more in {}; with fewer classes, each gets more",
                some_of(&names)
            )),
    )
}

/// Siblings and their parent.
#[derive(Clone, Copy)]
struct Level<'a> {
    model: &'a Model,
    parent: Option<&'a Class>,
    list: &'a [Class],
    given: PerDirection<Given>,
}

/// Guarantees that the file gives to siblings in one direction.
#[derive(Clone, Copy)]
struct Given {
    /// Sum of the guarantees.
    sum: Rate,
    /// Number of siblings without a guarantee.
    without: usize,
    /// Places of the first guarantees, with their rates.
    places: [Option<(Span, Rate)>; POINTED_AT],
}

impl Given {
    fn all(list: &[Class]) -> PerDirection<Given> {
        PerDirection::from_fn(|direction| {
            let asked = |class: &Class| *class.asked.guarantee.get(direction);
            let rates = list
                .iter()
                .filter(|class| asked(class).is_some_and(|asked| !asked.is_nothing()))
                .map(|class| (class.span.file, class.guarantee.get(direction)));
            let mut places = [None; POINTED_AT];
            let own = rates.clone().filter(|(file, _)| *file == FileId::OWN);
            let own = own.filter_map(|(_, rate)| Some((rate.span()?, rate.value)));
            places.iter_mut().zip(own).for_each(|(slot, place)| *slot = Some(place));
            Given {
                sum: rates.map(|(_, rate)| rate.value).sum(),
                without: list.iter().filter(|class| asked(class).is_none()).count(),
                places,
            }
        })
    }
}

impl<'a> Level<'a> {
    fn walk(self, found: &mut Vec<Small<'a>>) {
        let mut leaves = Vec::new();
        for class in self.list {
            match &class.shape {
                Shape::Inner(children) => {
                    let given = Given::all(children);
                    Level { parent: Some(class), list: children, given, ..self }.walk(found);
                }
                Shape::Leaf(leaf) => {
                    leaves.extend(self.leaf(class));
                    self.hosts(class, leaf, found);
                }
            }
        }
        match self.unmet(&leaves) {
            Some(one) => found.push(one),
            None => found.append(&mut leaves),
        }
    }

    fn leaf(self, class: &'a Class) -> Option<Small<'a>> {
        let need = Need::of(self.model, class.priority.value);
        let small = |finding| Small { name: &class.name, finding, cure: need.rounded() };
        if need.priority <= URGENT
            && let Some(direction) =
                guaranteed(self.model).find(|direction| borrows(class.guarantee.get(*direction).value))
        {
            return Some(small(only_borrows(class, need, direction)));
        }
        let short: Vec<Short> = guaranteed(self.model)
            .map(|direction| (direction, class.guarantee.get(direction).value))
            .filter(|(direction, rate)| self.is_short(class, need, *direction, *rate))
            .collect();
        self.finding(class, need, &short).map(small)
    }

    fn is_short(self, class: &Class, need: Need, direction: Direction, guarantee: Rate) -> bool {
        let whole = self.model.link.tree.get(direction).value;
        !need.is_met(guarantee) && !borrows(guarantee) && !is_held(class, direction) && guarantee < whole
    }

    /// Returns the rate that the siblings share in a direction.
    fn whole(self, direction: Direction) -> Rate {
        self.parent.map_or_else(
            || self.model.link.tree.get(direction).value,
            |parent| parent.guarantee.get(direction).value,
        )
    }

    fn finding(self, class: &Class, need: Need, short: &[Short]) -> Option<Diagnostic> {
        let (direction, rate) = worst(short)?;
        let name = ticked(&class.name);
        let given = class.asked.guarantee.get(direction).and_then(|_| class.guarantee.get(direction).span());
        let has = if given.is_some() { "is guaranteed" } else { "is left" };
        let message = format!(
            "class {name} {has} {}: {} takes {}",
            in_one(short, rate, direction),
            need.packet(),
            spoken(need.delay(rate))
        );
        let finding = Diagnostic::new(Code::GuaranteeTooSmall, given.unwrap_or(class.span), message);
        let finding = match given {
            Some(_) => finding.label(label(need, short, direction)),
            None => self.left_over(finding, need, short, direction),
        };
        Some(finding.help(self.help(class, need, short, direction)))
    }

    /// Adds the reason why so little was left, at the guarantees of the siblings.
    fn left_over(self, finding: Diagnostic, need: Need, short: &[Short], direction: Direction) -> Diagnostic {
        let Given { without, places, .. } = self.given.get(direction);
        let share = match without {
            1 => "it has no `guarantee` and gets what its siblings leave".to_owned(),
            _ => format!("{without} classes without `guarantee` share what is left"),
        };
        let taken =
            |(span, rate): (Span, Rate)| (span, format!("takes {} {}", rate.rounded(4), direction.as_str()));
        finding
            .label(format!("{share}; {}", label(need, short, direction)))
            .also_at(places.iter().flatten().copied().map(taken))
    }

    /// Returns the exact text to write.
    fn help(self, class: &Class, need: Need, short: &[Short], direction: Direction) -> String {
        let (rate, whole) = (need.rounded(), self.whole(direction));
        let asked = class.asked.guarantee;
        let write =
            format!("write `{}` in class {}", written(self.model, asked, short, rate), ticked(&class.name));
        let own = asked.get(direction).is_some_and(|asked| !asked.is_nothing());
        let own = if own { class.guarantee.get(direction).value } else { Rate::from_bps(0) };
        let others = self.given.get(direction).sum.saturating_sub(own);
        let write = if class.ceiling.get(direction).value < rate {
            format!("{write}, with a `ceiling` of {rate} or more")
        } else {
            write
        };
        match self.parent {
            Some(parent) if rate > whole => format!(
                "{write}, and a larger `guarantee` in class {}, which has {}",
                ticked(&parent.name),
                whole.rounded(4)
            ),
            _ if rate > whole.saturating_sub(others) => format!(
                "{write}, and lower the guarantees of its siblings, which leave {}",
                whole.saturating_sub(others).rounded(4)
            ),
            _ => write,
        }
    }
}

/// True if the file gives the class no guarantee, and a ceiling that is the reason for a low one. A guarantee would not
/// help.
fn is_held(class: &Class, direction: Direction) -> bool {
    let asked = class.asked.guarantee.get(direction);
    let ceiling = class.asked.ceiling.get(direction).map(|_| class.ceiling.get(direction).value);
    asked.is_none() && ceiling.is_some_and(|most| most <= class.guarantee.get(direction).value)
}

/// Returns the finding on a class that is served first but has no guarantee.
fn only_borrows(class: &Class, need: Need, direction: Direction) -> Diagnostic {
    let given = class.asked.guarantee.get(direction).and_then(|_| class.guarantee.get(direction).span());
    let message = format!("class {} has priority {}, but no guarantee", ticked(&class.name), need.priority);
    Diagnostic::new(Code::GuaranteeTooSmall, given.unwrap_or(class.span), message)
        .label("its packets wait until other classes leave spare bandwidth")
        .help(format!("write `guarantee: {}`, or a `priority` from {} to 7", need.rounded(), URGENT + 1))
}

#[cfg(test)]
#[path = "guarantee_too_small_tests.rs"]
mod tests;
