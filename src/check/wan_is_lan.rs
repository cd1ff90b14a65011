#![doc = include_str!("../rules/Q0616.md")]

use super::{Rule, lan_bridge};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Model};

pub(super) const RULE: Rule = Rule {
    name: "wan-is-lan",
    codes: &[Code::WanIsLan],
    sections: &[FileSection::Link, FileSection::Lan],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    // another rule reports a LAN bridge
    if lan_bridge::applies(model) {
        return;
    }
    let wan = &model.link.device;
    let Some(lan) = model.lan.devices.iter().find(|lan| lan.value == wan.value) else { return };
    let (Some(place), Some(also)) = (lan.given_at(), wan.given_at()) else { return };
    let message = format!("{} is both the WAN device and a LAN device", ticked(wan.value.as_str()));
    sink.push(
        Diagnostic::new(Code::WanIsLan, place, message)
            .label("packets to the LAN leave here too, and are shaped as uploads")
            .also(also, "the WAN device")
            .help("write a different device for each side; a VLAN is enough, such as `eth0.7`"),
    );
}
