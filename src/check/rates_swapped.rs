#![doc = include_str!("../rules/Q0606.md")]

use super::Rule;
use super::shared::devices;
use super::unlikely_rate::{FACTOR, SLOWEST};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Link, Model};

pub(super) const RULE: Rule = Rule {
    name: "rates-swapped",
    codes: &[Code::RatesSwapped],
    sections: &[FileSection::Link],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    let link = &model.link;
    let (Some(place), Some(other)) = (link.line.up.given_at(), link.line.down.given_at()) else { return };
    if !are_swapped(link) {
        return;
    }
    let (up, down) = (link.line.up.value, link.line.down.value);
    let label = format!("more than `down`, which is unusual for profile {}", ticked(&link.profile.value));
    sink.push(
        Diagnostic::new(Code::RatesSwapped, place, "`up` and `down` look swapped")
            .label(label)
            .also(other, "the other rate")
            .help(format!(
                "`up` is the rate from the LAN to the internet: did you mean `up: {down}` and `down: {up}`?"
            )),
    );
}

/// True if the upload rate is at least 1.5 times the download rate on a kind of line where it is never higher. A bad
/// line may fall a little below the usual rates; a factor beyond [`FACTOR`] is a wrong unit.
pub(super) fn are_swapped(link: &Link) -> bool {
    let profile = link.profile.value.as_str();
    let never = devices::is_dsl(profile) || profile == "docsis";
    let (up, down) = (link.line.up.value, link.line.down.value);
    never && up >= down.scale(3, 2) && down >= SLOWEST && up < down.scale(FACTOR, 1)
}
