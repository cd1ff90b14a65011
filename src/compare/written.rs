//! What somebody wrote, told apart from what follows from it.

use super::change::{At, Change, Comparison, Group, Kind};
use crate::diag::{FileId, Span};
use crate::diff::Price;
use crate::model::{Direction, Origin, PerDirection, Val};
use crate::units::Rate;
use serde::Serialize;

/// The line of a place in the user's own file; a built-in class set has none that could be looked up.
pub(super) fn line(span: Span) -> Option<u32> {
    (span.file == FileId(0)).then_some(span.line)
}

/// A value as JSON prints it, without quotes: the word that stands in the YAML.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(serde_json::Value::Array(list)) => list.iter().map(word).collect::<Vec<_>>().join(", "),
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// As YAML has it.
pub(super) fn truth(value: bool) -> String {
    if value { "true" } else { "false" }.to_owned()
}

pub(super) const fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
    }
}

/// What filled in a value that the file does not give.
pub(super) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Default { why } => why.clone(),
        Origin::Given(_) | Origin::Derived { .. } => String::new(),
    }
}

/// Whether a value is written in the file.
pub(super) const fn is_given<T>(val: &Val<T>) -> bool {
    matches!(val.origin, Origin::Given(_))
}

/// What is written where a rate or a share may stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// A rate.
    Rate(Rate),
    /// A share, such as `20%`.
    Share(String),
    /// Nothing: the value is a default, or what others leave.
    Nothing,
}

impl Written {
    /// What was written for a rate. A share is derived by `share of rate`, which no other formula looks like.
    pub(super) fn of(val: &Val<Rate>) -> Written {
        match &val.origin {
            Origin::Given(_) => Written::Rate(val.value),
            Origin::Derived { formula, .. } => match formula.split_once(" of ") {
                Some((share, _)) if share.ends_with('%') => Written::Share(share.to_owned()),
                _ => Written::Nothing,
            },
            Origin::Default { .. } => Written::Nothing,
        }
    }

    pub(super) fn text(&self, nothing: &str) -> String {
        match self {
            Written::Rate(rate) => rate.to_string(),
            Written::Share(share) => share.clone(),
            Written::Nothing => nothing.to_owned(),
        }
    }
}

/// A rate in both directions, old and new.
pub(super) type Rates<'a> = PerDirection<(Option<&'a Val<Rate>>, Option<&'a Val<Rate>>)>;

/// Compares a rate that may be written as a share. `nothing` says what holds where nothing is written.
pub(super) fn rates(
    found: &mut Comparison,
    place: &At<'_>,
    field: &str,
    nothing: &str,
    values: &Rates<'_>,
    (directions, price): (&[Direction], &Price),
) {
    for way in directions {
        let (old, new) = values.get(*way);
        let written = |val: &Option<&Val<Rate>>| val.map_or(Written::Nothing, Written::of);
        let (from, to) = (written(old), written(new));
        let text =
            |val: &Option<&Val<Rate>>| val.map_or_else(|| "none".to_owned(), |val| val.value.to_string());
        let (old, new) = (text(old), text(new));
        if old == new {
            continue;
        }
        let field = format!("{field} {}", direction(*way));
        if from == to {
            found.follow(place, Group::Rates, &field, old, new);
            continue;
        }
        let exact = matches!((&from, &to), (Written::Rate(_), Written::Rate(_)));
        found.changes.push(Change {
            field,
            old: Some(from.text(nothing)),
            new: Some(to.text(nothing)),
            note: (!exact).then(|| format!("{} {old} -> {new}", direction(*way))),
            ..place.change(Kind::Changed, price.clone())
        });
    }
}

/// Puts together what is the same up and down: `guarantee up` and `guarantee down` become `guarantee`.
pub(super) fn merge_directions(changes: Vec<Change>) -> Vec<Change> {
    let mut merged: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes {
        let Some(field) = change.field.strip_suffix(" down") else {
            merged.push(change);
            continue;
        };
        let up = merged
            .iter_mut()
            .rev()
            .take_while(|other| (other.area, &other.name) == (change.area, &change.name));
        let same = |other: &&mut Change| {
            other.field.strip_suffix(" up") == Some(field)
                && (&other.old, &other.new, &other.price) == (&change.old, &change.new, &change.price)
        };
        let Some(up) = up.into_iter().find(same) else {
            merged.push(change);
            continue;
        };
        up.field = field.to_owned();
        up.note = match (up.note.take(), change.note) {
            (Some(up), Some(down)) if up != down => Some(format!("{up}, {down}")),
            (note, other) => note.or(other),
        };
    }
    for change in &mut merged {
        // What the field says of the direction, the note need not say again.
        let way = ["up", "down"].into_iter().find(|way| change.field.ends_with(&format!(" {way}")));
        if let (Some(way), Some(note)) = (way, &mut change.note)
            && let Some(rest) = note.strip_prefix(way)
        {
            *note = rest.trim_start().to_owned();
        }
    }
    merged
}

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;
