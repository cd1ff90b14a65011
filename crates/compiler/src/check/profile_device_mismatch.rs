#![doc = include_str!("../../../../docs/rules/Q0610.md")]

use super::shared::devices::{self, LikelyDevice};
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Model, Val};
use crate::profile;
use crate::units::IfName;
use std::net::IpAddr;

/// Returns the profile of the same line with PPP, for a profile without it.
pub(super) fn with_ppp(profile: &str) -> Option<String> {
    let bare = profile.contains("bridged") || profile.contains("ipoa");
    bare.then(|| profile.replace("bridged", "pppoe").replace("ipoa", "pppoa"))
}

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    if let Some(finding) = other_thing(&link.device) {
        return Some(finding);
    }
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

/// Returns the finding about a device with the name of a profile, of a family of profiles, such as `vdsl2`, or with an
/// address as its name.
fn other_thing(device: &Val<IfName>) -> Option<Diagnostic> {
    let name = device.value.as_str().to_lowercase();
    let is_kind = |profile: &str| {
        profile.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let like = match profile::names().into_iter().any(is_kind) {
        true => "a kind of line",
        false => name.parse::<IpAddr>().ok().map(|_| "an address")?,
    };
    let message = format!("the device {} is named like {like}", ticked(device.value.as_str()));
    Some(
        Diagnostic::new(Code::ProfileDeviceMismatch, device.given_at()?, message).help(
            "write a device that `ip link` lists on the router, such as `device: ppp0` or `device: eth0`",
        ),
    )
}

#[cfg(test)]
#[path = "profile_device_mismatch_tests.rs"]
mod tests;
