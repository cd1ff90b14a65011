//! Settings for a part of the day.

use crate::diag::Span;
use crate::units::{DAY, DayPart, Days};
use serde::Serialize;
use std::collections::BTreeSet;

/// Minutes of a week.
const WEEK: u16 = 7 * DAY;

/// A variant of the configuration, which holds in a part of some days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Place of the name.
    #[serde(skip)]
    pub span: Span,
    /// Part of the day.
    pub when: DayPart,
    /// Days on which that part begins.
    pub days: Days,
}

impl Variant {
    /// Returns true if the variant holds at a minute of the week, from Monday 00:00.
    fn holds(&self, minute: u16) -> bool {
        let (day, now) = (minute / DAY, minute % DAY);
        let DayPart { from, to } = self.when;
        match from < to {
            true => self.days.has(day) && (from..to).contains(&now),
            // It began on the day before.
            false => self.days.has(day) && from <= now || self.days.has(day + 6) && now < to,
        }
    }

    /// Returns the first minute of the week at which both variants hold.
    #[must_use]
    pub fn meets(&self, other: &Variant) -> Option<u16> {
        // From the beginning of the week on, they can only begin to meet when one of them begins.
        let begins = |day: u16| [day, day + self.when.from, day + other.when.from];
        let minutes = (0..WEEK).step_by(DAY.into()).flat_map(begins);
        minutes.filter(|minute| self.holds(*minute) && other.holds(*minute)).min()
    }

    /// Returns when the variant holds, such as `23:00-06:00` or `23:00-06:00 on fri, sat`.
    #[must_use]
    pub fn times(&self) -> String {
        if self.days == Days::ALL { self.when.to_string() } else { format!("{} on {}", self.when, self.days) }
    }
}

/// Returns the minutes of the week at which another variant, or none, begins.
#[must_use]
pub fn switches(variants: &[Variant]) -> Vec<(u16, Option<&str>)> {
    let at = |minute: u16| variants.iter().find(|own| own.holds(minute % WEEK)).map(|own| own.name.as_str());
    let all =
        (0..WEEK).filter(|minute| at(*minute) != at(minute + WEEK - 1)).map(|minute| (minute, at(minute)));
    let all: Vec<_> = all.collect();
    // One variant may hold all the time.
    if all.is_empty() && at(0).is_some() { vec![(0, at(0))] } else { all }
}

/// Returns the minutes of an hour at which a switch can be due, such as `0,30`.
#[must_use]
pub fn minutes(variants: &[Variant]) -> String {
    let minutes: BTreeSet<u16> = switches(variants).into_iter().map(|(minute, _)| minute % 60).collect();
    minutes.iter().map(u16::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
#[path = "variant_tests.rs"]
mod tests;
