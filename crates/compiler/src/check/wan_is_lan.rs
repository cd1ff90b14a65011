#![doc = include_str!("../../../../docs/rules/Q0616.md")]

use super::lan_bridge;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{LinkDevice, Model, Val};
use crate::units::IfName;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    // another rule reports a LAN bridge, and the shaper may leave the LAN alone
    if lan_bridge::applies(model) || !model.lan.shaped.value {
        return;
    }
    let devices = &model.link.devices;
    for own in
        model.lan.devices.iter().filter(|lan| devices.iter().any(|line| line.device.value == lan.value))
    {
        let name = ticked(own.value.as_str());
        sink.extend(own.given_at().map(|place| {
            Diagnostic::new(
                Code::WanIsLan,
                place,
                format!("{name} is both in `link.devices` and a LAN device"),
            )
            .label("packets from the LAN arrive here too, and are queued as downloads")
            .help(DIFFERENT)
        }));
    }
    let named = |own: &LinkDevice| model.lan.devices.iter().any(|lan| lan.value == own.device.value);
    for own in devices.iter().filter(|own| own.device.value.as_str().starts_with("br") && !named(own)) {
        let name = ticked(own.device.value.as_str());
        sink.extend(own.device.given_at().map(|place| {
            Diagnostic::new(Code::WanIsLan, place, format!("{name} in `link.devices` has the name of a LAN bridge"))
                .label("what arrives from hosts of the LAN is upload, but would be queued as download")
                .help("to match the hosts behind it, write their prefix in the match, such as `local: 192.168.9.0/24`")
                .help("if the bridge leads to the provider, add `# qosc: allow(Q0616)`")
        }));
    }
    sink.extend(of_wan(model));
}

const DIFFERENT: &str = "write a different device for each side; a VLAN is enough, such as `eth0.7`";

/// Returns the finding on a LAN device that is the WAN device or a VLAN on it.
fn of_wan(model: &Model) -> Option<Diagnostic> {
    let (wan, lan) = (&model.link.device, &model.lan.devices);
    let name = wan.value.as_str();
    // a VLAN is usually named after the device that carries it
    let is_vlan = |lan: &&Val<IfName>| {
        let tag = lan.value.as_str().strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
        tag.is_some_and(|tag| tag.parse::<u16>().is_ok())
    };
    let own = lan.iter().find(|lan| lan.value == wan.value).or_else(|| lan.iter().find(is_vlan))?;
    let (device, inner) = (ticked(name), ticked(own.value.as_str()));
    let (message, label, help) = if is_vlan(&own) {
        let is_free = |tag: &String| lan.iter().all(|lan| lan.value.as_str() != tag);
        let free = (7..4095).map(|tag| format!("{name}.{tag}")).find(is_free).unwrap_or_default();
        (
            format!("the WAN device {device} carries the LAN device {inner}"),
            format!("packets to this VLAN leave by {device} too, and are shaped as uploads"),
            format!("give the WAN a VLAN of its own, and shape that: `device: {free}`"),
        )
    } else {
        (
            format!("{device} is both the WAN device and a LAN device"),
            "packets to the LAN leave here too, and are shaped as uploads".to_owned(),
            DIFFERENT.to_owned(),
        )
    };
    let finding = Diagnostic::new(Code::WanIsLan, own.given_at()?, message);
    Some(finding.label(label).also(wan.given_at()?, "the WAN device").help(help))
}

#[cfg(test)]
#[path = "wan_is_lan_tests.rs"]
mod tests;
