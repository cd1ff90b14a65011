#![doc = include_str!("../rules/Q0610.md")]

use super::Rule;
use super::shared::devices::{self, LikelyDevice};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Model};

pub(super) const RULE: Rule = Rule {
    name: "profile-device-mismatch",
    codes: &[Code::ProfileDeviceMismatch],
    sections: &[FileSection::Link],
    run: Some(run),
};

/// Returns the profile of the same line with PPP, for a profile without it.
pub(super) fn with_ppp(profile: &str) -> Option<String> {
    let bare = profile.contains("bridged") || profile.contains("ipoa");
    bare.then(|| profile.replace("bridged", "pppoe").replace("ipoa", "pppoa"))
}

fn run(model: &Model, sink: &mut Sink) {
    let link = &model.link;
    let (Some(place), Some(device)) = (link.profile.given_at(), link.device.given_at()) else { return };
    let (profile, named) = (link.profile.value.as_str(), ticked(link.device.value.as_str()));
    let session = profile.contains("pppoe") || profile.contains("pppoa");
    let kind = devices::kind(link.device.value.as_str());
    match kind {
        LikelyDevice::Ppp if !link.overhead.is_given() && with_ppp(profile).is_some() => {
            let with = with_ppp(profile).unwrap_or_default();
            sink.push(
                Diagnostic::new(
                    Code::ProfileDeviceMismatch,
                    place,
                    format!(
                        "profile {} is for a line without PPP, but {named} is named like a PPP session",
                        ticked(profile)
                    ),
                )
                .label("does not count the bytes that PPP adds to each packet")
                .also(device, "the device")
                .help(format!("write `profile: {with}`, or another profile with PPP")),
            );
        }
        LikelyDevice::Ethernet | LikelyDevice::Dsl
            if session && devices::is_dsl(profile) | profile.starts_with("fibre") =>
        {
            if link.frames.is_given() {
                return;
            }
            sink.push(
                Diagnostic::new(
                    Code::ProfileDeviceMismatch,
                    device,
                    format!( "profile {} is for a PPP session, but {named} is named like {}", ticked(profile), if kind == LikelyDevice::Dsl { "a DSL modem's device" } else { "an Ethernet device" } ),
                )
                .label("if its packets are PPPoE frames, matches cannot see inside: all traffic goes to the default class")
                .also(place, "a profile with PPP")
                .help("if the session ends on this router, write the session's device, such as `device: ppp0`")
                .help("if the modem ends the session, or this device is a renamed PPP device, write `frames: ip`: its packets begin with IP") .help("if a client behind this router ends the session, write `frames: pppoe`"),
            );
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "profile_device_mismatch_tests.rs"]
mod tests;
