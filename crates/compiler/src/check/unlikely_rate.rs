#![doc = include_str!("../../../../docs/rules/Q0607.md")]

use super::shared::rates::{FACTOR, SLOWEST, are_swapped};
use crate::derive::LEAST_RATE;
use crate::diag::{Code, Diagnostic, Sink, Span};
use crate::model::{Direction, Link, Model, PerDirection};
use crate::units::Rate;

/// Largest likely factor between the two directions after a corrected unit.
const LIKELY_FACTOR: u64 = 40;

/// Highest rates by kind of line: prefix of the profile's name, technology, upload, download, in bit/s.
const MOST: &[(&str, &str, u64, u64)] = &[
    // ITU-T G.992.5 with annex M, all tones full
    ("adsl-", "ADSL2+ on one pair of wires", 3_500_000, 28_000_000),
    // ITU-T G.993.2, profile 35b
    ("vdsl2-", "VDSL2", 400_000_000, 400_000_000),
    // DOCSIS 4.0
    ("docsis", "DOCSIS", 6_000_000_000, 10_000_000_000),
    // ITU-R M.2410
    ("wireless", "5G", 20_000_000_000, 20_000_000_000),
    // ITU-T G.9804, twice
    ("fibre", "fibre to the home", 100_000_000_000, 100_000_000_000),
];
/// Limit for any other line, in bit/s: IEEE 802.3df.
const ANY: (&str, u64) = ("any port", 800_000_000_000);

pub(super) fn find(model: &Model, sink: &mut Sink) {
    sink.extend(unlikely(&model.link));
}

/// Returns the findings on unlikely rates of a line.
pub(super) fn unlikely(link: &Link) -> Vec<Diagnostic> {
    let (what, most) = most(&link.profile.value);
    // another rule reports both rates as swapped
    let swapped = are_swapped(link);
    let mut found = Vec::new();
    for direction in Direction::BOTH {
        let (line, most) = (link.line.get(direction), *most.get(direction));
        let Some(place) = line.span() else { continue };
        if line.value < SLOWEST && link.shaped.get(direction).value >= LEAST_RATE {
            found.push(too_slow(link, direction, place, most));
        } else if line.value > most && !swapped {
            found.push(too_fast(line.value, place, what, most));
        }
    }
    if found.is_empty() {
        found.extend(too_far_apart(link, &most));
    }
    found
}

fn most(profile: &str) -> (&'static str, PerDirection<Rate>) {
    let known = MOST.iter().find(|(prefix, ..)| profile.starts_with(prefix));
    let (what, up, down) = known.map_or((ANY.0, ANY.1, ANY.1), |(_, what, up, down)| (*what, *up, *down));
    (what, PerDirection { up: Rate::from_bps(up), down: Rate::from_bps(down) })
}

fn finding(place: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::UnlikelyRate, place, message)
}

fn too_slow(link: &Link, direction: Direction, place: Span, most: Rate) -> Diagnostic {
    let rate = link.line.get(direction).value;
    let full = rate.time_for(link.basis.get(direction).full).for_people();
    let more = rate.scale(1000, 1);
    finding(place, format!("{rate} is slower than any line in use"))
        .label(format!("a full packet takes {full}"))
        .help(if more <= most { format!("did you mean `{more}`?") } else { CHECK.to_owned() })
}

/// Advice if no likely rate is near.
const CHECK: &str = "check the number and its unit";

fn too_fast(rate: Rate, place: Span, what: &str, most: Rate) -> Diagnostic {
    // a digit too many, or a wrong unit
    let less = [10, 1000].map(|factor| rate.scale(1, factor));
    let meant = less.into_iter().find(|less| (SLOWEST..=most).contains(less));
    let meant = meant.map(|less| format!("did you mean `{less}`?"));
    let finding = finding(place, format!("{rate} is more than this kind of line carries"))
        .label(format!("{what} carries {most} at most"));
    meant.into_iter().fold(finding, Diagnostic::help).help(match what == ANY.0 {
        true => CHECK,
        false => "if the rate is right, write another `profile`: this one is for slower lines",
    })
}

/// Returns the finding on two rates that are likely each, but not together.
fn too_far_apart(link: &Link, most: &PerDirection<Rate>) -> Option<Diagnostic> {
    let slow = if link.line.up.value < link.line.down.value { Direction::Up } else { Direction::Down };
    let fast = slow.other();
    let (slower, faster) = (link.line.get(slow), link.line.get(fast));
    let factor = |slower: Rate, faster: Rate| faster.bps() / slower.bps().max(1);
    let times = factor(slower.value, faster.value);
    // a lower rate or factor has another finding, or none
    if slower.value < SLOWEST || times < FACTOR {
        return None;
    }
    // if one rate in another unit gives a likely pair, suggest it
    let more = slower.value.scale(1000, 1);
    let less = faster.value.scale(1, 1000);
    let meant = if more <= faster.value.min(*most.get(slow)) && factor(more, faster.value) <= LIKELY_FACTOR {
        format!("did you mean `{}: {more}`?", slow.as_str())
    } else if less >= slower.value && factor(slower.value, less) <= LIKELY_FACTOR {
        format!("did you mean `{}: {less}`?", fast.as_str())
    } else {
        "check the units of both: `kbit`, `mbit` and `gbit` are powers of 1000".to_owned()
    };
    let message = format!("one direction of the line is {times} times as fast as the other");
    Some(
        finding(slower.span()?, message)
            .label(slower.value.to_string())
            .also(faster.span()?, faster.value.to_string())
            .help(meant),
    )
}
