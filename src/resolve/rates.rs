//! Guarantees and ceilings of the classes in one parent.

use super::derive::{self, BORROWING, LEAST_RATE};
use super::shares::Problems;
use crate::diag::{Sink, Span, Spanned};
use crate::model::{Direction, PerDirection, Val};
use crate::syntax::raw::{RawClass, RawPerDirection};
use crate::terms::Amount;
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
pub(super) struct ClassRates {
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

/// A guarantee as given: [`BORROWING`] for `0%`.
pub(super) fn guaranteed(given: Spanned<Amount>, of: Rate) -> Val<Rate> {
    if !given.value.is_nothing() {
        return amount(given, of);
    }
    let formula = format!("0% of {of}: borrows only, and {BORROWING} is the least that HTB is told");
    Val::derived(BORROWING, formula, Some(given.span))
}

/// What is given for one direction.
pub(super) const fn of<T: Copy>(both: &RawPerDirection<T>, direction: Direction) -> Option<Spanned<T>> {
    match direction {
        Direction::Up => both.up,
        Direction::Down => both.down,
    }
}

/// One that shares with others what a parent has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    /// What it is, such as `class`.
    pub noun: &'static str,
    /// Its name.
    pub name: &'a Spanned<String>,
    /// What it asks to be guaranteed.
    pub guarantee: &'a RawPerDirection<Amount>,
    /// What it asks to get at most.
    pub ceiling: &'a RawPerDirection<Amount>,
    /// How many parts it gets of what guarantees leave, where it asks for none.
    pub weight: u64,
    /// In which directions it is there at all.
    pub directions: PerDirection<bool>,
}

impl<'a> Claim<'a> {
    /// What a class claims.
    pub const fn class(raw: &'a RawClass) -> Self {
        Claim {
            noun: "class",
            name: &raw.name,
            guarantee: &raw.guarantee,
            ceiling: &raw.ceiling,
            weight: 1,
            directions: PerDirection { up: true, down: true },
        }
    }
}

/// Shares out what the parent has: given guarantees first, and an equal part of what they leave to each other class.
/// Pushes all that does not add up; what is returned adds up all the same, so that nothing is found twice below.
///
/// A guarantee of `0%` counts as nothing, and all in a class that has it only borrow, too.
pub(super) fn share_out(above: &Above, classes: &[RawClass], sink: &mut Sink) -> Vec<ClassRates> {
    let claims: Vec<Claim<'_>> = classes.iter().map(Claim::class).collect();
    let PerDirection { up, down } = shares(above, &claims, LEAST_RATE, sink);
    up.into_iter()
        .flatten()
        .zip(down.into_iter().flatten())
        .map(|((guarantee_up, ceiling_up), (guarantee_down, ceiling_down))| ClassRates {
            guarantee: PerDirection { up: guarantee_up, down: guarantee_down },
            ceiling: PerDirection { up: ceiling_up, down: ceiling_down },
        })
        .collect()
}

/// Guarantee and ceiling of each claim in a direction in which it is there.
pub(super) type Shares = Vec<Option<(Val<Rate>, Val<Rate>)>>;

