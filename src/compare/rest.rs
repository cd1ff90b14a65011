//! Compares tunnels, policers and expectations.

use super::change::{At, Change, ChangeKind, Comparison, Group};
use super::matches::Pair;
use super::names::{self, now};
use super::shared::{FILTERS, tunnel_fields};
use super::written::{self, truth, word};
use crate::diag::Span;
use crate::diff::Price;
use crate::model::FileSection;
use crate::model::{Amount, ClassId, Exceed, Expect, Load, Model, Police, Tunnel};
use std::collections::{BTreeMap, BTreeSet};

/// A named object, its place in the file, and its name in the new file.
pub(super) struct Named<'a, T> {
    pub(super) thing: &'a T,
    pub(super) name: &'a str,
    pub(super) span: Span,
}

/// Pairs old and new objects by name. Calls `each` first for the removed ones, then for the others in the order of the
/// new file.
pub(super) fn by_name<'a, T>(
    old: &[Named<'a, T>],
    new: &[Named<'a, T>],
    mut each: impl FnMut(Option<&'a T>, Option<&'a T>, &'a str, Span),
) {
    let names: BTreeSet<&str> = new.iter().map(|named| named.name).collect();
    for gone in old.iter().filter(|named| !names.contains(named.name)) {
        each(Some(gone.thing), None, gone.name, gone.span);
    }
    let olds: BTreeMap<&str, &T> = old.iter().map(|named| (named.name, named.thing)).collect();
    for named in new {
        let before = olds.get(named.name).copied();
        each(before, Some(named.thing), named.name, named.span);
    }
}

/// Records the differences in `tunnels`.
pub(super) fn tunnels<'a>(found: &mut Comparison, pair: Pair<'a>) {
    let named = |tunnel: &'a Tunnel, name| Named { thing: tunnel, name, span: tunnel.span };
    let old: Vec<_> = pair.old.tunnels.iter().map(|own| named(own, now(pair.tunnels, &own.name))).collect();
    let new: Vec<_> = pair.new.tunnels.iter().map(|own| named(own, own.name.as_str())).collect();
    by_name(&old, &new, |old, new, name, span| {
        let place = At { area: FileSection::Tunnels, name, line: span.own_line() };
        let price = || Price::in_place(FILTERS);
        let text = |tunnel: &Tunnel| {
            let fields = tunnel_fields(tunnel)
                .into_iter()
                .filter_map(|(name, value)| Some(format!("{name} {}", value?)));
            Some(fields.collect::<Vec<_>>().join(", "))
        };
        match (old, new) {
            (Some(old), Some(new)) => {
                if old.name != new.name {
                    found.changes.push(Change {
                        old: Some(old.name.clone()),
                        new: Some(new.name.clone()),
                        ..place.change(ChangeKind::Renamed, Price::in_place("it is otherwise the same"))
                    });
                }
                for ((field, old), (_, new)) in tunnel_fields(old).into_iter().zip(tunnel_fields(new)) {
                    found.field(&place, field, (old, new), price());
                }
            }
            (None, Some(new)) => {
                found.changes.push(Change { new: text(new), ..place.change(ChangeKind::Added, price()) });
            }
            (Some(old), None) => {
                found.changes.push(Change { old: text(old), ..place.change(ChangeKind::Removed, price()) });
            }
            (None, None) => {}
        }
    });
}

fn exceed(police: &Police, model: &Model) -> String {
    match police.exceed {
        Exceed::Drop => "drop".to_owned(),
        Exceed::Reclassify(class) => format!("reclassify {}", names::class(model, class)),
    }
}

/// Records the differences in `police`.
pub(super) fn police<'a>(found: &mut Comparison, pair: Pair<'a>, classes: &names::Renamed<'a>) {
    let named = |police: &'a Police| Named { thing: police, name: police.name.as_str(), span: police.span };
    let old: Vec<_> = pair.old.police.iter().map(named).collect();
    let new: Vec<_> = pair.new.police.iter().map(named).collect();
    by_name(&old, &new, |old, new, name, span| {
        let place = At { area: FileSection::Police, name, line: span.own_line() };
        let text = |own: &Police| Some(format!("{} at {}", own.direction.as_str(), own.rate.value));
        match (old, new) {
            (Some(old), Some(new)) => one_police(found, pair, &place, (old, new), classes),
            (None, Some(new)) => {
                let price = Price::in_place("filters ahead of the tree are added");
                found.changes.push(Change { new: text(new), ..place.change(ChangeKind::Added, price) });
            }
            (Some(old), None) => {
                let price = Price::in_place("its filters are deleted");
                found.changes.push(Change { old: text(old), ..place.change(ChangeKind::Removed, price) });
            }
            (None, None) => {}
        }
    });
}

