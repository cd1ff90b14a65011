#![doc = include_str!("../../../../docs/rules/Q0606.md")]

use super::shared::rates::are_swapped;
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::Model;

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let (place, other) = (link.line.up.span()?, link.line.down.span()?);
    if !are_swapped(link) {
        return None;
    }
    let (up, down) = (link.line.up.value, link.line.down.value);
    let label = format!("more than `down`, which is unusual for profile {}", ticked(&link.profile.value));
    Some(
        Diagnostic::new(Code::RatesSwapped, place, "`up` and `down` look swapped")
            .label(label)
            .also(other, "the other rate")
            .help(format!(
                "`up` is the rate from the LAN to the internet: did you mean `up: {down}` and `down: {up}`?"
            )),
    )
}
