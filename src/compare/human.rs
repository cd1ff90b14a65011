//! What differs, for people.

use super::change::{Area, Change, Comparison, Follow, Group, Kind};
use crate::diag::{count, for_terminal};
use crate::diff::Cost;
use anstyle::{AnsiColor, Style};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The cost stands in one column behind what is said, but no further to the right than this.
const WIDEST: usize = 64;

/// How it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Every value that follows, each in a line.
    pub verbose: bool,
    /// With colours.
    pub colour: bool,
}

/// Everything that differs, by area, with the summary last.
#[must_use]
pub fn human(found: &Comparison, look: Look) -> String {
    let lines: Vec<(&Change, String)> =
        found.changes.iter().map(|change| (change, for_terminal(&said(change)))).collect();
    let width = lines.iter().map(|(_, line)| line.chars().count()).filter(|n| *n <= WIDEST).max();
    let width = width.unwrap_or_default();
    let mut out = String::new();
    let mut area = None;
    for (change, line) in lines {
        if area != Some(change.area) {
            area = Some(change.area);
            let _infallible = writeln!(out, "{}", look.paint(Style::new().bold(), heading(change.area)));
        }
        let sign = look.paint(sign_style(change.change), sign(change.change));
        let price = look.paint(style(change.price.cost), change.price.cost.words());
        let reason = &change.price.reason;
        let length = line.chars().count();
        if length > WIDEST {
            let _infallible = writeln!(out, "  {sign} {line}\n    {:width$}  {price}: {reason}", "");
        } else {
            let _infallible = writeln!(out, "  {sign} {line:width$}  {price}: {reason}");
        }
    }
    follows(found, look, &mut out);
    if found.differs() {
        out.push('\n');
    }
    let _infallible = writeln!(out, "{}", found.summary());
    out
}

impl Look {
    fn paint(self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
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

const fn sign(change: Kind) -> &'static str {
    match change {
        Kind::Added => "+",
        Kind::Removed => "-",
        _ => "~",
    }
}

fn sign_style(change: Kind) -> Style {
    match change {
        Kind::Added => AnsiColor::Green.on_default(),
        Kind::Removed => AnsiColor::Red.on_default(),
        _ => AnsiColor::Cyan.on_default(),
    }
}

fn style(cost: Cost) -> Style {
    match cost {
        Cost::InPlace => AnsiColor::Green.on_default(),
        Cost::OwnBacklog => AnsiColor::Yellow.on_default(),
        Cost::Rebuild => AnsiColor::Red.on_default(),
    }
}

/// A change without its cost, such as `voice: guarantee 400kbit -> 500kbit`.
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
        Kind::Added => format!("{name}{}{note}", within(new)),
        Kind::Removed => format!("{name}{}{note}", within(old)),
        Kind::Renamed => format!("{} -> {name}: another name", old.unwrap_or_default()),
        Kind::Moved => format!("{name}: from {} to {}", old.unwrap_or_default(), new.unwrap_or_default()),
        Kind::Renumbered => format!("{name}: id {} -> {}", old.unwrap_or_default(), new.unwrap_or_default()),
        Kind::Reordered if name.is_empty() => "the order in which matches are tried".to_owned(),
        Kind::Reordered => format!("{name}: now tried {field} {}", new.unwrap_or_default()),
        Kind::Changed => {
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

/// What follows: the rates of the link as they are, all else by number unless it is asked for.
fn follows(found: &Comparison, look: Look, out: &mut String) {
    if found.follows.is_empty() {
        return;
    }
    let _infallible = writeln!(out, "{}", look.paint(Style::new().bold(), "what follows, in place"));
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

/// `4 classes and the link`.
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
