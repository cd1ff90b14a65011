//! Result of `explain --packet` as text.

use super::{Asked, End, Meeting};
use qosc_compiler::derive::borrows;
use qosc_compiler::diag::{and_ticked, ticked, wrapped};
use qosc_compiler::model::Direction;
use qosc_compiler::tc::Hook;
use std::fmt::Write as _;

/// Largest number of matches that are shown: the last ones.
const SHOWN: usize = 40;

/// Returns the result for a packet as text of at most 100 columns. `described` is the packet in the user's words.
#[must_use]
pub fn human(meeting: &Meeting, described: &str) -> String {
    let mut out = String::new();
    wrapped(&mut out, "", described, 2);
    let from = meeting.asked.len().saturating_sub(SHOWN);
    if from > 0 {
        let _infallible = writeln!(out, "  {from} earlier matches do not match it");
    }
    for asked in meeting.asked.iter().skip(from) {
        wrapped(&mut out, "  ", &verdict(asked, meeting.is_outer), 6);
    }
    for words in meeting.shown.iter().cloned().chain(ends(meeting)) {
        wrapped(&mut out, "  = ", &words, 4);
    }
    for note in &meeting.notes {
        wrapped(&mut out, "  = ", note, 4);
    }
    out
}

fn verdict(asked: &Asked, is_outer: bool) -> String {
    let of = if is_outer && asked.differs != ["tunnel"] { " of the outer packet" } else { "" };
    let what = if asked.what.is_empty() { String::new() } else { format!(" {}", asked.what) };
    let place = asked.line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let kind = if asked.hook == Hook::Root { "" } else { "police " };
    let outcome = if asked.takes {
        "matches".to_owned()
    } else if asked.differs.is_empty() {
        "does not match".to_owned()
    } else {
        match asked.differs.as_slice() {
            [one] => format!("no, {}{of} differs", ticked(one)),
            several => format!("no, {}{of} differ", and_ticked(several.iter().copied())),
        }
    };
    format!("{kind}{}:{what}{place}: {outcome}", asked.name)
}

/// Lines on the packet's class or other result, and on its cost.
fn ends(meeting: &Meeting) -> Vec<String> {
    let mut ends = Vec::new();
    for police in [&meeting.police, &meeting.cap].into_iter().flatten() {
        let name = if police.name.is_empty() {
            "the policer of all downloads".to_owned()
        } else {
            format!("police {}", ticked(&police.name))
        };
        let above = police.class.as_ref().map_or("drops the excess".to_owned(), |class| {
            format!("passes the excess to class {}", ticked(class))
        });
        ends.push(format!("{name} passes these packets up to {}, and {above}", police.rate.for_people()));
    }
    ends.push(match &meeting.end {
        End::Class { name, id, guarantee, ceiling, priority, queue, takes } => format!(
            "class {} ({id}): {}, ceiling {}, priority {priority}; queue {queue}; serialization delay {} at the ceiling",
            ticked(name),
            if borrows(*guarantee) {
                "borrows only".to_owned()
            } else {
                format!("guarantee {}", guarantee.for_people())
            },
            ceiling.for_people(),
            takes.for_people()
        ),
        End::Tin { name, tin } => format!("class {}: tin {} of CAKE", ticked(name), ticked(tin)),
        End::Past => "outside all classes: it is not queued".to_owned(),
        End::Unshaped => match meeting.direction {
            Direction::Up => "in no class".to_owned(),
            Direction::Down => "in no class: it is not queued here".to_owned(),
        },
    });
    ends.push(format!("charged {} bytes for an IP packet of {} bytes", meeting.charged, meeting.length));
    ends
}
