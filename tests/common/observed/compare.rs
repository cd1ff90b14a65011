//! Comparison of a kernel's objects with those of a program.

use super::Held;
use super::fields::{self, Field};
use qosc_compiler::tc::{
    Classifier, Dev, EGRESS_END_PREF, EGRESS_PREF, Filter, Handle, Hook, INGRESS_LAST_PREF, INGRESS_PREF,
    Parent, Program, QdiscKind,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Kind of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// The kernel lacks the object.
    Missing,
    /// The program does not have the object.
    Unexpected,
    /// A field has another value.
    Differs {
        /// Name of the field in tc.
        field: &'static str,
        /// Value in the program.
        asked: String,
        /// Value in the kernel.
        held: String,
    },
}

/// An object that differs between program and kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Object, such as `wan class c05:4d2f`.
    pub object: String,
    /// Name in the YAML that the object came from; empty if the program does not have the object.
    pub name: String,
    /// Kind of the difference.
    pub change: Change,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.object)?;
        if !self.name.is_empty() {
            write!(f, " ({})", self.name)?;
        }
        match &self.change {
            Change::Missing => f.write_str(" is missing"),
            Change::Unexpected => f.write_str(" is not ours"),
            Change::Differs { field, asked, held } => write!(f, " has {field} {held}, not {asked}"),
        }
    }
}

/// Returns the differences between a program on a router (see [`Program::on`]) and that router's kernel. The result is
/// empty if the kernel has exactly the objects of the program.
///
/// Filters with the same device, hook and preference are compared in their order. Others may share the hooks, so only
/// our own preferences are compared there. If another tool owns the root of a device, only missing objects are
/// reported.
#[must_use]
pub fn compare(program: &Program, held: &Held) -> Vec<Difference> {
    let mut found = Vec::new();
    qdiscs(program, held, &mut found);
    classes(program, held, &mut found);
    filters(program, held, &mut found);
    found.extend(held.foreign.iter().map(|line| Difference {
        object: line.clone(),
        name: String::new(),
        change: Change::Unexpected,
    }));
    found
}

/// Adds the differences of one object: its differing fields, or that only one side has it.
fn differences(object: &str, name: &str, pair: Result<Vec<Field>, Change>, found: &mut Vec<Difference>) {
    let changes = match pair {
        Ok(fields) => {
            fields.into_iter().map(|(field, asked, held)| Change::Differs { field, asked, held }).collect()
        }
        Err(change) => vec![change],
    };
    let difference = |change| Difference { object: object.to_owned(), name: name.to_owned(), change };
    found.extend(changes.into_iter().map(difference));
}

fn qdiscs(program: &Program, held: &Held, found: &mut Vec<Difference>) {
    let mut rest: BTreeMap<(Dev, Parent), _> =
        held.qdiscs.iter().map(|qdisc| ((qdisc.dev, qdisc.parent), qdisc)).collect();
    for asked in &program.qdiscs {
        let object = format!("{} qdisc {}", asked.dev.as_str(), asked.handle);
        let pair = match rest.remove(&(asked.dev, asked.parent)) {
            Some(held) if held.handle == asked.handle => Ok(fields::qdisc(&asked.kind, &held.kind)),
            Some(held) => Ok(vec![("handle", asked.handle.to_string(), held.handle.to_string())]),
            None => Err(Change::Missing),
        };
        differences(&object, &asked.why.name, pair, found);
    }
    // others may use the clsact
    for qdisc in rest.into_values().filter(|qdisc| qdisc.kind != QdiscKind::Clsact) {
        let object = format!("{} qdisc {}", qdisc.dev.as_str(), qdisc.handle);
        differences(&object, "", Err(Change::Unexpected), found);
    }
}

fn classes(program: &Program, held: &Held, found: &mut Vec<Difference>) {
    let parents: BTreeSet<(Dev, Parent)> =
        program.classes.iter().map(|class| (class.dev, class.parent)).collect();
    let mut rest: BTreeMap<(Dev, Handle), _> =
        held.classes.iter().map(|class| ((class.dev, class.id), class)).collect();
    for asked in &program.classes {
        let object = format!("{} class {}", asked.dev.as_str(), asked.id);
        let leaf = !parents.contains(&(asked.dev, Parent::At(asked.id)));
        let held = rest.remove(&(asked.dev, asked.id));
        let pair = held.map(|held| fields::class(asked, held, leaf)).ok_or(Change::Missing);
        differences(&object, &asked.why.name, pair, found);
    }
    for (dev, id) in rest.into_keys() {
        differences(&format!("{} class {id}", dev.as_str()), "", Err(Change::Unexpected), found);
    }
}

fn filters(program: &Program, held: &Held, found: &mut Vec<Difference>) {
    let asked = by_place(&program.filters);
    let held = by_place(&held.filters);
    let places: BTreeSet<&FilterPosition> = asked.keys().chain(held.keys()).collect();
    for place in places {
        let (dev, hook, pref) = *place;
        let none = Vec::new();
        let (asked, held) = (asked.get(place).unwrap_or(&none), held.get(place).unwrap_or(&none));
        if asked.is_empty() && !is_ours(hook, pref) {
            continue;
        }
        for number in 0..asked.len().max(held.len()) {
            let (dev, hook, number_of) = (dev.as_str(), hook.as_str(), number + 1);
            let object = format!("{dev} filter {hook} pref {pref} number {number_of}");
            match (asked.get(number), held.get(number)) {
                (Some(asked), Some(held)) => {
                    differences(&object, &asked.why.name, Ok(fields::filter(asked, held)), found);
                }
                (Some(asked), None) => differences(&object, &asked.why.name, Err(Change::Missing), found),
                (None, _) => differences(&object, "", Err(Change::Unexpected), found),
            }
        }
    }
}

/// Device, hook and preference of a filter.
type FilterPosition = (Dev, Hook, u16);

fn by_place(filters: &[Filter]) -> BTreeMap<FilterPosition, Vec<&Filter>> {
    let mut places: BTreeMap<FilterPosition, Vec<&Filter>> = BTreeMap::new();
    for filter in filters {
        places.entry((filter.dev, filter.hook, filter.pref)).or_default().push(filter);
    }
    // tc lists the filters of a hash table by bucket, and one filter may be in several buckets
    let table =
        |filters: &&mut Vec<&Filter>| filters.iter().all(|filter| filter.classifier != Classifier::U32);
    for filters in places.values_mut().filter(table) {
        filters.sort_by_key(|filter| &filter.selector);
        filters.dedup_by_key(|filter| &filter.selector);
    }
    places
}

/// True if only we use this preference.
fn is_ours(hook: Hook, pref: u16) -> bool {
    match hook {
        Hook::Root => true,
        Hook::Ingress => (INGRESS_PREF..=INGRESS_LAST_PREF).contains(&pref),
        Hook::Egress => (EGRESS_PREF..EGRESS_END_PREF).contains(&pref),
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
