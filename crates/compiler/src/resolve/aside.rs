//! Rates that the classes of a direction leave free.

use crate::diag::Span;
use crate::units::Rate;

/// A rate that the classes of a direction leave free.
pub(super) struct Aside {
    /// Kind of its owner: policer or device.
    pub what: &'static str,
    /// Name of its owner.
    pub name: String,
    pub rate: Rate,
    /// Place of the rate.
    pub span: Span,
}
