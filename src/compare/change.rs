//! What differs between two configurations, as values: drawn by `human`, and printed as JSON as they are.

use crate::diff::{Cost, Price, summary};
use serde::Serialize;

/// The part of a configuration that a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// The link, and its name.
    Link,
    /// The house's side.
    Lan,
    /// A host.
    Hosts,
    /// A tunnel.
    Tunnels,
    /// A class.
    Classes,
    /// A police.
    Police,
    /// What is tuned beside the shaper.
    Tuning,
    /// What the lab must measure.
    Expect,
}

/// How something changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Only the new configuration has it.
    Added,
    /// Only the old configuration has it.
    Removed,
    /// It has another name, and is otherwise the same.
    Renamed,
    /// It is in another class.
    Moved,
    /// It has another id in the kernel.
    Renumbered,
    /// A field has another value.
    Changed,
    /// It is tried before others that it was tried after.
    Reordered,
}

/// A change that somebody made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What it is about.
    pub area: Area,
    /// The name in the YAML; empty where a part has but one, such as the link.
    pub name: String,
    /// How it changes.
    pub change: ChangeKind,
    /// Which field, such as `guarantee` or `queue.flows`; empty where it is the thing itself.
    pub field: String,
    /// What it was; `None` where there was none.
    pub old: Option<String>,
    /// What it becomes; `None` where nothing does.
    pub new: Option<String>,
    /// What it comes to, where that is more than the two say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The line in the new file, or in the old one where the new has none; `None` where no line says it.
    pub line: Option<u32>,
    /// What it costs on a router at work.
    #[serde(flatten)]
    pub price: Price,
}

/// What kind of value follows from a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// What the link is shaped to, and what its classes share.
    Shaped,
    /// Whether aggregates are kept from the shaper.
    Aggregates,
    /// Guarantees and ceilings.
    Rates,
    /// Priorities.
    Priorities,
    /// Bursts and turns.
    Bursts,
    /// Parameters of queues.
    Queues,
    /// Rates and bursts of police.
    Police,
    /// Socket buffers.
    Buffers,
}

/// A value that nobody wrote and that follows from a change; always changed in place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Follow {
    /// What it is about.
    pub area: Area,
    /// The name in the YAML; empty for the link.
    pub name: String,
    /// Which field, with the direction, such as `guarantee up`.
    pub field: String,
    /// What kind of value it is.
    pub group: Group,
    /// What it was.
    pub old: String,
    /// What it becomes.
    pub new: String,
}

/// All that differs between two configurations, as JSON in a shape that keeps: objects in two arrays, `changes` and
/// `follows`, with the fields of [`Change`] and [`Follow`], in which `cost` is `in_place`, `own_backlog` or `rebuild`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// What somebody changed, by area and in the order of the files.
    pub changes: Vec<Change>,
    /// What follows from that.
    pub follows: Vec<Follow>,
}

impl Comparison {
    /// Whether anything differs.
    #[must_use]
    pub fn differs(&self) -> bool {
        !self.changes.is_empty() || !self.follows.is_empty()
    }

    /// How many changes have this cost.
    #[must_use]
    pub fn count(&self, cost: Cost) -> usize {
        self.changes.iter().filter(|change| change.price.cost == cost).count()
    }

    /// One line for all of it.
    #[must_use]
    pub fn summary(&self) -> String {
        match (self.changes.is_empty(), self.follows.is_empty()) {
            (false, _) => summary(self.changes.iter().map(|change| change.price.cost)),
            (true, false) => "only what follows differs, in place".to_owned(),
            (true, true) => "nothing differs in effect".to_owned(),
        }
    }

    /// Takes a change of a field, if there is one.
    pub(super) fn field<T: PartialEq + Into<Option<String>>>(
        &mut self,
        place: &At<'_>,
        field: &str,
        values: (T, T),
        price: Price,
    ) {
        let (old, new) = values;
        if old != new {
            self.changes.push(Change {
                field: field.to_owned(),
                old: old.into(),
                new: new.into(),
                ..place.change(ChangeKind::Changed, price)
            });
        }
    }

    /// Takes a value that follows, if it differs.
    pub(super) fn follow(&mut self, place: &At<'_>, group: Group, field: &str, old: String, new: String) {
        if old != new {
            let (area, name, field) = (place.area, place.name.to_owned(), field.to_owned());
            self.follows.push(Follow { area, name, field, group, old, new });
        }
    }
}

/// What a change is about, while its fields are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) area: Area,
    pub(super) name: &'a str,
    pub(super) line: Option<u32>,
}

impl At<'_> {
    /// A change without old and new.
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
