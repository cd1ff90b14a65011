//! Text of a plan for people.

use super::items::{Area, Item};
use super::{Gap, Plan};
use crate::diag::{count, for_terminal};
use crate::diff::steps::{Cause, Value};
use crate::diff::{Cost, Look, Rows, Sign};
use std::fmt::Write as _;

/// Describes the changes that `start` would make, as a text of several lines.
#[must_use]
pub fn human(plan: &Plan, look: Look) -> String {
    let mut out = String::new();
    if plan.foreign.is_empty() {
        list(plan, look, &mut out);
    } else {
        let _infallible = writeln!(out, "start would refuse: this is not ours (--take-over removes it)");
        for what in &plan.foreign {
            let _infallible = writeln!(out, "  {}", for_terminal(what));
        }
    }
    for note in &plan.notes {
        let _infallible = writeln!(out, "note: {}", for_terminal(note));
    }
    if look.verbose && plan.foreign.is_empty() {
        for command in plan.commands() {
            let _infallible = writeln!(out, "{}", for_terminal(&command));
        }
    }
    out
}

fn list(plan: &Plan, look: Look, out: &mut String) {
    let lines: Vec<(&Item, String)> =
        plan.items.iter().map(|item| (item, for_terminal(&said(item, look)))).collect();
    let rows = Rows::of(lines.iter().map(|(_, line)| line.as_str()), look);
    let mut area = None;
    for (item, line) in &lines {
        if area != Some(item.area) {
            area = Some(item.area);
            look.heading(heading(item.area), out);
        }
        let reason = for_terminal(&item.price.reason);
        // The reason's text after a semicolon gets a line of its own.
        let (reason, more) = reason.split_once("; ").unwrap_or((&reason, ""));
        rows.row(item.sign, line, &item.price, reason, out);
        if let (Some(gap), Area::Uploads, Cost::Rebuild) = (plan.gap, item.area, item.price.cost) {
            let _infallible = writeln!(out, "    {}", unshaped(gap));
        }
        if !more.is_empty() {
            let _infallible = writeln!(out, "    {more}");
        }
        if let Some(drift) = drift(item) {
            let _infallible = writeln!(out, "    drift: {}", for_terminal(&drift));
        }
    }
    if !lines.is_empty() {
        out.push('\n');
    }
    let _infallible = writeln!(out, "{}", line(plan));
}

/// Sums up the whole plan in one line.
#[must_use]
pub fn line(plan: &Plan) -> String {
    if !plan.foreign.is_empty() {
        return format!("start would refuse: {} that others made", count(plan.foreign.len(), "object"));
    }
    let mut text = if plan.items.is_empty() {
        "nothing to do: the router holds what is described".to_owned()
    } else {
        crate::diff::summary(plan.items.iter().map(|item| item.price.cost))
    };
    let drifted = plan.items.iter().filter(|item| matches!(item.cause, Cause::Drift | Cause::Both)).count();
    if drifted > 0 {
        let _infallible = write!(text, "; {drifted} of them for drift");
    }
    if plan.rewritten > 0 {
        let _infallible = write!(
            text,
            "; start would rewrite {} in place with what {} now, for it has no record of that",
            count(plan.rewritten, "object"),
            if plan.rewritten == 1 { "it holds" } else { "they hold" }
        );
    }
    text
}

fn unshaped(gap: Gap) -> String {
    let commands = count(gap.commands, "command");
    match (gap.ms(), gap.each_us) {
        (Some(ms), Some(us)) => format!(
            "uploads go unshaped for about {ms} ms: {commands} at {us} us each, as measured on this router's last start"
        ),
        _ => format!(
            "uploads go unshaped for the time of {commands}: how long one takes was not yet measured on this router"
        ),
    }
}

const fn heading(area: Area) -> &'static str {
    match area {
        Area::Uploads => "uploads",
        Area::Downloads => "downloads",
        Area::Hooks => "hooks",
        Area::Settings => "settings",
    }
}

/// Text of an item without its cost: `voice: rate 2mbit -> 2.5mbit, ceil 20mbit -> 18mbit`.
fn said(item: &Item, look: Look) -> String {
    let has = |fields: &[&str]| item.values.iter().any(|value| fields.contains(&value.field.as_str()));
    // Bursts and quanta follow from a rate by a formula. The short text leaves them out if the rate changed, too.
    let follows = |value: &&Value| {
        !look.verbose
            && has(&["rate", "ceil"])
            && ["burst", "cburst", "quantum"].contains(&value.field.as_str())
    };
    let values: Vec<String> = item.values.iter().filter(|value| !follows(value)).map(value).collect();
    let what = &item.what;
    if values.is_empty() { what.clone() } else { format!("{what}: {}", values.join(", ")) }
}

fn value(value: &Value) -> String {
    let Value { field, old, new } = value;
    let field = match field.as_str() {
        "of them" => return format!("{new} new, {old} gone"),
        "" | "filters" => String::new(),
        field => format!("{field} "),
    };
    match (old.as_str(), new.as_str()) {
        (old, new) if old == new => old.to_owned(),
        ("", new) => format!("{field}{new}"),
        ("0", new) if field.is_empty() => new.to_owned(),
        (old, "") => format!("{field}{old} -> none"),
        (old, "0") if field.is_empty() => old.to_owned(),
        (old, new) => format!("{field}{old} -> {new}"),
    }
}

/// Describes the drift: the changes by others that `start` undoes.
fn drift(item: &Item) -> Option<String> {
    if !matches!(item.cause, Cause::Drift | Cause::Both) {
        return None;
    }
    let changed: Vec<String> =
        item.drift.iter().map(|Value { field, old, new }| format!("{field} {old} to {new}")).collect();
    let also = if item.cause == Cause::Both { ", and the file changes it, too" } else { "" };
    Some(match (changed.is_empty(), item.sign) {
        (false, _) => format!("someone changed {}{also}", changed.join(", ")),
        (true, Sign::Added) => format!("someone removed it{also}"),
        (true, Sign::Removed) => "someone made it".to_owned(),
        (true, Sign::Changed) => format!("someone changed it{also}"),
    })
}
