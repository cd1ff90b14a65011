//! Tells values that somebody wrote from derived ones.

use super::change::{At, Change, ChangeKind, Comparison, Group};
use crate::diff::Price;
use crate::model::{Amount, Direction, Origin, PerDirection, Val};
use crate::units::Rate;
use serde::Serialize;

/// Reason for the cost of a value that is written differently and results in the same number.
pub(super) const SAME: &str = "the value is the same at this line rate, but not at another";

/// Value of a guarantee that is not written, as JSON has it.
pub(super) const LEFT: &str = "what is left";

/// End of a value that is not written and follows from others.
pub(super) const BY_FORMULA: &str = " by formula";

/// Returns a value as JSON prints it, without quotes, which is also the word in the YAML.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(serde_json::Value::Array(list)) => list.iter().map(word).collect::<Vec<_>>().join(", "),
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// Returns a boolean in YAML spelling.
pub(super) fn truth(value: bool) -> String {
    if value { "true" } else { "false" }.to_owned()
}

/// Returns the reason for a default; empty if the value was given or derived.
pub(super) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Default { why } => why.to_string(),
        Origin::Given(_) | Origin::Derived { .. } => String::new(),
    }
}

/// The written rate or share of a field that accepts both. `None` means that nothing is written: a default applies, or
/// the share of the remaining rate.
pub(super) type Written = Option<Amount>;

/// Recovers the written amount of a host's rate, because the model of a host keeps only the origin. A share has the
/// formula `share of rate`, and no other formula has this form.
pub(super) fn of_origin(val: &Val<Rate>) -> Written {
    match &val.origin {
        Origin::Given(_) => Some(Amount::Rate(val.value)),
        Origin::Derived { formula, .. } => {
            formula.split_once(" of ").and_then(|(share, _)| share.parse().ok()).map(Amount::Share)
        }
        Origin::Default { .. } => None,
    }
}

/// Returns an amount in its written form.
pub(super) fn amount(written: Written, nothing: &str) -> String {
    match written {
        Some(Amount::Rate(rate)) => rate.to_string(),
        Some(Amount::Share(share)) => share.to_string(),
        None => nothing.to_owned(),
    }
}

/// A rate in one configuration: the written amount and the resulting rate. The rate is `None` if the file asks for
/// none.
pub(super) type Side = (Written, Option<Rate>);

/// Compares a rate that may be written as a share. `nothing` is the text for a side on which nothing is written.
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

/// Records a value that is written in at least one of the files. If the other file does not give it, that one is
/// derived.
pub(super) fn given<T: ToString>(
    found: &mut Comparison,
    place: &At<'_>,
    field: &str,
    (old, new): (&Val<T>, &Val<T>),
    price: Price,
) {
    let same = old.value.to_string() == new.value.to_string();
    let text = |val: &Val<T>| match (val.is_given(), same) {
        (false, true) => format!("{}{BY_FORMULA}", val.value.to_string()),
        _ => val.value.to_string(),
    };
    let price = if same { Price::in_place(SAME) } else { price };
    found.field(place, field, (text(old), text(new)), price);
}

/// Merges equal changes of both directions: `guarantee up` and `guarantee down` become `guarantee`.
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
        // The field already names the direction, so the note does not repeat it.
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
