//! What the lab must measure.

use super::{ClassId, Load, Measure};
use crate::diag::Span;
use crate::units::{Micros, Percent, Rate};
use serde::Serialize;

/// One expectation: what is measured beside which load, and how good it has to be. Names of hosts are bound: `from` and `on`
/// are indices into the model's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Expect {
    /// Its place.
    pub span: Span,
    /// What fills the line meanwhile.
    pub load: Load,
    /// The host that makes the load; `None` for one that the file does not name.
    pub from: Option<usize>,
    /// The leaf whose packets the load is made of; `None` where they are as such a load comes. Never without a load.
    pub class: Option<ClassId>,
    /// What is measured.
    pub measure: Measure,
    /// The host that measures; `None` for one that the file does not name, another than the load's.
    pub on: Option<usize>,
    /// The leaf whose packets are measured; `None` where they are as they come. Never with [`Measure::Ping`] and [`Measure::Fetch`].
    pub of: Option<ClassId>,
    /// How good it has to be, each kind once at most, in the order of [`LimitKind::ALL`]. None only where an error was found.
    pub limits: Vec<Limit>,
}

/// How good one figure of what is measured has to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// The place of its value.
    pub span: Span,
    /// Of which figure.
    pub kind: LimitKind,
    /// The limit itself: a time of the first four kinds, a percentage of `loss` and `share`, a rate of `rate`.
    pub value: LimitValue,
    /// The same as people read it: `25ms`.
    pub text: String,
}

/// A figure of what is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// The time that half of the packets, or of the fetches, take at most.
    P50,
    /// The time that 99 % of them take at most.
    P99,
    /// The longest time.
    Max,
    /// How much the times of packets that follow each other differ.
    Jitter,
    /// What is lost of all that was sent.
    Loss,
    /// What it gets of all that it and the load get together, in its direction.
    Share,
    /// What it gets.
    Rate,
}

impl LimitKind {
    /// Every kind, in the order in which an expectation has them.
    pub const ALL: [LimitKind; 7] = [
        LimitKind::P50,
        LimitKind::P99,
        LimitKind::Max,
        LimitKind::Jitter,
        LimitKind::Loss,
        LimitKind::Share,
        LimitKind::Rate,
    ];

    /// As a configuration writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            LimitKind::P50 => "p50",
            LimitKind::P99 => "p99",
            LimitKind::Max => "max",
            LimitKind::Jitter => "jitter",
            LimitKind::Loss => "loss",
            LimitKind::Share => "share",
            LimitKind::Rate => "rate",
        }
    }

    /// Whether what is measured must be as much at least; of the other kinds it must be as much at most.
    #[must_use]
    pub const fn is_least(self) -> bool {
        matches!(self, LimitKind::Share | LimitKind::Rate)
    }

    /// Whether this is a figure of what is measured.
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

/// The value of a limit.
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
