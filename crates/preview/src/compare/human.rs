//! Prints the differences for people.

use super::change::{Change, ChangeKind, Comparison, Follow, Group};
use super::fields::LEFT;
use crate::diff::{Look, Sign, legend};
use qosc_compiler::diag::{count, for_terminal, wrapped};
use qosc_compiler::model::FileSection;
use qosc_compiler::units::words_for_people;
use std::collections::BTreeSet;

/// Returns all differences by area, followed by the summary and the meaning of the costs.
#[must_use]
pub fn human(found: &Comparison, look: Look) -> String {
    changes(found, look) + &legend(found.changes.iter().map(|change| change.price.cost), look.verbose)
}

/// Returns all differences by area, followed by the summary.
#[must_use]
pub fn changes(found: &Comparison, look: Look) -> String {
    let mut out = String::new();
    let mut area = None;
    for change in &found.changes {
        if area != Some(change.area) {
            area = Some(change.area);
            look.heading(change.area.as_str(), &mut out);
        }
        let line = for_terminal(&said(change, look));
        look.row(sign(change.change), &line, change.price.cost, &change.price.reason, &mut out);
    }
    follows(found, look, &mut out);
    if found.differs() {
        out.push('\n');
    }
    wrapped(&mut out, "", &found.summary(), 2);
    out
}

const fn sign(change: ChangeKind) -> Sign {
    match change {
        ChangeKind::Added => Sign::Added,
        ChangeKind::Removed => Sign::Removed,
        _ => Sign::Changed,
    }
}

/// A change without its cost, such as `voice: guarantee 400kbit -> 500kbit`: exact if all is shown, else rounded.
fn said(change: &Change, look: Look) -> String {
    let Change { area, name, field, note, .. } = change;
    let given = |text: &'_ Option<String>| text.clone().map(|text| text.replace(LEFT, "not given"));
    let (old, new) = (given(&change.old), given(&change.new));
    let (from, to) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
    let note = note.as_deref().map(|note| format!(" ({note})")).unwrap_or_default();
    let within = |place: &str| match area {
        _ if place.is_empty() => String::new(),
        FileSection::Classes => format!(" in {place}"),
        _ if name.is_empty() => place.to_owned(),
        _ => format!(": {place}"),
    };
    match change.change {
        ChangeKind::Added => format!("{name}{}{}", within(to), rounded(&note, look)),
        ChangeKind::Removed => format!("{name}{}", within(from)),
        ChangeKind::Renamed => format!("{from} -> {name}: renamed"),
        ChangeKind::Moved => format!("{name}: from {from} to {to}"),
        ChangeKind::Renumbered => format!("{name}: id {from} -> {to}"),
        ChangeKind::Reordered if name.is_empty() => "the order of the matches".to_owned(),
        ChangeKind::Reordered => {
            let first = if field == "before" { name } else { to };
            format!("{name}: now tried {field} {to}: packets that both match now go to {first}")
        }
        ChangeKind::Changed => {
            let values = match (&old, &new) {
                (Some(old), Some(new)) => format!(" {old} -> {new}"),
                (None, Some(new)) => format!(" + {new}"),
                (Some(old), None) => format!(" - {old}"),
                (None, None) => String::new(),
            };
            format!("{}{field}{}", owner(name), rounded(&(values + &note), look))
        }
    }
}

/// Returns the start of a line about a named object.
fn owner(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("{name}: ") }
}

/// Returns a text with rounded values, unless all is shown.
fn rounded(text: &str, look: Look) -> String {
    if look.verbose { text.to_owned() } else { words_for_people(text) }
}

