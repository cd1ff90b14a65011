#![doc = include_str!("../rules/Q0611.md")]

use super::Rule;
use super::shared::devices;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Model};

pub(super) const RULE: Rule = Rule {
    name: "mtu-too-large",
    codes: &[Code::MtuTooLarge],
    sections: &[FileSection::Link],
    run: Some(run),
};

/// Largest IP packet in an Ethernet frame (RFC 894), and on a PPP link without negotiation (RFC 1661).
const MOST: u32 = 1500;

fn run(model: &Model, sink: &mut Sink) {
    let link = &model.link;
    let (mtu, profile) = (&link.mtu, link.profile.value.as_str());
    let Some(place) = mtu.given_at() else { return };
    let known = (devices::is_dsl(profile) && !profile.contains("ipoa"))
        || profile.contains("pppoe")
        || profile == "docsis";
    if !known || mtu.value <= MOST {
        return;
    }
    let finding = Diagnostic::new(
        Code::MtuTooLarge,
        place,
        format!("an MTU of {} bytes is too large for this line", mtu.value),
    )
    .label(format!("profile {} carries at most {MOST}", ticked(profile)));
    sink.push(if profile.contains("pppoe") {
        finding.help("leave `mtu` out to use 1492, the MTU of PPPoE; write 1500 only if the modem and the provider support RFC 4638")
    } else {
        finding.help(format!("leave `mtu` out to use {MOST}"))
    });
}