/// The same for any claims: `least` is what the smallest part of what is left must come to.
pub(super) fn shares(
    above: &Above,
    claims: &[Claim<'_>],
    least: Rate,
    sink: &mut Sink,
) -> PerDirection<Shares> {
    let mut problems = Problems::new(above, claims);
    let shares =
        PerDirection::from_fn(|direction| one_direction(above, claims, least, direction, &mut problems));
    problems.push(sink);
    shares
}

fn one_direction(
    above: &Above,
    claims: &[Claim<'_>],
    least: Rate,
    direction: Direction,
    problems: &mut Problems<'_>,
) -> Shares {
    let whole = *above.guarantee.get(direction);
    let most = *above.ceiling.get(direction);
    let here = |claim: &Claim<'_>| *claim.directions.get(direction);
    let given: Vec<Option<Val<Rate>>> = claims
        .iter()
        .map(|claim| of(claim.guarantee, direction).filter(|_| here(claim)).map(|g| guaranteed(g, whole)))
        .collect();
    let nothing = |claim: &Claim<'_>| of(claim.guarantee, direction).is_some_and(|g| g.value.is_nothing());
    let counted = claims.iter().zip(&given).filter(|(claim, _)| !nothing(claim));
    let sum: Rate = counted.filter_map(|(_, rate)| rate.as_ref()).map(|rate| rate.value).sum();
    let without = claims.iter().zip(&given).filter(|(claim, rate)| here(claim) && rate.is_none());
    let others = without.map(|(claim, _)| claim.weight).sum();
    let left = Left::new(whole, sum, others);

    // No other parent has so little: it only borrows.
    let borrows = whole == BORROWING;
    let too_much = sum > whole;
    let mut single = borrows;
    for (index, (claim, rate)) in claims.iter().zip(&given).enumerate() {
        let Some(rate) = rate else { continue };
        if borrows && !nothing(claim) {
            problems.of_nothing(index, direction, rate);
        } else if rate.value > whole {
            problems.guarantee_above(index, direction, rate);
            single = true;
        }
    }
    if too_much && !single {
        problems.sum_above(direction, sum);
    }
    // A parent with less than the least has been found already, and everything in it is as little.
    let enough = whole >= LEAST_RATE;
    if others > 0 && !too_much && enough && left.equal < least {
        problems.nothing_left(direction, left.rate);
    }

    let parts = claims.iter().zip(given).enumerate().map(|(index, (claim, guarantee))| {
        if !here(claim) {
            return None;
        }
        let ceiling = match of(claim.ceiling, direction) {
            Some(given) => amount(given, most),
            None => Val::default(most, "the parent's"),
        };
        if ceiling.value > most {
            problems.ceiling_above(index, direction, &ceiling);
        }
        let guarantee = match guarantee {
            Some(_) | None if borrows => {
                Val::derived(BORROWING, "borrows only, as its parent does", Some(claim.name.span))
            }
            Some(guarantee) => {
                if nothing(claim) {
                    // 100 bit/s are below any ceiling that is not refused itself.
                } else if guarantee.value < LEAST_RATE && enough {
                    problems.too_low(index, direction, &guarantee, derive::guarantee_too_low_help());
                } else if guarantee.value > ceiling.value && guarantee.value <= whole {
                    problems.ceiling_below(index, direction, &guarantee, &ceiling);
                }
                guarantee
            }
            None => left.part(claim.weight, &ceiling, claim.name.span),
        };
        if of(claim.ceiling, direction).is_some() && ceiling.value < LEAST_RATE && (enough || borrows) {
            problems.too_low(index, direction, &ceiling, derive::too_low_help());
        }
        Some((within(guarantee, whole), within(ceiling, most)))
    });
    parts.collect()
}

/// What guarantees leave of a parent to the classes without one.
struct Left {
    /// In all.
    rate: Rate,
    /// To each, of a weight of one.
    equal: Rate,
    /// How many of that weight there are.
    others: u64,
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
        Left { rate, equal: rate.scale(1, others.max(1)), others, formula }
    }

    /// The guarantee of one that asks for none: its part of what is left, and no more than its ceiling.
    fn part(&self, weight: u64, ceiling: &Val<Rate>, name: Span) -> Val<Rate> {
        let formula = match weight {
            1 => self.formula.clone(),
            parts => format!("{} x {parts}", self.formula),
        };
        let part = self.rate.scale(weight, self.others.max(1));
        if part > ceiling.value {
            return Val::derived(ceiling.value, format!("its ceiling, as {formula} are more"), Some(name));
        }
        Val::derived(part, formula, Some(name))
    }
}

/// The same value, no larger than a bound: only ever less after a finding.
fn within(mut val: Val<Rate>, bound: Rate) -> Val<Rate> {
    val.value = val.value.min(bound);
    val
}

/// What the whole link has for its classes.
pub(super) fn whole(tree: &PerDirection<Val<Rate>>, span: Span) -> Above {
    let rates = PerDirection::from_fn(|direction| tree.get(direction).value);
    Above { name: None, span, guarantee: rates, ceiling: rates }
}