/// The derived values: the rates of the link one by one, all others by number unless all is shown.
fn follows(found: &Comparison, look: Look, out: &mut String) {
    if found.follows.is_empty() {
        return;
    }
    look.heading("derived values; no packet is lost", out);
    let alone = |follow: &&Follow| {
        look.verbose || matches!(follow.group, Group::Shaped | Group::Aggregates | Group::Buffers)
    };
    for Follow { name, field, group, old, new, .. } in found.follows.iter().filter(alone) {
        let more = match group {
            Group::Aggregates => " (if offloads cannot be turned off, queues of another kind split them)",
            _ => "",
        };
        let values = rounded(&format!("{old} -> {new}"), look);
        let line = format!("{}{} {values}", owner(name), spoken(field));
        wrapped(out, "    ", &format!("{}{more}", for_terminal(&line)), 6);
    }
    if look.verbose {
        return;
    }
    let mut parts: Vec<String> = Vec::new();
    for (group, what) in [
        (Group::Rates, "guarantees and ceilings"),
        (Group::Priorities, "priorities"),
        (Group::Bursts, "bursts and quanta"),
        (Group::Queues, "queue parameters"),
        (Group::Police, "rates and bursts"),
    ] {
        let of: BTreeSet<(FileSection, &str)> =
            found.follows.iter().filter(|f| f.group == group).map(|f| (f.area, f.name.as_str())).collect();
        if !of.is_empty() {
            parts.push(format!("{what} of {}", whose(&of)));
        }
    }
    if !parts.is_empty() {
        wrapped(out, "    ", &format!("{} (--verbose lists them)", parts.join("; ")), 6);
    }
}

/// The name of a derived field for people.
fn spoken(field: &str) -> String {
    let field = field.replacen("what the classes share", "rate of all classes", 1);
    field.replacen("aggregates kept from the shaper", "aggregated packets split", 1)
}

/// Returns the owners of derived values, such as `4 classes and the link`.
fn whose(names: &BTreeSet<(FileSection, &str)>) -> String {
    let number =
        |area: FileSection| names.iter().filter(|(own, name)| *own == area && !name.is_empty()).count();
    let mut parts: Vec<String> =
        [(FileSection::Classes, "class"), (FileSection::Hosts, "host"), (FileSection::Police, "policer")]
            .into_iter()
            .filter(|(area, _)| number(*area) > 0)
            .map(|(area, noun)| count(number(area), noun))
            .collect();
    if names.iter().any(|(_, name)| name.is_empty()) {
        parts.push("the link".to_owned());
    }
    parts.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::human;
    use crate::compare::{Change, ChangeKind, Comparison};
    use crate::diff::{Look, Price};
    use qosc_compiler::model::FileSection;

    fn line(old: &str, new: &str, note: Option<&str>, verbose: bool) -> String {
        let change = Change {
            area: FileSection::Classes,
            name: "voice".to_owned(),
            change: ChangeKind::Changed,
            field: "ceiling".to_owned(),
            old: Some(old.to_owned()),
            new: Some(new.to_owned()),
            note: note.map(str::to_owned),
            line: None,
            price: Price::in_place("a class can change while packets pass"),
        };
        let found = Comparison { changes: vec![change], follows: Vec::new() };
        let text = human(&found, Look { verbose, colour: false });
        text.lines().nth(1).and_then(|line| line.split("  loses no").next()).unwrap().trim().to_owned()
    }

    #[test]
    fn different_values_differ_after_rounding() {
        assert_eq!(line("11692.307kbit", "15.6mbit", None, false), "~ voice: ceiling 11.69mbit -> 15.6mbit");
        assert_eq!(
            line("11692.307kbit", "11692.4kbit", None, false),
            "~ voice: ceiling 11.6923mbit -> 11.6924mbit"
        );
        assert_eq!(
            line("50%", "51%", Some("up 11692.307kbit -> 11692.4kbit"), false),
            "~ voice: ceiling 50% -> 51% (up 11.6923mbit -> 11.6924mbit)"
        );
        assert_eq!(
            line("11692.307kbit", "15.6mbit", None, true),
            "~ voice: ceiling 11692.307kbit -> 15.6mbit"
        );
    }

    #[test]
    fn values_by_formula_are_rounded() {
        let text = line("20.123ms by formula", "20.123ms", None, false);
        assert_eq!(text, "~ voice: ceiling 20.1 ms by formula -> 20.1 ms");
    }
}
