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
    match devices::kind(link.device.value.as_str()) {
        LikelyDevice::Ppp if !link.overhead.is_given() && with_ppp(profile).is_some() => {
            let with = ticked(&with_ppp(profile).unwrap_or_default());
            sink.push(
                Diagnostic::new(
                    Code::ProfileDeviceMismatch,
                    place,
                    format!(
                        "profile {} is for a line without PPP, and {named} is a PPP session",
                        ticked(profile)
                    ),
                )
                .label("leaves out what PPP adds to each packet")
                .also(device, "the session")
                .help(format!("take {with}, or another profile with PPP")),
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
                    format!("{named} is below the PPP session, where filters see no IP packets"),
                )
                .label("an Ethernet device: what is in PPPoE frames goes unmatched into the default class")
                .also(place, "a line with PPP")
                .help("where the session ends on this router, name its device, such as `device: ppp0`")
                .help("where the modem ends it, write `frames: ip`; where a client behind this router does, `frames: pppoe`"),
            );
        }
        _ => {}
    }
}
