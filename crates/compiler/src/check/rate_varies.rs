#![doc = include_str!("../../../../docs/rules/Q0613.md")]

use super::shared::devices::{self, LikelyDevice};
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Direction, Model, Val};
use crate::units::Percent;

/// A smaller margin suits only a line with a steady rate.
const STEADY: Percent = Percent::from_ppm(50_000);

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let profile = link.profile.given_at().filter(|_| link.vary.is_none())?;
    let radio = devices::kind(link.device.value.as_str()) == LikelyDevice::Radio;
    let margins = Direction::BOTH.map(|direction| link.margin.get(direction));
    let finding = match link.profile.value.as_str() {
        "wireless" => {
            let narrow = |margin: &&Val<Percent>| margin.is_given() && margin.value < STEADY;
            let margin = margins.into_iter().find(narrow)?;
            let message = format!("a margin of {} is too small for a wireless line", margin.value);
            Diagnostic::new(Code::RateVaries, margin.given_at()?, message)
                .label("if the rate drops by more, packets queue at the provider")
                .also(profile, "the rate of a wireless line varies")
        }
        "conservative" => return None,
        _ if Direction::BOTH.iter().any(|direction| link.shaped.get(*direction).is_given()) => return None,
        _ if !radio || margins.iter().all(|margin| margin.is_given() && margin.value >= STEADY) => {
            return None;
        }
        name => {
            let named = ticked(link.device.value.as_str());
            let message = format!("{named} is named like a radio, but the profile is for a constant rate");
            let [up, down] = margins.map(|margin| margin.value);
            Diagnostic::new(Code::RateVaries, profile, message)
                .label(format!("{} has margins of {up} up and {down} down", ticked(name)))
                .help("write `profile: wireless`, whose margins are 10 % up and 15 % down")
        }
    };
    Some(finding.help(
        "write `vary` with the lowest and the highest rates, and the script's call `follow` adapts to the line",
    ))
}
