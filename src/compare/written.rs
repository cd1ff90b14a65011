//! What somebody wrote, told apart from what follows from it.

use super::change::{At, Change, ChangeKind, Comparison, Group};
use crate::diff::Price;
use crate::model::{Amount, Direction, Origin, PerDirection, Val};
use crate::units::Rate;
use serde::Serialize;

/// What a value costs that is written in another way and comes to the same.
pub(super) const SAME: &str = "the same now, but not at another line rate";

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

/// What filled in a value that the file does not give.
pub(super) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Default { why } => why.clone(),
        Origin::Given(_) | Origin::Derived { .. } => String::new(),
    }
}

/// What is written where a rate or a share may stand; `None` where nothing is, and a default holds or what others leave.
pub(super) type Written = Option<Amount>;

/// What was written for a host, whose model keeps the origin alone: a share is derived by `share of rate`, which no other
/// formula looks like.
pub(super) fn of_origin(val: &Val<Rate>) -> Written {
    match &val.origin {
        Origin::Given(_) => Some(Amount::Rate(val.value)),
        Origin::Derived { formula, .. } => {
            formula.split_once(" of ").and_then(|(share, _)| share.parse().ok()).map(Amount::Share)
        }
        Origin::Default { .. } => None,
    }
}

/// An amount as it is written.
pub(super) fn amount(written: Written, nothing: &str) -> String {
    match written {
        Some(Amount::Rate(rate)) => rate.to_string(),
        Some(Amount::Share(share)) => share.to_string(),
        None => nothing.to_owned(),
    }
}

/// One side of a rate: what is written, and what it comes to; `None` where nothing is asked for.
pub(super) type Side = (Written, Option<Rate>);

/// Compares a rate that may be written as a share. `nothing` says what holds where nothing is written.
pub(super) fn rates(
    found: &mut Comparison,
    place: &At<'_>,
    (field, nothing): (&str, &str),
    (old, new): (&PerDirection<Side>, &PerDirection<Side>),
    (directions, price): (&[Direction], &Price),
) {
    for direction in directions {
        let ((from, old), (to, new)) = (old.get(*direction), new.get(*direction));
        let text = |rate: &Option<Rate>| rate.map_or_else(|| "none".to_owned(), |rate| rate.to_string());
        let (was, is) = (text(old), text(new));
        let field = format!("{field} {}", direction.as_str());
        if from == to {
            found.follow(place, Group::Rates, &field, was, is);
            continue;
        }
        let exact = matches!((from, to), (Some(Amount::Rate(_)), Some(Amount::Rate(_))));
        let (note, price) = match was == is {
            true => {
                let said = [from, to].iter().any(|amount| matches!(amount, Some(Amount::Rate(_))));
                ((!said).then_some(was), Price::in_place(SAME))
            }
            false => ((!exact).then(|| format!("{} {was} -> {is}", direction.as_str())), price.clone()),
        };
        found.changes.push(Change {
            field,
            old: Some(amount(*from, nothing)),
            new: Some(amount(*to, nothing)),
            note,
            ..place.change(ChangeKind::Changed, price)
        });
    }
}

/// Takes a value that is written on one side at least; where it is not, it follows from others.
pub(super) fn given<T: ToString>(
    found: &mut Comparison,
    place: &At<'_>,
    field: &str,
    (old, new): (&Val<T>, &Val<T>),
    price: Price,
) {
    let same = old.value.to_string() == new.value.to_string();
    let text = |val: &Val<T>| match (val.is_given(), same) {
        (false, true) => format!("{} by formula", val.value.to_string()),
        _ => val.value.to_string(),
    };
    let price = if same { Price::in_place(SAME) } else { price };
    found.field(place, field, (text(old), text(new)), price);
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
        let direction =
            ["up", "down"].into_iter().find(|direction| change.field.ends_with(&format!(" {direction}")));
        if let (Some(direction), Some(note)) = (direction, &mut change.note)
            && let Some(rest) = note.strip_prefix(direction)
        {
            *note = rest.trim_start().to_owned();
        }
    }
    merged
}

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;
