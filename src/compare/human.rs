//! Prints the differences for people.

use super::change::{Area, Change, ChangeKind, Comparison, Follow, Group};
use crate::diag::{count, for_terminal};
use crate::diff::{Look, Rows, Sign};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Returns all differences by area, followed by the summary.
#[must_use]
pub fn human(found: &Comparison, look: Look) -> String {
    let lines: Vec<(&Change, String)> =
        found.changes.iter().map(|change| (change, for_terminal(&said(change)))).collect();
    let rows = Rows::of(lines.iter().map(|(_, line)| line.as_str()), look);
    let mut out = String::new();
    let mut area = None;
    for (change, line) in lines {
        if area != Some(change.area) {
            area = Some(change.area);
            look.heading(heading(change.area), &mut out);
        }
        rows.row(sign(change.change), &line, &change.price, &change.price.reason, &mut out);
    }
    follows(found, look, &mut out);
    if found.differs() {
        out.push('\n');
    }
    let _infallible = writeln!(out, "{}", found.summary());
    out
}

const fn heading(area: Area) -> &'static str {
    match area {
        Area::Link => "link",
        Area::Lan => "lan",
        Area::Hosts => "hosts",
        Area::Tunnels => "tunnels",
        Area::Classes => "classes",
        Area::Police => "police",
        Area::Tuning => "tuning",
        Area::Expect => "expect",
    }
}

const fn sign(change: ChangeKind) -> Sign {
    match change {
        ChangeKind::Added => Sign::Added,
        ChangeKind::Removed => Sign::Removed,
        _ => Sign::Changed,
    }
}

/// Returns a change without its cost, such as `voice: guarantee 400kbit -> 500kbit`.
fn said(change: &Change) -> String {
    let Change { area, name, field, old, new, note, .. } = change;
    let (old, new) = (old.as_deref(), new.as_deref());
    let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    let within = |place: Option<&str>| match (place, area) {
        (None, _) => String::new(),
        (Some(place), Area::Classes) => format!(" in {place}"),
        (Some(text), _) if name.is_empty() => text.to_owned(),
        (Some(text), _) => format!(": {text}"),
    };
    match change.change {
        ChangeKind::Added => format!("{name}{}{note}", within(new)),
        ChangeKind::Removed => format!("{name}{}{note}", within(old)),
        ChangeKind::Renamed => format!("{} -> {name}: another name", old.unwrap_or_default()),
        ChangeKind::Moved => {
            format!("{name}: from {} to {}", old.unwrap_or_default(), new.unwrap_or_default())
        }
        ChangeKind::Renumbered => {
            format!("{name}: id {} -> {}", old.unwrap_or_default(), new.unwrap_or_default())
        }
        ChangeKind::Reordered if name.is_empty() => "the order in which matches are tried".to_owned(),
        ChangeKind::Reordered => format!("{name}: now tried {field} {}", new.unwrap_or_default()),
        ChangeKind::Changed => {
            let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
            let values = match (old, new) {
                (Some(old), Some(new)) => format!(" {old} -> {new}"),
                (None, Some(new)) => format!(" + {new}"),
                (Some(old), None) => format!(" - {old}"),
                (None, None) => String::new(),
            };
            format!("{name}{field}{values}{note}")
        }
    }
}

/// Prints the derived values. The link's own values appear in full. All others appear as a count, unless the output is
/// verbose.
fn follows(found: &Comparison, look: Look, out: &mut String) {
    if found.follows.is_empty() {
        return;
    }
    look.heading("what follows, in place", out);
    let alone = |follow: &&Follow| {
        look.verbose || matches!(follow.group, Group::Shaped | Group::Aggregates | Group::Buffers)
    };
    for Follow { name, field, group, old, new, .. } in found.follows.iter().filter(alone) {
        let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
        let more = match group {
            Group::Aggregates => " (where they cannot be, queues of another kind split them)",
            _ => "",
        };
        let _infallible =
            writeln!(out, "    {}{more}", for_terminal(&format!("{name}{field} {old} -> {new}")));
    }
    if look.verbose {
        return;
    }
    let mut parts: Vec<String> = Vec::new();
    for (group, what) in [
        (Group::Rates, "guarantees and ceilings"),
        (Group::Priorities, "priorities"),
        (Group::Bursts, "bursts and turns"),
        (Group::Queues, "queue parameters"),
        (Group::Police, "rates and bursts"),
    ] {
        let of: BTreeSet<(Area, &str)> =
            found.follows.iter().filter(|f| f.group == group).map(|f| (f.area, f.name.as_str())).collect();
        if !of.is_empty() {
            parts.push(format!("{what} of {}", whose(&of)));
        }
    }
    if !parts.is_empty() {
        let _infallible = writeln!(out, "    {} (--verbose lists them)", parts.join("; "));
    }
}

/// Returns the owners of derived values, such as `4 classes and the link`.
fn whose(names: &BTreeSet<(Area, &str)>) -> String {
    let number = |area: Area| names.iter().filter(|(own, name)| *own == area && !name.is_empty()).count();
    let mut parts: Vec<String> = [(Area::Classes, "class"), (Area::Hosts, "host"), (Area::Police, "police")]
        .into_iter()
        .filter(|(area, _)| number(*area) > 0)
        .map(|(area, noun)| match area {
            Area::Police => format!("{} police", number(area)),
            _ => count(number(area), noun),
        })
        .collect();
    if names.iter().any(|(_, name)| name.is_empty()) {
        parts.push("the link".to_owned());
    }
    parts.join(" and ")
}
