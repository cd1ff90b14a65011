//! Times of day and days of the week, by the clock on the wall.

use super::UnitError;
use super::written::{Written, any_of, written};
use crate::diag::ticked;
use std::str::FromStr;

/// Minutes of a day.
pub const DAY: u16 = 24 * 60;

/// A part of the day, from one minute up to another one, each counted from midnight. If `to` is not after `from`, it ends
/// on the next day. Text: `23:00-06:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayPart {
    /// First minute, below 1440.
    pub from: u16,
    /// Minute after the last, at most 1440.
    pub to: u16,
}

impl std::fmt::Display for DayPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
        write!(f, "{}-{}", clock(self.from), clock(self.to))
    }
}

impl FromStr for DayPart {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let minute = |clock: &str| {
            let (hours, minutes) = clock.trim().split_once(':')?;
            let number = |text: &str, most: u16| {
                let digits = (1..=2).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
                text.parse().ok().filter(|number: &u16| digits && *number <= most)
            };
            Some(number(hours, 24)? * 60 + number(minutes, 59)?)
        };
        let part = text.split_once('-').and_then(|(from, to)| {
            Some(DayPart {
                from: minute(from).filter(|from| *from < DAY)?,
                to: minute(to).filter(|to| *to <= DAY)?,
            })
        });
        part.ok_or_else(|| {
            UnitError::new(format!("{} is not a part of the day", ticked(text)))
                .help("write two times from `00:00` to `24:00`, such as `23:00-06:00`")
        })
    }
}

/// Days of the week. Text: a day such as `mon`, or a range such as `mon-fri` or `sat-mon`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days(u8);

const NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Days {
    /// The whole week.
    pub const ALL: Days = Days(0x7f);

    /// Returns `true` if the day is one of them; Monday is 0.
    #[must_use]
    pub const fn has(self, day: u16) -> bool {
        self.0 >> (day % 7) & 1 == 1
    }

    /// Returns these days and the others.
    #[must_use]
    pub const fn and(self, others: Days) -> Days {
        Days(self.0 | others.0)
    }
}

impl std::fmt::Display for Days {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = NAMES.iter().zip(0..).filter(|(_, day)| self.has(*day)).map(|(name, _)| *name);
        f.write_str(&names.collect::<Vec<_>>().join(", "))
    }
}

impl FromStr for Days {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let day = |name: &str| NAMES.iter().position(|own| own.eq_ignore_ascii_case(name.trim()));
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let days = day(first).zip(day(last)).map(|(first, last)| {
            let length = (last + 7 - first) % 7;
            (0..=length).fold(Days(0), |days, more| days.and(Days(1 << ((first + more) % 7))))
        });
        days.ok_or_else(|| {
            UnitError::new(format!("{} is not a day of the week", ticked(text)))
                .help(format!("write one of {}, or a range such as `mon-fri`", NAMES.map(ticked).join(", ")))
        })
    }
}

written!(DayPart, "DayPart", {
    let minute = "([01]?[0-9]|2[0-3]):[0-5]?[0-9]";
    Written {
        about: "A part of the day by the router's clock; past midnight, it ends on the next day",
        numbers: None,
        pattern: format!("{minute}\\s*-\\s*({minute}|24:00?)"),
        trimmed: true,
        examples: vec!["23:00-06:00", "18:00-24:00"],
    }
});

written!(Days, "Days", {
    let day = format!("({})", any_of(NAMES));
    Written {
        about: "A day of the week, or a range of days",
        numbers: None,
        pattern: format!("{day}(\\s*-\\s*{day})?"),
        trimmed: true,
        examples: vec!["mon-fri", "sat"],
    }
});

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
