//! Facts of the steps for a list of filters.

use super::facts::{Facts, cause};
use super::found::Found;
use super::router::Router;
use super::step::{Cause, ChangedValue, Object};
use super::trees::role;
use crate::diff::cost::Price;
use qosc_compiler::tc::Hook;
use std::collections::BTreeMap;

/// Returns the name of a list of filters in the engine.
fn name(object: &Object) -> String {
    match object {
        Object::Tunnel { device } => format!("ingress {device}"),
        Object::Filters { hook: hook @ (Hook::Ingress | Hook::Egress), .. } => hook.as_str().to_owned(),
        Object::Filters { dev, .. } => role(*dev).to_owned(),
        _ => String::new(),
    }
}

/// Returns the described filters of a list, without their comments.
pub(super) fn of_list<'t>(described: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let place = match name.split_once(' ') {
        Some((hook, device)) => format!("filter add dev {device} {hook} "),
        None if name.starts_with('@') => format!("filter add dev {name} parent "),
        None => format!("filter add dev @wan {name} "),
    };
    let lines = described.lines().filter_map(|line| Some(line.split_once(" # ")?.0));
    lines.filter(move |line| line.starts_with(&place))
}

/// Returns the facts of all steps for the list.
pub(super) fn list(object: &Object, router: &Router, found: &Found<'_>) -> Facts {
    let name = name(object);
    let [was, want] = [&router.was, &router.wanted].map(|text| of_list(text, &name).collect::<Vec<_>>());
    // a hash table is no filter
    let new = want.iter().filter(|line| !line.contains(" u32 divisor ")).count();
    let now = found.list(&name);
    let (old, same) = (now.map_or(0, |(number, _)| number), was == want);
    let drifted = now.is_none_or(|(_, same)| !same);
    let mut cause = cause(router.is_recorded(), !same, drifted && !was.is_empty());
    // A list that does not exist was not changed by others.
    if now.is_none() && cause == Cause::Unknown {
        cause = Cause::File;
    }
    let reason = match (now.is_some(), new) {
        (false, _) => "no filters are in force yet".to_owned(),
        (_, 0) => "no new filters replace them".to_owned(),
        _ if found.redirect_moves && name.starts_with("ingress") => {
            format!("downloads switch to {}", found.target)
        }
        _ => "new filters are added before old ones are deleted".to_owned(),
    };
    let mut facts = Facts::new(object.clone(), Price::in_place(reason), cause);
    let mut value = |field: &str, old: usize, new: usize| {
        facts.values.push(ChangedValue {
            field: field.to_owned(),
            old: old.to_string(),
            new: new.to_string(),
        });
    };
    value("filters", old, new);
    if router.is_recorded() && !same && now.is_some() && new > 0 {
        let (was, want) = (count(&was), count(&want));
        value("of them", missing(&was, &want), missing(&want, &was));
    }
    facts
}

/// Counts filters, independent of their order.
fn count(lines: &[&str]) -> BTreeMap<String, usize> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        *found.entry(without_preference(line).unwrap_or_default()).or_default() += 1;
    }
    found
}

/// Returns the number of filters that the other list does not have.
fn missing(from: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>) -> usize {
    from.iter().map(|(words, n)| n.saturating_sub(other.get(words).copied().unwrap_or(0))).sum()
}

fn without_preference(words: &str) -> Option<String> {
    let (before, rest) = words.split_once(" pref ")?;
    Some(format!("{before}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())))
}
