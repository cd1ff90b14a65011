#![doc = include_str!("../../../../docs/rules/Q0611.md")]

use super::shared::devices;
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::Model;

/// Largest IP packet in an Ethernet frame (RFC 894), and on a PPP link without negotiation (RFC 1661).
const MOST: u32 = 1500;

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let (mtu, profile) = (&link.mtu, link.profile.value.as_str());
    let place = mtu.given_at()?;
    let known = (devices::is_dsl(profile) && !profile.contains("ipoa"))
        || profile.contains("pppoe")
        || profile == "docsis";
    if !known || mtu.value <= MOST {
        return None;
    }
    let message = format!("an MTU of {} bytes is too large for this line", mtu.value);
    let finding = Diagnostic::new(Code::MtuTooLarge, place, message)
        .label(format!("profile {} carries at most {MOST}", ticked(profile)));
    Some(if profile.contains("pppoe") {
        finding.help("leave `mtu` out to use 1492, the MTU of PPPoE; write 1500 only if the modem and the provider support RFC 4638")
    } else {
        finding.help(format!("leave `mtu` out to use {MOST}"))
    })
}
