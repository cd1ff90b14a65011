//! A row in words, for every kind of output.

use super::history::{ClassHistory, Table, View};
use qosc_compiler::units::{Bytes, Micros, Rate};
use qosc_preview::live::Seen;

/// Shown for a figure that is not known.
const NONE: &str = "-";
/// A rate changes with each sample, so more digits would only flicker.
const DIGITS: u32 = 3;

/// Heads of the columns after the name.
pub(super) const HEADS: [&str; 6] = ["rate", "ceiling", "used", "drops", "backlog", "delay"];

/// Figures of a row, in the order of [`HEADS`].
pub(super) fn cells(row: &ClassHistory) -> [String; 6] {
    let text = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
    [
        text(row.seen.rate.map(|rate| rate.rounded(DIGITS).for_people())),
        text(row.seen.ceiling.map(Rate::for_people)),
        text(used(row).map(|percent| format!("{percent} %"))),
        text(row.seen.drops.map(|drops| drops.to_string())),
        text(row.seen.backlog.map(|(bytes, _)| Bytes::new(bytes).for_people())),
        text(row.delay().map(delay)),
    ]
}

fn delay(delay: Micros) -> String {
    delay.rounded(2).for_people()
}

/// Share of the ceiling in percent, rounded down.
pub(super) fn used(row: &ClassHistory) -> Option<u64> {
    let (rate, ceiling) = row.seen.rate.zip(row.seen.ceiling)?;
    let percent = u128::from(rate.bps()) * 100;
    u64::try_from(percent.checked_div(u128::from(ceiling.bps()))?).ok()
}

/// Rule of [`has_problem`], for people.
pub(super) const PROBLEM: &str = "Drops are red above 5 % of a class's packets. If its rate is less than 90 % of its guarantee, they are red above 1 %.";

/// Returns true if the drops of a row are a problem. Below that, they are how a queue tells TCP to slow down.
pub(super) fn has_problem(row: &ClassHistory) -> bool {
    let Seen { lost: Some(lost), rate, guarantee, .. } = row.seen else { return false };
    let is_below = |(rate, guarantee): (Rate, Rate)| rate < guarantee.scale(9, 10);
    lost > 50 || (lost > 10 && rate.zip(guarantee).is_some_and(is_below))
}

/// Indented name of a row.
pub(super) fn name(row: &ClassHistory) -> String {
    format!("{}{}{}", "  ".repeat(row.depth), row.name, if row.seen.present { "" } else { " (missing)" })
}

/// Title of a table.
pub(super) fn title(table: &Table) -> String {
    format!("{} on {}", table.direction.loads(), table.device)
}

/// Sentence about a table without rows.
pub(super) const EMPTY: &str =
    "This device has no tree of qosc. The script is stopped, or a start is at work.";
/// Sentence about a router without links.
pub(super) const NO_LINK: &str = "The script of qosc is stopped.";

/// Time between the two samples of a view.
pub(super) fn elapsed(view: &View) -> Option<String> {
    view.elapsed.map(|time| time.rounded(3).for_people())
}

#[cfg(test)]
#[path = "cells_tests.rs"]
mod tests;
