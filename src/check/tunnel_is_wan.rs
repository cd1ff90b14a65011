#![doc = include_str!("../rules/Q0806.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Model};

pub(super) const RULE: Rule = Rule {
    name: "tunnel-is-wan",
    codes: &[Code::TunnelIsWan],
    sections: &[FileSection::Link, FileSection::Tunnels],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    for tunnel in &model.tunnels {
        let Some(device) = &tunnel.device else { continue };
        let Some(wan) = model.link.all_devices().find(|own| own.value == device.value) else { continue };
        let Some(place) = device.given_at() else { continue };
        let which = if *wan == model.link.device { "the WAN device" } else { "in `link.devices`" };
        let message = format!("the device of tunnel {} is {which}", ticked(&tunnel.name));
        let finding = Diagnostic::new(Code::TunnelIsWan, place, message)
            .label("packets pass here before encapsulation, so none of them belongs to the tunnel");
        let finding = finding.also_at(wan.given_at().map(|span| (span, "a device of the line")));
        sink.push(finding.help(
            "in `link`, write the device that sends the encapsulated packets, such as `device: ppp0`; if the tunnel itself is the line, remove it from `tunnels`",
        ));
    }
}
