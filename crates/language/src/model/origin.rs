//! Values together with their origins.

use crate::diag::Span;
use serde::Serialize;
use std::borrow::Cow;

/// Origin of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Written in the file.
    Given(Span),
    /// A default. `why` names its source, such as ``profile `vdsl2-pppoe` ``.
    Default {
        /// Source of the default.
        why: Cow<'static, str>,
    },
    /// Computed by a formula, whose inputs are filled in, such as `6.5mbit x 64/65 x 98%`.
    Derived {
        /// The formula.
        formula: Cow<'static, str>,
        /// Place of the most important input, if it is in the file.
        from: Option<Span>,
    },
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Val<T> {
    /// The value.
    pub value: T,
    /// Its origin.
    pub origin: Origin,
}

impl<T> Val<T> {
    /// Creates a value that is written in the file.
    pub const fn given(value: T, span: Span) -> Self {
        Val { value, origin: Origin::Given(span) }
    }

    /// Creates a default.
    pub fn default(value: T, why: impl Into<Cow<'static, str>>) -> Self {
        Val { value, origin: Origin::Default { why: why.into() } }
    }

    /// Creates a computed value.
    pub fn derived(value: T, formula: impl Into<Cow<'static, str>>, from: Option<Span>) -> Self {
        Val { value, origin: Origin::Derived { formula: formula.into(), from } }
    }

    /// Returns `true` if the value is written in a file.
    pub const fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Given(_))
    }

    /// Returns the place of the value, if it is written in a file.
    pub const fn given_at(&self) -> Option<Span> {
        match self.origin {
            Origin::Given(span) => Some(span),
            _ => None,
        }
    }

    /// Returns the formula, if the value was computed.
    pub fn formula(&self) -> Option<&str> {
        match &self.origin {
            Origin::Derived { formula, .. } => Some(formula),
            Origin::Given(_) | Origin::Default { .. } => None,
        }
    }

    /// Returns the place in the file that the value comes from, if any.
    pub const fn span(&self) -> Option<Span> {
        match &self.origin {
            Origin::Given(span) => Some(*span),
            Origin::Derived { from, .. } => *from,
            Origin::Default { .. } => None,
        }
    }
}
