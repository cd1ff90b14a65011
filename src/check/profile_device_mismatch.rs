#![doc = include_str!("../rules/Q0610.md")]

use super::shared::devices::{self, LikelyDevice};
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::Model;

/// Returns the profile of the same line with PPP, for a profile without it.
pub(super) fn with_ppp(profile: &str) -> Option<String> {
    let bare = profile.contains("bridged") || profile.contains("ipoa");
    bare.then(|| profile.replace("bridged", "pppoe").replace("ipoa", "pppoa"))
}

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let (place, device) = (link.profile.given_at()?, link.device.given_at()?);
    let (profile, named) = (link.profile.value.as_str(), ticked(link.device.value.as_str()));
    let finding = |place, needs: &str, like: &str| {
        let message =
            format!("profile {} is for a {needs}, but {named} is named like {like}", ticked(profile));
        Diagnostic::new(Code::ProfileDeviceMismatch, place, message)
    };
    let kind = devices::kind(link.device.value.as_str());
    if kind == LikelyDevice::Ppp {
        let with = with_ppp(profile).filter(|_| !link.overhead.is_given())?;
        return Some(
            finding(place, "line without PPP", "a PPP session")
                .label("does not count the bytes that PPP adds to each packet")
                .also(device, "the device")
                .help(format!("write `profile: {with}`, or another profile with PPP")),
        );
    }
    let like = match kind {
        LikelyDevice::Dsl => "a DSL modem's device",
        LikelyDevice::Ethernet => "an Ethernet device",
        _ => return None,
    };
    let known = devices::is_dsl(profile) || profile.starts_with("fibre");
    (devices::has_session(profile) && known && !link.frames.is_given()).then(|| {
        finding(device, "PPP session", like)
            .label("if its packets are PPPoE frames, matches cannot see inside: all traffic goes to the default class")
            .also(place, "a profile with PPP")
            .help("if the session ends on this router, write the session's device, such as `device: ppp0`")
            .help("if the modem ends the session, or this device is a renamed PPP device, write `frames: ip`: its packets begin with IP")
            .help("if a client behind this router ends the session, write `frames: pppoe`")
    })
}

#[cfg(test)]
#[path = "profile_device_mismatch_tests.rs"]
mod tests;
