//! Compares matches: the alternatives that were removed and the ones that were added. A packet needs to fit only one
//! alternative of a `match`, so their order has no meaning.

use super::change::{At, Change, ChangeKind, Comparison};
use super::price::FILTERS;
use super::side::Side;
use crate::diff::Price;
use qosc_compiler::model::Alternative;
use std::collections::BTreeSet;

/// Records each alternative that was removed or added. If exactly one was removed and one added, it records a single
/// change.
pub(super) fn compare(
    found: &mut Comparison,
    place: At<'_>,
    (old_side, old): (&Side<'_>, &[Alternative]),
    (new_side, new): (&Side<'_>, &[Alternative]),
) {
    let (olds, news) = (keyed(old_side, old), keyed(new_side, new));
    let (went, came) = (only_in(&olds, &news), only_in(&news, &olds));
    let mut record = |old: Option<&Alternative>, new: Option<&Alternative>| {
        found.changes.push(Change {
            field: "match".to_owned(),
            old: old.map(|own| own.text.clone()),
            new: new.map(|own| own.text.clone()),
            line: new.or(old).and_then(|own| own.span.own_line()),
            ..place.change(ChangeKind::Changed, Price::in_place(FILTERS))
        });
    };
    if let ([went], [came]) = (went.as_slice(), came.as_slice()) {
        return record(Some(went), Some(came));
    }
    went.into_iter().for_each(|own| record(Some(own), None));
    came.into_iter().for_each(|own| record(None, Some(own)));
}

/// Returns the alternatives, each with its normal form.
fn keyed<'a>(side: &Side<'_>, list: &'a [Alternative]) -> Vec<(String, &'a Alternative)> {
    list.iter().map(|own| (side.normal(own), own)).collect()
}

/// Returns the alternatives of one list that the other list does not have.
fn only_in<'a>(
    list: &[(String, &'a Alternative)],
    other: &[(String, &'a Alternative)],
) -> Vec<&'a Alternative> {
    let there: BTreeSet<&str> = other.iter().map(|(key, _)| key.as_str()).collect();
    list.iter().filter(|(key, _)| !there.contains(key.as_str())).map(|(_, own)| *own).collect()
}
