//! Text of a plan for people.

use super::items::Item;
use super::step::{Area, Cause, ChangedValue};
use super::{Gap, Plan};
use crate::diff::{Cost, Look, legend};
use qosc_compiler::derive;
use qosc_compiler::diag::{count, for_terminal, wrapped};
use qosc_compiler::units::{Micros, change_for_people, for_people};
use std::fmt::Write as _;

/// The changes that `start` would make, and the meaning of their costs.
#[must_use]
pub fn human(plan: &Plan, look: Look) -> String {
    drawn(plan, look, true)
}

/// The changes that `start` would make, without the meaning of their costs.
#[must_use]
pub fn changes(plan: &Plan, look: Look) -> String {
    drawn(plan, look, false)
}

/// Most differences to list without `-v`.
const MOST_DRIFT: usize = 18;

fn drawn(plan: &Plan, look: Look, explained: bool) -> String {
    let mut out = String::new();
    for why in &plan.refusals {
        wrapped(&mut out, "`start` would refuse: ", &for_terminal(why), 2);
    }
    if !plan.is_refused() {
        list(plan, look, &mut out);
        if explained {
            out.push_str(&legend(plan.items.iter().map(|item| item.price.cost), look.verbose));
        }
    }
    if !plan.foreign.is_empty() {
        let _infallible = writeln!(
            out,
            "`start` would refuse: other tools created these objects, and `--take-over` removes them"
        );
        for what in &plan.foreign {
            let _infallible = writeln!(out, "  {}", for_terminal(what));
        }
    }
    for note in &plan.notes {
        wrapped(&mut out, "note: ", &for_terminal(note), 2);
    }
    if look.verbose && !plan.is_refused() {
        for command in plan.commands() {
            let _infallible = writeln!(out, "{}", for_terminal(&command));
        }
    }
    out
}

fn list(plan: &Plan, look: Look, out: &mut String) {
    let (mut area, mut gap) = (None, plan.gap);
    for item in &plan.items {
        if area != Some(item.area) {
            area = Some(item.area);
            look.heading(item.area.as_str(), out);
        }
        let line = for_terminal(&said(item, look));
        look.row(item.sign, &line, item.price.cost, &for_terminal(&item.price.reason), out);
        if (item.area, item.price.cost) == (Area::Uploads, Cost::Rebuild)
            && let Some(gap) = gap.take()
        {
            wrapped(out, "      ", &unshaped(gap), 8);
        }
    }
    if !plan.drift.is_empty() && !plan.items.is_empty() {
        look.heading("others changed since the last start", out);
        let most = if look.verbose { usize::MAX } else { MOST_DRIFT };
        for line in plan.drift.iter().take(most) {
            wrapped(out, "  ", &for_terminal(line), 6);
        }
        if plan.drift.len() > most {
            let _infallible = writeln!(out, "  and {} more: `-v` lists them", plan.drift.len() - most);
        }
    }
    if !plan.items.is_empty() {
        out.push('\n');
    }
    wrapped(out, "", &summary(plan), 2);
}

/// Sums up the whole plan in one line.
#[must_use]
pub fn summary(plan: &Plan) -> String {
    if let Some(why) = plan.refusals.first() {
        return format!("`start` would refuse: {why}");
    }
    if !plan.foreign.is_empty() {
        return format!("`start` would refuse: other tools created {}", count(plan.foreign.len(), "object"));
    }
    let mut text = if plan.items.is_empty() {
        "nothing to do: the router is as the file describes".to_owned()
    } else {
        crate::diff::summary(plan.items.iter().map(|item| item.price.cost))
    };
    let drifted = plan.items.iter().filter(|item| matches!(item.cause, Cause::Drift | Cause::Both)).count();
    if drifted > 0 {
        let _infallible = write!(text, "; {drifted} of them because of drift");
    }
    text
}

fn unshaped(gap: Gap) -> String {
    let commands = count(gap.commands, "command");
    match (gap.ms(), gap.each_us) {
        (Some(ms), Some(us)) => format!(
            "uploads are unshaped for about {}: {commands} of {} each, as measured at this router's last start",
            Micros::from_us(ms.saturating_mul(1000)).for_people(),
            Micros::from_us(us).for_people()
        ),
        _ => format!(
            "uploads are unshaped during {commands}: this router has not yet measured how long one takes"
        ),
    }
}

/// Text of an item without its cost: `voice: rate 2mbit -> 2.5mbit, ceil 20mbit -> 18mbit`.
fn said(item: &Item, look: Look) -> String {
    let has = |fields: &[&str]| item.values.iter().any(|value| fields.contains(&value.field.as_str()));
    // Bursts and quanta follow from a rate by a formula. The short text leaves them out if the rate changed, too.
    let follows = |value: &&ChangedValue| {
        !look.verbose
            && has(&["rate", "ceil"])
            && ["burst", "cburst", "quantum"].contains(&value.field.as_str())
    };
    let shown = item.values.iter().filter(|value| !follows(value));
    let values: Vec<String> = shown.map(|own| value(own, look)).collect();
    let what = &item.what;
    if values.is_empty() { what.clone() } else { format!("{what}: {}", values.join(", ")) }
}

/// A value of an item: exact if all is shown, else rounded.
fn value(value: &ChangedValue, look: Look) -> String {
    let ChangedValue { field, old, new } = value;
    let (old, new) = match (look.verbose, old == new) {
        (true, _) => (old.clone(), new.clone()),
        (false, true) => (for_people(old), for_people(new)),
        (false, false) => change_for_people(old, new),
    };
    let only = |rate: String| if is_borrowing(field, &rate) { "borrows only".to_owned() } else { rate };
    let (old, new) = (only(old), only(new));
    let field = match field.as_str() {
        "of them" => return format!("{new} added, {old} removed"),
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

/// True for the rate that HTB is told for a class that only borrows.
fn is_borrowing(field: &str, rate: &str) -> bool {
    field == "rate" && rate.parse().is_ok_and(derive::borrows)
}

#[cfg(test)]
mod tests {
    use super::ChangedValue;
    use super::value;
    use crate::diff::Look;

    #[test]
    fn different_values_differ_after_rounding() {
        let shown = |old: &str, new: &str, verbose| {
            let own = ChangedValue { field: "rate".to_owned(), old: old.to_owned(), new: new.to_owned() };
            value(&own, Look { verbose, colour: false })
        };
        assert_eq!(shown("11692.307kbit", "15.6mbit", false), "rate 11.69mbit -> 15.6mbit");
        assert_eq!(shown("11692.307kbit", "11692.4kbit", false), "rate 11.6923mbit -> 11.6924mbit");
        assert_eq!(shown("11692.307kbit", "15.6mbit", true), "rate 11692.307kbit -> 15.6mbit");
        assert_eq!(shown("1mbit", "100bit", false), "rate 1mbit -> borrows only");
        assert_eq!(shown("2250KiB", "3361536", false), "rate 2.2 MiB -> 3.21 MiB");
        assert_eq!(shown("30", "", false), "rate 30 -> none");
    }
}
