//! Compares the objects of one section: finds removed, added and renamed ones, and compares the others.

use super::change::{At, Change, ChangeKind, Comparison};
use super::fact::facts;
use super::fields::{self, Field};
use super::side::{Renamed, Side, now};
use super::{matches, price};
use crate::diff::Price;
use qosc_compiler::diag::Span;
use qosc_compiler::model::{Alternative, Direction, FileSection};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Both configurations.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
}

impl Pair<'_> {
    /// Returns the directions that have classes.
    pub(super) fn directions(&self) -> &'static [Direction] {
        let shaped = |side: &Side<'_>| side.model.link.shapes(Direction::Down);
        if shaped(&self.old) && shaped(&self.new) { &Direction::BOTH } else { &[Direction::Up] }
    }
}

/// A named object of a section.
pub(super) trait Object {
    /// Section of the file.
    const AREA: FileSection;

    fn name(&self) -> &str;

    fn span(&self) -> Span;

    /// Returns the values of the object by label. `other` is the same object in the other file.
    fn view(&self, side: &Side<'_>, other: &Self) -> Value;

    /// Returns the alternatives of its `match`.
    fn matches(&self) -> &[Alternative] {
        &[]
    }

    /// Returns everything by which the object is found under another name. `renamed` has the objects that were found
    /// before.
    fn key(&self, _side: &Side<'_>, _renamed: &Renamed<'_>) -> String {
        String::new()
    }

    /// Returns the text for an object that was added or removed.
    fn summary(&self, _side: &Side<'_>) -> Option<String> {
        None
    }

    /// Returns a note on an object that was added.
    fn note(&self, _pair: &Pair<'_>) -> Option<String> {
        None
    }

    /// Returns the cost of an object that was added or removed.
    fn price(_pair: &Pair<'_>, _old: Option<&Self>, _new: Option<&Self>) -> Price {
        Price::in_place(price::any_field(Self::AREA))
    }

    /// Returns the cost of another name.
    fn rename_price(&self, _new: &Self) -> Price {
        Price::in_place("it is otherwise the same")
    }

    /// Returns the cost of a change of this field.
    fn field_price(&self, _pair: &Pair<'_>, _new: &Self, field: &Field<'_>) -> Price {
        price::price(Self::AREA, field)
    }

    /// Records other differences than those of the view.
    fn compare_rest(&self, _found: &mut Comparison, _pair: &Pair<'_>, _place: At<'_>, _new: &Self) {}
}

/// Returns all written values of a view, to find an object under another name.
pub(super) fn written(view: &Value) -> String {
    let written = facts(view).into_iter();
    let texts =
        written.filter_map(|fact| Some(format!("{} {}: {}\n", fact.label, fact.direction, fact.written()?)));
    texts.collect()
}

/// Pairs each object that vanished with the first unpaired one that appeared with the same key.
pub(super) fn renamed<'a, T: Object>(
    (old, olds): (&Side<'_>, &'a [T]),
    (new, news): (&Side<'_>, &'a [T]),
) -> Renamed<'a> {
    let (in_old, in_new) = (names(olds), names(news));
    let mut appeared: BTreeMap<String, VecDeque<&str>> = BTreeMap::new();
    for thing in news.iter().filter(|thing| !in_old.contains(thing.name())) {
        appeared.entry(thing.key(new, &Renamed::new())).or_default().push_back(thing.name());
    }
    let mut pairs = Renamed::new();
    for thing in olds.iter().filter(|thing| !in_new.contains(thing.name())) {
        if let Some(name) = appeared.get_mut(&thing.key(old, &pairs)).and_then(VecDeque::pop_front) {
            pairs.insert(thing.name(), name);
        }
    }
    pairs
}

fn names<T: Object>(things: &[T]) -> BTreeSet<&str> {
    things.iter().map(Object::name).collect()
}

/// Records the differences of a section: first the removed objects, then the others in the order of the new file.
pub(super) fn compare<T: Object>(
    found: &mut Comparison,
    pair: &Pair<'_>,
    (olds, news): (&[T], &[T]),
    renamed: &Renamed<'_>,
) {
    let in_new = names(news);
    let mut before: BTreeMap<&str, &T> = BTreeMap::new();
    for thing in olds {
        let name = now(renamed, thing.name());
        before.insert(name, thing);
        if !in_new.contains(name) {
            let change = place(thing).change(ChangeKind::Removed, T::price(pair, Some(thing), None));
            found.changes.push(Change { old: thing.summary(&pair.old), ..change });
        }
    }
    for thing in news {
        let Some(old) = before.get(thing.name()) else {
            let change = place(thing).change(ChangeKind::Added, T::price(pair, None, Some(thing)));
            let (new, note) = (thing.summary(&pair.new), thing.note(pair));
            found.changes.push(Change { new, note, ..change });
            continue;
        };
        both(found, pair, place(thing), (*old, thing));
    }
}

fn place<T: Object>(thing: &T) -> At<'_> {
    At { area: T::AREA, name: thing.name(), line: thing.span().own_line() }
}

fn both<T: Object>(found: &mut Comparison, pair: &Pair<'_>, place: At<'_>, (old, new): (&T, &T)) {
    if old.name() != new.name() {
        let change = place.change(ChangeKind::Renamed, old.rename_price(new));
        let (old, new) = (Some(old.name().to_owned()), Some(new.name().to_owned()));
        found.changes.push(Change { old, new, ..change });
    }
    let mut views = (old.view(&pair.old, new), new.view(&pair.new, old));
    if pair.directions() == [Direction::Up] {
        remove_downloads(&mut views.0);
    }
    let price = |field: &Field<'_>| old.field_price(pair, new, field);
    fields::compare(found, place, (&views.0, &views.1), false, price);
    old.compare_rest(found, pair, place, new);
    matches::compare(found, place, (&pair.old, old.matches()), (&pair.new, new.matches()));
}

/// Removes the values of downloads from a view, which then have no classes.
fn remove_downloads(view: &mut Value) {
    if let Some(fields) = view.as_object_mut() {
        fields.remove("down");
        fields.values_mut().for_each(remove_downloads);
    }
}
