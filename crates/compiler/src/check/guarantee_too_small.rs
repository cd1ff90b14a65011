#![doc = include_str!("../../../../docs/rules/Q0423.md")]

mod hosts;
mod need;
mod shortage;
mod unmet;

pub(super) use need::{Need, guaranteed};

use super::{each_or_all, some_of};
use crate::derive::borrows;
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Class, Direction, Model, PerDirection, Shape};
use crate::units::Rate;
use need::URGENT;
use shortage::Shortage;

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
    match all.of_preset(&found) {
        Some(finding) => sink.push(finding),
        None => each_or_all(&found, sink, |some| match some {
            [one] => Some(one.finding.clone()),
            many => together(many),
        }),
    }
}

/// Returns one finding on many classes, at the place of the first.
fn together(many: &[Small<'_>]) -> Option<Diagnostic> {
    let (first, others) = many.split_first()?;
    let most = many.iter().map(|small| small.cure).max()?;
    let names = some_of(&many.iter().map(|small| small.name).collect::<Vec<_>>());
    let places = others.iter().filter_map(|small| small.finding.labels.first());
    Some(
        too_small(
            first.finding.labels.first()?.span,
            format!("{} guarantees are too small for their packets", many.len()),
        )
        .label(first.finding.message.clone())
        .also_at(places.take(POINTED_AT).map(|label| (label.span, "this one too")))
        .help(format!("write `guarantee: {most}` or more in {names}; with fewer classes, each gets more")),
    )
}

fn too_small(place: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::GuaranteeTooSmall, place, message)
}

/// Returns the label for a guarantee that leaves too little for others.
fn takes(direction: Direction, (span, rate): (Span, Rate)) -> (Span, String) {
    (span, format!("takes {} {}", rate.rounded(4), direction.as_str()))
}

/// Siblings and their parent.
struct Level<'a> {
    model: &'a Model,
    parent: Option<&'a Class>,
    list: &'a [Class],
    given: PerDirection<Given>,
}

/// Guarantees that the file gives to siblings in one direction.
struct Given {
    /// Sum of the guarantees.
    sum: Rate,
    /// Number of siblings without a guarantee.
    without: usize,
    /// Places of the first guarantees, with their rates.
    places: Vec<(Span, Rate)>,
}

impl Given {
    fn all(list: &[Class]) -> PerDirection<Given> {
        PerDirection::from_fn(|direction| {
            let asked = |class: &Class| *class.asked.guarantee.get(direction);
            let rate = |class: &Class| class.guarantee.get(direction).value;
            let gives = |class: &&Class| asked(class).is_some_and(|asked| !asked.is_nothing());
            let own = list.iter().filter(gives).filter(|class| class.span.is_own());
            let places = own.filter_map(|class| Some((class.guarantee.get(direction).span()?, rate(class))));
            Given {
                sum: list.iter().filter(gives).map(rate).sum(),
                without: list.iter().filter(|class| asked(class).is_none()).count(),
                places: places.take(POINTED_AT).collect(),
            }
        })
    }
}

