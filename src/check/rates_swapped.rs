#![doc = include_str!("../rules/Q0606.md")]

use super::Rule;
use super::shared::rates::are_swapped;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Model};

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
