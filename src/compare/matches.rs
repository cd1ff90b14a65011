//! Compares matches: the alternatives that were removed and the ones that were added. A packet needs to fit only one
//! alternative of a `match`, so their order has no meaning.

use super::change::{At, Change, ChangeKind, Comparison};
use super::names::{Renamed, key};
use crate::diff::Price;
use crate::model::{Alternative, Model};
use std::collections::{BTreeMap, BTreeSet};

/// Both configurations and the names that changed between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) old: &'a Model,
    pub(super) new: &'a Model,
    /// Renamed hosts.
    pub(super) hosts: &'a Renamed<'a>,
    /// Renamed tunnels.
    pub(super) tunnels: &'a Renamed<'a>,
}

impl<'a> Pair<'a> {
    /// Returns the old alternatives in normal form, with the new names.
    pub(super) fn old_keys(self, list: &[Alternative]) -> Vec<String> {
        sorted(list, |alternative| key(alternative, self.old, self.hosts, self.tunnels))
    }

    /// Returns the new alternatives in normal form.
    pub(super) fn new_keys(self, list: &[Alternative]) -> Vec<String> {
        let none = BTreeMap::new();
        sorted(list, |alternative| key(alternative, self.new, &none, &none))
    }

    /// Records each alternative that was removed or added. If exactly one was removed and one added, it records a
    /// single change.
    pub(super) fn compare(
        self,
        found: &mut Comparison,
        place: &At<'_>,
        old: &'a [Alternative],
        new: &'a [Alternative],
    ) {
        let none = BTreeMap::new();
        let old_keyed = old.iter().map(|own| (key(own, self.old, self.hosts, self.tunnels), own));
        let new_keyed = new.iter().map(|own| (key(own, self.new, &none, &none), own));
        let (olds, news): (Vec<_>, Vec<_>) = (old_keyed.collect(), new_keyed.collect());
        let went = only_in(&olds, &news);
        let came = only_in(&news, &olds);

        let change = |old: Option<&Alternative>, new: Option<&Alternative>| Change {
            field: "match".to_owned(),
            old: old.map(|own| own.text.clone()),
            new: new.map(|own| own.text.clone()),
            line: new.or(old).and_then(|own| own.span.own_line()),
            ..place.change(ChangeKind::Changed, Price::in_place("the filters are replaced"))
        };
        if let ([went], [came]) = (went.as_slice(), came.as_slice()) {
            found.changes.push(change(Some(went), Some(came)));
        } else {
            found.changes.extend(went.into_iter().map(|own| change(Some(own), None)));
            found.changes.extend(came.into_iter().map(|own| change(None, Some(own))));
        }
    }
}

/// Returns the alternatives of one list that the other list does not have.
fn only_in<'a>(
    list: &[(String, &'a Alternative)],
    other: &[(String, &'a Alternative)],
) -> Vec<&'a Alternative> {
    let there: BTreeSet<&str> = other.iter().map(|(key, _)| key.as_str()).collect();
    list.iter().filter(|(key, _)| !there.contains(key.as_str())).map(|(_, own)| *own).collect()
}

fn sorted(list: &[Alternative], key: impl Fn(&Alternative) -> String) -> Vec<String> {
    let mut keys: Vec<String> = list.iter().map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
