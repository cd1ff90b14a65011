#![doc = include_str!("../rules/Q0616.md")]

use super::lan_bridge;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Model, Val};
use crate::units::IfName;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    // another rule reports a LAN bridge, and the shaper may leave the LAN alone
    if lan_bridge::applies(model) || !model.lan.shaped.value {
        return;
    }
    let lan = &model.lan.devices;
    for own in lan.iter().filter(|lan| model.link.devices.iter().any(|line| line.device.value == lan.value)) {
        let Some(place) = own.given_at() else { continue };
        let message = format!("{} is both in `link.devices` and a LAN device", ticked(own.value.as_str()));
        sink.push(
            Diagnostic::new(Code::WanIsLan, place, message)
                .label("packets from the LAN arrive here too, and are queued as downloads")
                .help("write a different device for each side; a VLAN is enough, such as `eth0.7`"),
        );
    }
    let wan = &model.link.device;
    let name = wan.value.as_str();
    // a VLAN is usually named after the device that carries it
    let is_vlan = |lan: &&Val<IfName>| {
        let tag = lan.value.as_str().strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
        tag.is_some_and(|tag| tag.parse::<u16>().is_ok())
    };
    let Some(own) = lan.iter().find(|lan| lan.value == wan.value).or_else(|| lan.iter().find(is_vlan)) else {
        return;
    };
    let (Some(place), Some(also)) = (own.given_at(), wan.given_at()) else { return };
    if is_vlan(&own) {
        let message =
            format!("the WAN device {} carries the LAN device {}", ticked(name), ticked(own.value.as_str()));
        let taken = |tag: &String| lan.iter().any(|lan| lan.value.as_str() == tag);
        let free = (7..4095).map(|tag| format!("{name}.{tag}")).find(|tag| !taken(tag)).unwrap_or_default();
        sink.push(
            Diagnostic::new(Code::WanIsLan, place, message)
                .label(format!(
                    "packets to this VLAN leave by {} too, and are shaped as uploads",
                    ticked(name)
                ))
                .also(also, "the WAN device")
                .help(format!("give the WAN a VLAN of its own, and shape that: `device: {free}`")),
        );
        return;
    }
    let message = format!("{} is both the WAN device and a LAN device", ticked(name));
    sink.push(
        Diagnostic::new(Code::WanIsLan, place, message)
            .label("packets to the LAN leave here too, and are shaped as uploads")
            .also(also, "the WAN device")
            .help("write a different device for each side; a VLAN is enough, such as `eth0.7`"),
    );
}
