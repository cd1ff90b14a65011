#![doc = include_str!("../../../../docs/rules/Q0605.md")]

use crate::derive::LEAST_RATE;
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Direction, Ingress, Model};
use crate::units::Percent;

/// Largest useful margin: no modem's queue needs more.
const WIDE: Percent = Percent::from_ppm(200_000);
/// Largest useful margin if the rate itself varies.
const WIDE_ON_AIR: Percent = Percent::from_ppm(500_000);

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let link = &model.link;
    let widest = if link.profile.value == "wireless" { WIDE_ON_AIR } else { WIDE };
    let mut said = None;
    for direction in Direction::BOTH {
        let margin = link.margin.get(direction);
        // With a given shaped rate, the margin follows from the line rate.
        let stated = link.margin(direction).is_none();
        let own = if stated { link.shaped.get(direction).given_at() } else { margin.given_at() };
        let Some(place) = own.filter(|place| said != Some(*place)) else { continue };
        let shaped = direction == Direction::Up || link.ingress.value != Ingress::None;
        let (line, rate) = (link.line.get(direction).value, link.shaped.get(direction).value);
        // another rule rejects a line with too little rate left
        let finding = if !shaped || rate < LEAST_RATE || rate > line {
            continue;
        } else if stated {
            if margin.value.ppm() > 0 || link.line_rate(direction).is_none() {
                continue;
            }
            let message = format!("a shaped rate of {} lets the modem queue packets", rate.rounded(4));
            Diagnostic::new(Code::Margin, place, message)
                .label(format!("a line of {} carries no more", line.rounded(4)))
                .help("write a rate in `shaped` that is some percent lower")
        } else if margin.value.ppm() == 0 {
            Diagnostic::new(Code::Margin, place, "a margin of 0 % lets the modem queue packets")
                .label(format!(
                    "shapes to the full {}: what the modem cannot send at once waits there, without classes",
                    line.rounded(4)
                ))
                .help("leave `margin` out to use the margin of the profile; measure before you lower it")
        } else if margin.value > widest {
            Diagnostic::new(Code::Margin, place, format!("a margin of {} wastes bandwidth", margin.value))
                .label(format!("leaves {} of {}", rate.rounded(4), line.rounded(4)))
                .help("write the rate that the line really has, and leave `margin` out to use the margin of the profile")
        } else {
            continue;
        };
        said = Some(place);
        sink.push(finding);
    }
}