impl<'a> Level<'a> {
    fn walk(&self, found: &mut Vec<Small<'a>>) {
        let mut leaves = Vec::new();
        for class in self.list {
            match &class.shape {
                Shape::Inner(children) => {
                    let given = Given::all(children);
                    Level { model: self.model, parent: Some(class), list: children, given }.walk(found);
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

    fn leaf(&self, class: &'a Class) -> Option<Small<'a>> {
        let need = Need::of(self.model, class.priority.value);
        let rate = |direction| class.guarantee.get(direction).value;
        let borrowing = guaranteed(self.model).find(|direction| borrows(rate(*direction)));
        let finding = match borrowing.filter(|_| need.priority <= URGENT) {
            Some(direction) => only_borrows(class, need, direction),
            None => {
                let is_short = |direction| {
                    let whole = self.model.link.tree.get(direction).value;
                    let is_line = rate(direction) >= whole;
                    !need.is_met(rate(direction))
                        && !borrows(rate(direction))
                        && !is_held(class, direction)
                        && !is_line
                };
                let short = |direction| is_short(direction).then(|| rate(direction));
                self.finding(class, &Shortage::of(self.model, need, short)?)
            }
        };
        Some(Small { name: &class.name, finding, cure: need.rounded() })
    }

    /// Returns the rate that the siblings share in a direction.
    fn whole(&self, direction: Direction) -> Rate {
        let tree = self.model.link.tree.get(direction).value;
        self.parent.map_or(tree, |parent| parent.guarantee.get(direction).value)
    }

    fn finding(&self, class: &Class, short: &Shortage) -> Diagnostic {
        let direction = short.direction;
        let given = place_of_guarantee(class, direction);
        let has = if given.is_some() { "is guaranteed" } else { "is left" };
        let message = format!("class {} {has} {}", ticked(&class.name), short.text());
        let finding = too_small(given.unwrap_or(class.span), message);
        let finding = match given {
            Some(_) => finding.label(short.label()),
            None => {
                // the reason why so little was left, at the guarantees of the siblings
                let Given { without, places, .. } = self.given.get(direction);
                let share = match without {
                    1 => "it has no `guarantee` and gets what its siblings leave".to_owned(),
                    _ => format!("{without} classes without `guarantee` share what is left"),
                };
                finding
                    .label(format!("{share}; {}", short.label()))
                    .also_at(places.iter().map(|place| takes(direction, *place)))
            }
        };
        finding.help(self.help(class, short))
    }

    /// Returns the exact text to write.
    fn help(&self, class: &Class, short: &Shortage) -> String {
        let direction = short.direction;
        let (rate, whole) = (short.need.rounded(), self.whole(direction));
        let asked = class.asked.guarantee.get(direction).is_some_and(|asked| !asked.is_nothing());
        let own = if asked { class.guarantee.get(direction).value } else { Rate::from_bps(0) };
        let left = whole.saturating_sub(self.given.get(direction).sum.saturating_sub(own));
        let key = short.written(self.model, class.asked.guarantee);
        let mut write = format!("write `{key}` in class {}", ticked(&class.name));
        if class.ceiling.get(direction).value < rate {
            write.push_str(&format!(", with a `ceiling` of {rate} or more"));
        }
        match self.parent {
            Some(parent) if rate > whole => {
                let (parent, whole) = (ticked(&parent.name), whole.rounded(4));
                format!("{write}, and a larger `guarantee` in class {parent}, which has {whole}")
            }
            _ if rate > left => {
                let left = left.rounded(4);
                format!("{write}, and lower the guarantees of its siblings, which leave {left}")
            }
            _ => write,
        }
    }
}

/// Returns the place where the file gives the class a guarantee.
fn place_of_guarantee(class: &Class, direction: Direction) -> Option<Span> {
    class.asked.guarantee.get(direction).and_then(|_| class.guarantee.get(direction).span())
}

/// True if the file gives the class no guarantee, and a ceiling that is the reason for a low one. A guarantee would not
/// help.
fn is_held(class: &Class, direction: Direction) -> bool {
    let limits = || class.ceiling.get(direction).value <= class.guarantee.get(direction).value;
    class.asked.guarantee.get(direction).is_none() && class.asked.ceiling.get(direction).is_some() && limits()
}

/// Returns the finding on a class that is served first but has no guarantee.
fn only_borrows(class: &Class, need: Need, direction: Direction) -> Diagnostic {
    let message = format!("class {} has priority {}, but no guarantee", ticked(&class.name), need.priority);
    too_small(place_of_guarantee(class, direction).unwrap_or(class.span), message)
        .label("its packets wait until other classes leave spare bandwidth")
        .help(format!("write `guarantee: {}`, or a `priority` from {} to 7", need.rounded(), URGENT + 1))
}

#[cfg(test)]
#[path = "guarantee_too_small_tests.rs"]
mod tests;
