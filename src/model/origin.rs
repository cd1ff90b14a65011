//! Where a value came from.

use crate::diag::Span;
use serde::Serialize;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Written in the file.
    Given(Span),
    /// A default: `why` names it, such as ``profile `vdsl2-pppoe` ``.
    Default {
        /// What gave it.
        why: String,
    },
    /// Computed: the formula with its inputs filled in, such as `6.5mbit x 64/65 x 98%`.
    Derived {
        /// The formula.
        formula: String,
        /// The place of the input that mattered most, if the file has one.
        from: Option<Span>,
    },
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Val<T> {
    /// The value.
    pub value: T,
    /// Its origin.
    pub origin: Origin,
}

impl<T> Val<T> {
    /// A value written in the file.
    pub const fn given(value: T, span: Span) -> Self {
        Val { value, origin: Origin::Given(span) }
    }

    /// A default.
    pub fn default(value: T, why: impl Into<String>) -> Self {
        Val { value, origin: Origin::Default { why: why.into() } }
    }

    /// A computed value.
    pub fn derived(value: T, formula: impl Into<String>, from: Option<Span>) -> Self {
        Val { value, origin: Origin::Derived { formula: formula.into(), from } }
    }

    /// Whether the value is written in a file.
    pub const fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Given(_))
    }

    /// Where the value is written, if it is.
    pub const fn given_at(&self) -> Option<Span> {
        match self.origin {
            Origin::Given(span) => Some(span),
            _ => None,
        }
    }

    /// How it was computed, if it was.
    pub fn formula(&self) -> Option<&str> {
        match &self.origin {
            Origin::Derived { formula, .. } => Some(formula),
            Origin::Given(_) | Origin::Default { .. } => None,
        }
    }

    /// The place in the file that this value came from, if any.
    pub const fn span(&self) -> Option<Span> {
        match &self.origin {
            Origin::Given(span) => Some(*span),
            Origin::Derived { from, .. } => *from,
            Origin::Default { .. } => None,
        }
    }
}

/// A choice as the file writes it.
#[must_use]
pub fn name_of<T: Serialize>(choice: &T) -> String {
    serde_json::to_value(choice).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}
