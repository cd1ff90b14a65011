//! Claims of classes on the rates of their parent.

use crate::diag::{Span, Spanned};
use crate::model::{PerDirection, Val};
use crate::syntax::raw::{Each, RawClass};
use crate::terms::Amount;
use crate::units::Rate;

/// The parent whose rates the classes share: a class, or the whole link.
#[derive(Debug, Clone)]
pub(super) struct Above {
    /// Name of the parent; `None` for the link.
    pub name: Option<String>,
    /// Place of the parent in the file.
    pub span: Span,
    /// Guarantee of the parent. Percentages of guarantees refer to it.
    pub guarantee: PerDirection<Rate>,
    /// Ceiling of the parent. Percentages of ceilings refer to it.
    pub ceiling: PerDirection<Rate>,
    /// How the rates of the link follow from its line rates, for messages; `None` for a class.
    pub line: Option<PerDirection<String>>,
}

/// A claim on the rates of a parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    /// Kind of the claimant, such as `class`.
    pub noun: &'static str,
    /// Name of the claimant.
    pub name: &'a Spanned<String>,
    /// Requested guarantee.
    pub guarantee: &'a Each<Amount>,
    /// Requested ceiling.
    pub ceiling: &'a Each<Amount>,
    /// Weight for sharing the remaining rate, if no guarantee is requested.
    pub weight: u64,
    /// `true` if the claimant may only borrow. The default class may not, nor the classes around it.
    pub may_borrow: bool,
    /// `true` for each direction in which the claimant exists.
    pub directions: PerDirection<bool>,
}

impl<'a> Claim<'a> {
    /// Returns the claim of a class.
    pub fn class(raw: &'a RawClass) -> Self {
        Claim {
            noun: "class",
            name: &raw.name,
            guarantee: &raw.guarantee,
            ceiling: &raw.ceiling,
            weight: 1,
            may_borrow: !has_default(raw),
            directions: PerDirection { up: true, down: true },
        }
    }
}

fn has_default(class: &RawClass) -> bool {
    class.default.is_some_and(|default| default.value) || class.classes.iter().any(has_default)
}

/// Returns the given rate, or the percentage of `of`, rounded down.
pub(super) fn amount(given: Spanned<Amount>, of: Rate) -> Val<Rate> {
    match given.value {
        Amount::Rate(rate) => Val::given(rate, given.span),
        Amount::Share(share) => Val::derived(of.percent(share), format!("{share} of {of}"), Some(given.span)),
    }
}
