//! Compares the values of one object, and tells written changes from derived ones.

use super::change::{At, Change, ChangeKind, Comparison, Follow, Group};
use super::fact::{Fact, facts};
use crate::diff::Price;
use qosc_compiler::model::FileSection;
use serde_json::Value;

/// Reason for the cost of a value that is written differently and results in the same number.
const SAME: &str = "the value is the same at this line rate, but not at another";

/// Value of a guarantee that is not written, as JSON has it.
pub(super) const LEFT: &str = "what is left";

/// End of a value that is not written and follows from others.
pub(super) const BY_FORMULA: &str = " by formula";

/// Queue parameters that depend on rates unless the file gives them.
const SCALED: [&str; 6] =
    ["queue.target", "queue.interval", "queue.rtt", "queue.limit", "queue.quantum", "queue.memory"];

/// A value in both files.
#[derive(Debug)]
pub(super) struct Field<'a> {
    /// Label without the direction.
    pub(super) label: &'a str,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    was: &'a Fact<'a>,
    is: &'a Fact<'a>,
}

/// Records the differences between two views of an object. `price` returns the cost of a written change. If the
/// compiler made the object (`is_derived`), only values that the kernel cannot change in place are changes.
pub(super) fn compare(
    found: &mut Comparison,
    place: At<'_>,
    (old, new): (&Value, &Value),
    is_derived: bool,
    price: impl Fn(&Field<'_>) -> Price,
) {
    each(old, new, |field| match group(place.area, field.label) {
        None => plain(found, place, field, price(field)),
        Some(group) if is_derived => follow(found, place, field, group),
        Some(group) => by_origin(found, place, field, group, &price),
    });
}

/// Calls `each` for the values of both views that differ, or that only one file writes.
fn each(old: &Value, new: &Value, mut each: impl FnMut(&Field<'_>)) {
    let (olds, news) = (facts(old), facts(new));
    let mut replaced = Vec::new();
    for was in &olds {
        let same = |own: &&Fact<'_>| own.label == was.label && own.direction == was.direction;
        let Some(is) = news.iter().find(same) else { continue };
        let field = Field { label: &was.label, old: was.text(), new: is.text(), was, is };
        if was.label == "queue" && field.old != field.new {
            replaced.push(was.direction);
        }
        // Queues of different kinds have different parameters.
        if !(was.label.starts_with("queue.") && replaced.contains(&was.direction)) {
            each(&field);
        }
    }
}

/// Returns the group of a value that the compiler derives if nobody writes it.
fn group(area: FileSection, label: &str) -> Option<Group> {
    Some(match label {
        "shaped" | "what the classes share" => Group::Shaped,
        "aggregates kept from the shaper" => Group::Aggregates,
        "guarantee" | "ceiling" => Group::Rates,
        "priority" => Group::Priorities,
        "rate" | "policer burst" => Group::Police,
        "burst" if area == FileSection::Police => Group::Police,
        "burst" | "cburst" | "quantum" => Group::Bursts,
        "tcp send buffer" | "tcp receive buffer" => Group::Buffers,
        _ if label.starts_with("queue.") => Group::Queues,
        _ => return None,
    })
}

/// Returns the text for a rate that is not written; `None` if the value cannot be written as a share.
fn unwritten(area: FileSection, label: &str) -> Option<&'static str> {
    match (area, label) {
        (FileSection::Classes, "guarantee") => Some(LEFT),
        (FileSection::Classes, "ceiling") => Some("100%"),
        (_, "guarantee" | "ceiling" | "rate") => Some("none"),
        _ => None,
    }
}

impl Field<'_> {
    /// Returns the label with its direction.
    fn name(&self) -> String {
        format!("{} {}", self.label, self.was.direction).trim().to_owned()
    }

    fn change(&self, place: At<'_>, old: Option<String>, new: Option<String>, price: Price) -> Change {
        let line = if place.name.is_empty() { self.is.line().or(self.was.line()) } else { place.line };
        Change { field: self.name(), old, new, line, ..place.change(ChangeKind::Changed, price) }
    }
}

/// Records a value that only the file determines.
fn plain(found: &mut Comparison, place: At<'_>, field: &Field<'_>, price: Price) {
    if field.old != field.new {
        let note = note(found, place.area, field);
        let changed = field.change(place, field.old.clone(), field.new.clone(), price);
        found.changes.push(match field.label {
            "in" => Change { change: ChangeKind::Moved, field: String::new(), ..changed },
            "id" => Change { change: ChangeKind::Renumbered, ..changed },
            _ => Change { note, ..changed },
        });
    }
}

/// Returns where a value of the link comes from that the new file does not write.
fn note(found: &Comparison, area: FileSection, field: &Field<'_>) -> Option<String> {
    if area != FileSection::Link || ["name", "profile"].contains(&field.label) || field.is.written().is_some()
    {
        return None;
    }
    let by_profile = field.was.written().is_none() && found.changes.iter().any(|own| own.field == "profile");
    let reason = if by_profile { Some("by the profile") } else { field.is.reason() };
    reason.map(str::to_owned)
}

fn follow(found: &mut Comparison, place: At<'_>, field: &Field<'_>, group: Group) {
    if field.old != field.new
        && let (Some(old), Some(new)) = (field.old.clone(), field.new.clone())
    {
        let (area, name, field) = (place.area, place.name.to_owned(), field.name());
        found.follows.push(Follow { area, name, field, group, old, new });
    }
}

/// Records a value as a change if its written text differs, and else as derived.
fn by_origin(
    found: &mut Comparison,
    place: At<'_>,
    field: &Field<'_>,
    group: Group,
    price: impl Fn(&Field<'_>) -> Price,
) {
    let nothing = unwritten(place.area, field.label);
    let [from, to] =
        [field.was, field.is].map(|fact| fact.written().filter(|text| Some(text.as_str()) != nothing));
    if from == to {
        return follow(found, place, field, group);
    }
    let same = field.old == field.new;
    let (old, new, note) = match nothing {
        Some(nothing) => {
            let is_rate = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.ends_with('%'));
            let note = match (is_rate(&from), is_rate(&to)) {
                (false, false) if same => field.old.clone(),
                (true, true) => None,
                _ if same => None,
                _ => Some(resulting(field)),
            };
            let text = |written: Option<String>| Some(written.unwrap_or_else(|| nothing.to_owned()));
            (text(from), text(to), note)
        }
        None => {
            if same && !SCALED.contains(&field.label) && place.area != FileSection::Police {
                return;
            }
            let text = |written: Option<String>, text: &Option<String>| {
                let formula = if written.is_none() && same { BY_FORMULA } else { "" };
                text.as_ref().map(|text| format!("{text}{formula}"))
            };
            (text(from, &field.old), text(to, &field.new), None)
        }
    };
    let price = if same { Price::in_place(SAME) } else { price(field) };
    found.changes.push(Change { note, ..field.change(place, old, new, price) });
}

/// Returns the rates that result from a written rate.
fn resulting(field: &Field<'_>) -> String {
    let text = |rate: &Option<String>| rate.clone().unwrap_or_else(|| "none".to_owned());
    format!("{} {} -> {}", field.was.direction, text(&field.old), text(&field.new)).trim_start().to_owned()
}
