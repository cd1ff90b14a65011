#![doc = include_str!("../rules/Q0613.md")]

use super::Rule;
use super::shared::devices::{self, LikelyDevice};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Direction, FileSection, Model};
use crate::units::Percent;

pub(super) const RULE: Rule =
    Rule { name: "rate-varies", codes: &[Code::RateVaries], sections: &[FileSection::Link], run: Some(run) };

/// A smaller margin suits only a line with a steady rate.
const STEADY: Percent = Percent::from_ppm(50_000);

fn run(model: &Model, sink: &mut Sink) {
    let link = &model.link;
    let Some(profile) = link.profile.given_at() else { return };
    let radio = devices::kind(link.device.value.as_str()) == LikelyDevice::Radio;
    let told = Direction::BOTH.iter().all(|direction| {
        let margin = link.margin.get(*direction);
        margin.is_given() && margin.value >= STEADY
    });
    let finding = match link.profile.value.as_str() {
        "wireless" => {
            let narrow = Direction::BOTH.map(|direction| link.margin.get(direction));
            let Some(margin) = narrow.into_iter().find(|margin| margin.is_given() && margin.value < STEADY)
            else {
                return;
            };
            let Some(place) = margin.given_at() else { return };
            let message = format!("a margin of {} is too small for a wireless line", margin.value);
            Diagnostic::new(Code::RateVaries, place, message)
                .label("if the rate drops by more, packets queue at the provider")
                .also(profile, "the rate of a wireless line varies")
        }
        "conservative" => return,
        name if radio && !told => {
            let named = ticked(link.device.value.as_str());
            let message = format!("{named} is named like a radio, but the profile is for a constant rate");
            let finding = Diagnostic::new(Code::RateVaries, profile, message).label(format!(
                "{} has margins of {} up and {} down",
                ticked(name),
                link.margin.up.value,
                link.margin.down.value
            ));
            finding.help("write `profile: wireless`, whose margins are 10 % up and 15 % down")
        }
        _ => return,
    };
    sink.push(finding.help(
        "write the rates of a bad evening; the script's `rate UP DOWN` changes them at any time without losing packets",
    ));
}
