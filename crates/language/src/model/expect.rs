//! Expectations that the lab measures.

use super::{ClassId, Load, Measure};
use crate::diag::Span;
use crate::units::{Micros, Percent, Rate};
use serde::Serialize;

/// One expectation: a measurement beside a load, and its limits. Names of hosts are resolved: `from` and `on` are
/// indices into the model's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Expect {
    /// Place in the file.
    pub span: Span,
    /// Load on the line during the measurement.
    pub load: Load,
    /// Host that causes the load; `None` for a host that the file does not name.
    pub from: Option<usize>,
    /// Leaf to which the packets of the load belong; `None` if they are those of an ordinary load. Always `None`
    /// without a load.
    pub class: Option<ClassId>,
    /// Kind of measurement.
    pub measure: Measure,
    /// Host that measures; `None` for a host that the file does not name and that is not the load's host.
    pub on: Option<usize>,
    /// Leaf to which the measured packets belong; `None` if they are ordinary ones. Always `None` with
    /// [`Measure::Ping`] and [`Measure::Fetch`].
    pub of: Option<ClassId>,
    /// Limits in the order of [`LimitKind`], at most one of each kind. The list is only empty after an error.
    pub limits: Vec<Limit>,
}

/// A limit on one quantity of the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// Place of the value.
    pub span: Span,
    /// Limited quantity.
    pub kind: LimitKind,
    /// Value of the limit: a time for the first four kinds, a percentage for `loss` and `share`, a rate for `rate`.
    pub value: LimitValue,
    /// Value as text for people, such as `25ms`.
    pub text: String,
}

choices! {
    /// A quantity of a measurement.
    pub enum LimitKind {
        /// Median time of the packets or fetches.
        P50,
        /// 99th percentile of the times.
        P99,
        /// Longest time.
        Max,
        /// Difference between the times of consecutive packets.
        Jitter,
        /// Lost share of everything that was sent.
        Loss,
        /// Share of the rate that the measured traffic and the load get together in its direction.
        Share,
        /// Rate of the measured traffic.
        Rate,
    }
}

impl LimitKind {
    /// Returns `true` for a lower limit. All other kinds are upper limits.
    #[must_use]
    pub const fn is_least(self) -> bool {
        matches!(self, LimitKind::Share | LimitKind::Rate)
    }

    /// Returns `true` if the measurement has this quantity.
    #[must_use]
    pub const fn fits(self, measure: Measure) -> bool {
        let bulk = matches!(measure, Measure::Upload | Measure::Download);
        match self {
            LimitKind::P50 | LimitKind::P99 | LimitKind::Max => !bulk,
            LimitKind::Jitter => matches!(measure, Measure::Stream | Measure::StreamDown),
            LimitKind::Loss => !bulk && !matches!(measure, Measure::Fetch),
            LimitKind::Share | LimitKind::Rate => bulk,
        }
    }
}

/// Value of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitValue {
    /// A time.
    Time(Micros),
    /// A percentage, in millionths.
    Percent(Percent),
    /// A rate.
    Rate(Rate),
}

impl std::fmt::Display for LimitValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LimitValue::Time(time) => time.fmt(f),
            LimitValue::Percent(percent) => percent.fmt(f),
            LimitValue::Rate(rate) => rate.fmt(f),
        }
    }
}
