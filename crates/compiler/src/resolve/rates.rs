//! Resolves the guarantees and ceilings of sibling classes.

use super::claims::{Above, Claim, amount};
use super::shares::Problems;
use crate::derive::{self, BORROWING, LEAST_RATE};
use crate::diag::{Sink, Span, Spanned};
use crate::model::{Direction, PerDirection, Val};
use crate::syntax::raw::RawClass;
use crate::terms::Amount;
use crate::units::Rate;

/// Rates of one class.
#[derive(Debug, Clone)]
pub(super) struct ClassRates {
    /// Guarantee of the class.
    pub guarantee: PerDirection<Val<Rate>>,
    /// Ceiling of the class.
    pub ceiling: PerDirection<Val<Rate>>,
}

/// Returns the given guarantee; [`BORROWING`] for `0%`.
pub(super) fn guaranteed(given: Spanned<Amount>, of: Rate) -> Val<Rate> {
    if !given.value.is_nothing() {
        return amount(given, of);
    }
    let formula = format!("0% of {of}: borrows only, and {BORROWING} is the least that HTB is told");
    Val::derived(BORROWING, formula, Some(given.span))
}

/// Shares the parent's rates between its classes. Given guarantees come first, and each other class gets an equal share
/// of the remaining rate. All contradictions are reported. The result is consistent nevertheless, so that nested
/// classes do not repeat a finding.
///
/// A guarantee of `0%` counts as nothing, and the classes inside such a class only borrow as well.
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

/// Guarantee and ceiling of each claim; `None` for a claimant that does not exist in the direction.
pub(super) type Shares = Vec<Option<(Val<Rate>, Val<Rate>)>>;

/// Shares the parent's rates between any claims. `least` is the minimum for each share of the remaining rate.
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
        .map(|claim| claim.guarantee.get(direction).filter(|_| here(claim)).map(|g| guaranteed(g, whole)))
        .collect();
    let nothing = |claim: &Claim<'_>| claim.guarantee.get(direction).is_some_and(|g| g.value.is_nothing());
    let counted = claims.iter().zip(&given).filter(|(claim, _)| !nothing(claim));
    let sum: Rate = counted.filter_map(|(_, rate)| rate.as_ref()).map(|rate| rate.value).sum();
    let without = claims.iter().zip(&given).filter(|(claim, rate)| here(claim) && rate.is_none());
    let others = without.map(|(claim, _)| claim.weight).sum();
    let left = Left::new(whole, sum, others);

    // Only a parent that itself borrows has such a low rate.
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
    // A parent below the minimum rate was already reported, and everything in it is just as low.
    let enough = whole >= LEAST_RATE;
    if others > 0 && !too_much && enough && left.equal < least {
        problems.nothing_left(direction, left.rate);
    }

    let parts = claims.iter().zip(given).enumerate().map(|(index, (claim, guarantee))| {
        if !here(claim) {
            return None;
        }
        let ceiling = match *claim.ceiling.get(direction) {
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
                    // 100 bit/s lie below every valid ceiling.
                } else if guarantee.value < LEAST_RATE && enough {
                    problems.too_low(
                        index,
                        direction,
                        &guarantee,
                        derive::guarantee_too_low_help(claim.may_borrow),
                    );
                } else if guarantee.value > ceiling.value
                    && (guarantee.value <= whole || claim.ceiling.get(direction).is_some())
                {
                    problems.ceiling_below(index, direction, &guarantee, &ceiling);
                }
                guarantee
            }
            None => left.part(claim.weight, &ceiling, claim.name.span),
        };
        if claim.ceiling.get(direction).is_some() && ceiling.value < LEAST_RATE && (enough || borrows) {
            problems.too_low(index, direction, &ceiling, derive::too_low_help());
        }
        Some((within(guarantee, whole), within(ceiling, most)))
    });
    parts.collect()
}

/// Remaining rate of a parent for the classes without a guarantee.
struct Left {
    /// Total remaining rate.
    rate: Rate,
    /// Share for a weight of one.
    equal: Rate,
    /// Sum of the weights.
    others: u64,
    /// Formula of the share.
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

    /// Returns the guarantee of a claimant that asks for none: its share of the remaining rate, capped at its ceiling.
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

/// Limits a value to a bound of the parent. It applies after an error, and to a ceiling on a line that varies.
fn within(val: Val<Rate>, bound: Rate) -> Val<Rate> {
    if val.value <= bound {
        return val;
    }
    Val::derived(bound, format!("the parent's, as {} are more", val.value), val.span())
}

/// Returns the rates that the whole link has for its classes.
pub(super) fn whole(rates: PerDirection<Rate>, line: PerDirection<String>, span: Span) -> Above {
    Above { name: None, span, guarantee: rates, ceiling: rates, line: Some(line) }
}
