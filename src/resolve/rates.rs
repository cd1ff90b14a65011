//! Guarantees and ceilings of the classes in one parent.

use super::derive::{LEAST_RATE, both};
use super::shares::Problems;
use crate::diag::{Sink, Span, Spanned};
use crate::model::{Direction, PerDirection, Val};
use crate::syntax::raw::{Amount, Both, RawClass};
use crate::units::Rate;

/// What the classes share: a class, or the whole link.
#[derive(Debug, Clone)]
pub(super) struct Above {
    /// The parent's name; `None` for the link.
    pub name: Option<String>,
    /// Where it stands.
    pub span: Span,
    /// What it is guaranteed: the percentages of guarantees are of this.
    pub guarantee: PerDirection<Rate>,
    /// Its ceiling: the percentages of ceilings are of this.
    pub ceiling: PerDirection<Rate>,
}

/// What one class gets.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its guarantee.
    pub guarantee: PerDirection<Val<Rate>>,
    /// Its ceiling.
    pub ceiling: PerDirection<Val<Rate>>,
}

/// A rate as given, or a share of another, rounded down.
pub(super) fn amount(given: Spanned<Amount>, of: Rate) -> Val<Rate> {
    match given.value {
        Amount::Rate(rate) => Val::given(rate, given.span),
        Amount::Share(share) => Val::derived(of.percent(share), format!("{share} of {of}"), Some(given.span)),
    }
}

/// What is given for one direction.
pub(super) const fn of<T: Copy>(both: &Both<T>, direction: Direction) -> Option<Spanned<T>> {
    match direction {
        Direction::Up => both.up,
        Direction::Down => both.down,
    }
}

/// Shares out what the parent has: given guarantees first, and an equal part of what they leave to each other class.
/// Pushes all that does not add up; what is returned adds up all the same, so that nothing is found twice below.
pub(super) fn share_out(above: &Above, classes: &[RawClass], sink: &mut Sink) -> Vec<Part> {
    let mut problems = Problems::new(above, classes);
    let up = one_direction(above, classes, Direction::Up, &mut problems);
    let down = one_direction(above, classes, Direction::Down, &mut problems);
    problems.push(sink);
    up.into_iter()
        .zip(down)
        .map(|((guarantee_up, ceiling_up), (guarantee_down, ceiling_down))| Part {
            guarantee: PerDirection { up: guarantee_up, down: guarantee_down },
            ceiling: PerDirection { up: ceiling_up, down: ceiling_down },
        })
        .collect()
}

fn one_direction(
    above: &Above,
    classes: &[RawClass],
    direction: Direction,
    problems: &mut Problems<'_>,
) -> Vec<(Val<Rate>, Val<Rate>)> {
    let whole = *above.guarantee.get(direction);
    let most = *above.ceiling.get(direction);
    let given: Vec<Option<Val<Rate>>> =
        classes.iter().map(|class| of(&class.guarantee, direction).map(|g| amount(g, whole))).collect();
    let sum: Rate = given.iter().flatten().map(|rate| rate.value).sum();
    let others = given.iter().filter(|rate| rate.is_none()).count() as u64;
    let left = Left::new(whole, sum, others);

    let too_much = sum > whole;
    let mut single = false;
    for (index, rate) in given.iter().enumerate() {
        if let Some(rate) = rate.as_ref().filter(|rate| rate.value > whole) {
            problems.guarantee_above(index, direction, rate);
            single = true;
        }
    }
    if too_much && !single {
        problems.sum_above(direction, sum);
    }
    // A parent with less than the least has been found already, and everything in it is as little.
    let enough = whole >= LEAST_RATE;
    if others > 0 && !too_much && enough && left.equal < LEAST_RATE {
        problems.nothing_left(direction, left.rate);
    }

    let parts = classes.iter().zip(given).enumerate().map(|(index, (class, guarantee))| {
        let ceiling = match of(&class.ceiling, direction) {
            Some(given) => amount(given, most),
            None => Val::default(most, "the parent's"),
        };
        if ceiling.value > most {
            problems.ceiling_above(index, direction, &ceiling);
        }
        let guarantee = match guarantee {
            Some(guarantee) => {
                if guarantee.value < LEAST_RATE && enough {
                    problems.too_low(index, direction, &guarantee);
                } else if guarantee.value > ceiling.value && guarantee.value <= whole {
                    problems.ceiling_below(index, direction, &guarantee, &ceiling);
                }
                guarantee
            }
            None => equal_part(&left, &ceiling, class.name.span),
        };
        if of(&class.ceiling, direction).is_some() && ceiling.value < LEAST_RATE && enough {
            problems.too_low(index, direction, &ceiling);
        }
        (within(guarantee, whole), within(ceiling, most))
    });
    parts.collect()
}

/// The guarantee of a class that asks for none: an equal part of what is left, and no more than its ceiling.
fn equal_part(left: &Left, ceiling: &Val<Rate>, name: Span) -> Val<Rate> {
    if left.equal > ceiling.value {
        return Val::derived(ceiling.value, format!("its ceiling, as {} are more", left.formula), Some(name));
    }
    Val::derived(left.equal, left.formula.clone(), Some(name))
}

/// What guarantees leave of a parent to the classes without one.
struct Left {
    /// In all.
    rate: Rate,
    /// To each.
    equal: Rate,
    /// How it comes to that.
    formula: String,
}

impl Left {
    fn new(whole: Rate, given: Rate, others: u64) -> Self {
        let rate = whole.saturating_sub(given);
        let formula = match (given.bps(), others) {
            (0, 0 | 1) => format!("all {whole}"),
            (0, _) => format!("{whole} / {others}"),
            (_, 0 | 1) => format!("{whole} - {given}"),
            (..) => format!("({whole} - {given}) / {others}"),
        };
        Left { rate, equal: rate.scale(1, others.max(1)), formula }
    }
}

/// The same value, no larger than a bound: only ever less after a finding.
fn within(mut val: Val<Rate>, bound: Rate) -> Val<Rate> {
    val.value = val.value.min(bound);
    val
}

/// What the whole link has for its classes.
pub(super) fn whole(tree: &PerDirection<Val<Rate>>, span: Span) -> Above {
    let rates = both(|direction| tree.get(direction).value);
    Above { name: None, span, guarantee: rates, ceiling: rates }
}
