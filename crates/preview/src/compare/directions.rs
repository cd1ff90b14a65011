//! Merges equal changes of both directions.

use super::change::Change;

/// Merges equal changes of both directions: `guarantee up` and `guarantee down` become `guarantee`.
pub(super) fn merge(changes: Vec<Change>) -> Vec<Change> {
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
#[path = "directions_tests.rs"]
mod tests;
