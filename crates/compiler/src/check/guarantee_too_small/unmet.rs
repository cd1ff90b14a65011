//! Guarantees that cannot all be large enough, because the line or the parent class has too little.

use super::need::{Need, URGENT, guaranteed};
use super::{Level, Small, is_held, too_small};
use crate::check::some_of;
use crate::derive::borrows;
use crate::diag::{Diagnostic, ticked};
use crate::model::{Class, Direction, Shape};
use crate::units::Rate;

/// Cure for a line that is too slow for guarantees.
const SIMPLE: &str =
    "write `classes: { preset: simple }`: one class with the whole line, which all hosts share equally";

impl<'a> Level<'a> {
    /// Returns the finding on a preset with too small guarantees. It covers all classes, because nobody can edit a preset.
    pub(super) fn of_preset(&self, found: &[Small<'a>]) -> Option<Diagnostic> {
        let built_in = |small: &&Small<'_>| small.finding.labels.iter().any(|label| !label.span.is_own());
        let worst = found.iter().find(built_in)?;
        let link = &self.model.link;
        let slowest = guaranteed(self.model).min_by_key(|direction| link.tree.get(*direction).value)?;
        let message = worst.finding.message.replacen(" is ", " of the preset is ", 1);
        Some(too_small(link.shaped.get(slowest).span()?, message).help(SIMPLE))
    }

    /// Returns one finding for these leaves with too small guarantees, if not all siblings can have enough.
    pub(super) fn unmet(&self, small: &[Small<'a>]) -> Option<Small<'a>> {
        let (first, others) = small.split_first()?;
        let at = first.finding.labels.first()?.span;
        if !at.is_own() || (others.is_empty() && self.parent.is_some()) {
            return None;
        }
        let total = |direction| self.list.iter().map(|class| self.needs(class, direction)).sum::<Rate>();
        let direction =
            guaranteed(self.model).find(|direction| total(*direction) > self.whole(*direction))?;
        // As much as is written must be enough.
        let enough = Rate::from_bps(total(direction).bps().next_multiple_of(1000));
        let total = format!("{enough} {}", direction.as_str());
        let (parent, simpler) = match self.parent {
            None => ("the line".to_owned(), SIMPLE.to_owned()),
            Some(class) => {
                let parent = format!("class {}", ticked(&class.name));
                let help =
                    format!("write a `guarantee` of {total} or more in {parent}, or fewer classes in it");
                (parent, help)
            }
        };
        let whole = self.whole(direction).rounded(4);
        let finding = too_small(at, format!("the classes need {total}, but {parent} has {whole}"))
            .label(first.finding.message.clone());
        let help = self.fitting(direction).into_iter().chain([simpler]);
        Some(Small { finding: help.fold(finding, Diagnostic::help), ..*first })
    }

    /// Returns the rate that a class needs, or the classes in it: nothing for a class that only borrows.
    fn needs(&self, class: &Class, direction: Direction) -> Rate {
        let guarantee = class.guarantee.get(direction).value;
        match &class.shape {
            _ if borrows(guarantee) => Rate::from_bps(0),
            Shape::Inner(children) => children.iter().map(|child| self.needs(child, direction)).sum(),
            Shape::Leaf(_) if is_held(class, direction) => guarantee,
            Shape::Leaf(_) => Need::of(self.model, class.priority.value).exactly(),
        }
    }

    /// Returns the help on the classes that fit: the default class and the most urgent ones. `None` if only one fits.
    fn fitting(&self, direction: Direction) -> Option<String> {
        let needs = |class: &&Class| self.needs(class, direction);
        let mut classes: Vec<&Class> = self.list.iter().filter(|class| needs(class).bps() > 0).collect();
        classes.sort_by_key(|class| (!class.is_default(), class.matches.is_some(), class.priority.value));
        let mut left = self.whole(direction);
        let (fit, others): (Vec<&Class>, Vec<&Class>) = classes.into_iter().partition(|class| {
            let fits = needs(class) <= left;
            left = if fits { left.saturating_sub(needs(class)) } else { left };
            fits
        });
        let names = |list: &[&'a Class]| some_of(&list.iter().map(|c| c.name.as_str()).collect::<Vec<_>>());
        let (some, others, later) = (names(&fit), names(&others), URGENT + 1);
        (fit.len() > 1).then(|| {
            format!("{some} fit: write `guarantee: 0%` and a `priority` from {later} to 7 in {others}")
        })
    }
}
