#![doc = include_str!("../rules/Q0614.md")]

use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::Model;

/// Prefixes of the devices that a script makes, before the link's name: for downloads, for their next tree, and to try
/// things out.
const OWN: [&str; 3] = ["ifb-", "ifb2-", "ifbp-"];

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let link = model.name.value.as_str();
    let in_devices = model.name.value.in_devices();
    let tunnels = model.tunnels.iter().filter_map(|tunnel| tunnel.device.as_ref());
    for device in model.link.all_devices().chain(&model.lan.devices).chain(tunnels) {
        let name = device.value.as_str();
        let ours = OWN.iter().any(|prefix| name.strip_prefix(prefix) == Some(&in_devices));
        let Some(place) = device.given_at().filter(|_| ours) else { continue };
        let message = format!("the script itself creates and removes {}", ticked(name));
        sink.push(
            Diagnostic::new(Code::OwnDevice, place, message)
                .label(format!("the downloads of link {} pass through this device", ticked(link)))
                .help("write the device that the packets come from, such as `ppp0` or `br-lan`"),
        );
    }
}

#[cfg(test)]
#[path = "own_device_tests.rs"]
mod tests;
