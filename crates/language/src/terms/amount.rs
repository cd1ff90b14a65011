//! Amounts of bandwidth as the file writes them.

use crate::units::{Percent, Rate};
use serde::Serialize;

/// A rate such as `6.5mbit`, or a share such as `20%` of the parent's rate in that direction
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(untagged)]
pub enum Amount {
    /// A rate
    Rate(Rate),
    /// A share of the parent's rate in that direction
    Share(Percent),
}

impl Amount {
    /// Returns whether it is `0%`. As a guarantee, that means that a class only borrows.
    #[must_use]
    pub const fn is_nothing(self) -> bool {
        matches!(self, Amount::Share(share) if share.ppm() == 0)
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Amount::Rate(rate) => rate.fmt(f),
            Amount::Share(share) => share.fmt(f),
        }
    }
}