fn one_police<'a>(
    found: &mut Comparison,
    pair: Pair<'a>,
    place: &At<'a>,
    (old, new): (&'a Police, &'a Police),
    classes: &names::Renamed<'a>,
) {
    let price = || Price::in_place("a policer can change while packets pass");
    let directions = (old.direction.as_str().to_owned(), new.direction.as_str().to_owned());
    found.field(place, "direction", directions, price());
    let (from, to) = (old.asked, new.asked);
    let (was, is) = (old.rate.value.to_string(), new.rate.value.to_string());
    if from == to {
        found.follow(place, Group::Police, "rate", was, is);
    } else {
        let exact = matches!((from, to), (Amount::Rate(_), Amount::Rate(_)));
        let same = was == is;
        found.changes.push(Change {
            field: "rate".to_owned(),
            old: Some(written::amount(Some(from), "")),
            new: Some(written::amount(Some(to), "")),
            note: (!exact && !same).then(|| format!("{was} -> {is}")),
            ..place.change(ChangeKind::Changed, if same { Price::in_place(written::SAME) } else { price() })
        });
    }
    let bursts = (&old.burst, &new.burst);
    if bursts.0.is_given() || bursts.1.is_given() {
        written::given(found, place, "burst", bursts, price());
    } else {
        found.follow(place, Group::Police, "burst", old.burst.value.to_string(), new.burst.value.to_string());
    }
    let was = match old.exceed {
        Exceed::Drop => exceed(old, pair.old),
        Exceed::Reclassify(class) => format!("reclassify {}", now(classes, names::class(pair.old, class))),
    };
    found.field(place, "exceed", (was, exceed(new, pair.new)), price());
    found.field(place, "bypass", (truth(old.bypass), truth(new.bypass)), price());
    pair.compare(found, place, &old.matches, &new.matches);
}

/// Returns an expectation as text.
fn expectation(expect: &Expect, model: &Model) -> String {
    let host = |index: Option<usize>| Some(model.hosts.get(index?)?.name.clone());
    let class = |id: Option<ClassId>| Some(names::class(model, id?).to_owned());
    let fields = [
        ("load", (expect.load != Load::None).then(|| word(&expect.load))),
        ("from", host(expect.from)),
        ("class", class(expect.class)),
        ("measure", Some(word(&expect.measure))),
        ("on", host(expect.on)),
        ("of", class(expect.of)),
    ];
    let fields = fields.into_iter().filter_map(|(key, value)| Some(format!("{key} {}", value?)));
    let limits = expect.limits.iter().map(|limit| format!("{} {}", limit.kind.as_str(), limit.text));
    fields.chain(limits).collect::<Vec<_>>().join(", ")
}

/// Records the differences in `expect`.
pub(super) fn expect(found: &mut Comparison, old: &Model, new: &Model) {
    let text =
        |model: &Model| model.expect.iter().map(|expect| expectation(expect, model)).collect::<Vec<_>>();
    let (old_texts, new_texts) = (text(old), text(new));
    let place = |expect: Option<&Expect>| At {
        area: FileSection::Expect,
        name: "",
        line: expect.and_then(|expect| expect.span.own_line()),
    };
    let price = || Price::in_place("only `qosc lab` reads it");
    for (expect, words) in old.expect.iter().zip(&old_texts).filter(|(_, words)| !new_texts.contains(words)) {
        let change = place(Some(expect)).change(ChangeKind::Removed, price());
        found.changes.push(Change { old: Some(words.clone()), ..change });
    }
    for (expect, words) in new.expect.iter().zip(&new_texts).filter(|(_, words)| !old_texts.contains(words)) {
        let change = place(Some(expect)).change(ChangeKind::Added, price());
        found.changes.push(Change { new: Some(words.clone()), ..change });
    }
}
