//! Differences between two configurations as plain values. `human` draws them, and JSON prints these fields unchanged.

use crate::diff::{Cost, Price, summary};
use qosc_compiler::model::FileSection;
use serde::Serialize;

/// Kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Only the new configuration has it.
    Added,
    /// Only the old configuration has it.
    Removed,
    /// It has another name and is otherwise the same.
    Renamed,
    /// It has another parent class.
    Moved,
    /// It has another class id in the kernel.
    Renumbered,
    /// A field has another value.
    Changed,
    /// Its filters now come before or after those of another class or policer that matches some of the same packets.
    Reordered,
}

/// A change that somebody wrote into the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// Section that the change belongs to.
    pub area: FileSection,
    /// Name in the YAML. Empty if the section describes only one thing, such as the link.
    pub name: String,
    /// Kind of change.
    pub change: ChangeKind,
    /// Changed field, such as `guarantee` or `queue.flows`. Empty if the change is about the object itself.
    pub field: String,
    /// Old value; `None` if there was none.
    pub old: Option<String>,
    /// New value; `None` if there is none.
    pub new: Option<String>,
    /// Resulting values, if `old` and `new` alone do not show them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Line in the new file, or in the old file if the new file has no such line. `None` if no line states it.
    pub line: Option<u32>,
    /// Cost of the change on a router that is in service.
    #[serde(flatten)]
    pub price: Price,
}

/// Group of derived values that follow from a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Shaped rates of the link, and the rates that its classes share.
    Shaped,
    /// Splitting of aggregated packets ahead of the shaper.
    Aggregates,
    /// Guarantees and ceilings.
    Rates,
    /// Priorities.
    Priorities,
    /// Bursts and quanta.
    Bursts,
    /// Queue parameters.
    Queues,
    /// Rates and bursts of policers.
    Police,
    /// Socket buffers.
    Buffers,
}

/// A derived value that follows from a change. The kernel always changes it in place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Follow {
    /// Section that the value belongs to.
    pub area: FileSection,
    /// Name in the YAML; empty for the link.
    pub name: String,
    /// Changed field with its direction, such as `guarantee up`.
    pub field: String,
    /// Group of the value.
    pub group: Group,
    /// Old value.
    pub old: String,
    /// New value.
    pub new: String,
}

/// All differences between two configurations. The JSON form is stable: it has two arrays of objects, `changes` and
/// `follows`, with the fields of [`Change`] and [`Follow`]. A `cost` is `in_place`, `own_backlog`, `swap` or `rebuild`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// Written changes, sorted by area and then in the order of the files.
    pub changes: Vec<Change>,
    /// Derived values that follow from the changes.
    pub follows: Vec<Follow>,
}

impl Comparison {
    /// Returns `true` if anything differs.
    #[must_use]
    pub fn differs(&self) -> bool {
        !self.changes.is_empty() || !self.follows.is_empty()
    }

    /// Returns the number of changes that have this cost.
    #[must_use]
    pub fn count(&self, cost: Cost) -> usize {
        self.changes.iter().filter(|change| change.price.cost == cost).count()
    }

    /// Returns a one-line summary of all changes.
    #[must_use]
    pub fn summary(&self) -> String {
        match (self.changes.is_empty(), self.follows.is_empty()) {
            (false, _) => summary(self.changes.iter().map(|change| change.price.cost)),
            (true, false) => "only derived values differ; no packet is lost".to_owned(),
            (true, true) => "nothing differs in effect".to_owned(),
        }
    }
}

/// Place of a change while its fields are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) area: FileSection,
    pub(super) name: &'a str,
    pub(super) line: Option<u32>,
}

impl At<'_> {
    /// Returns a change of this place without an old and a new value.
    pub(super) fn change(&self, change: ChangeKind, price: Price) -> Change {
        Change {
            area: self.area,
            name: self.name.to_owned(),
            change,
            field: String::new(),
            old: None,
            new: None,
            note: None,
            line: self.line,
            price,
        }
    }
}
