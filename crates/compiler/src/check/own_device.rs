#![doc = include_str!("../../../../docs/rules/Q0614.md")]

use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::Model;
use crate::tc::own_device_names;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let link = ticked(model.name.value.as_str());
    let own = own_device_names(&model.name.value);
    let [.., probe, uploads] = &own;
    let tunnels = model.tunnels.iter().filter_map(|tunnel| tunnel.device.as_ref());
    for device in model.link.all_devices().chain(&model.lan.devices).chain(tunnels) {
        let name = device.value.as_str();
        let Some(place) = device.given_at().filter(|_| own.iter().any(|own| own == name)) else { continue };
        let purpose = match name {
            name if name == probe => {
                format!("the script of link {link} tries out lines of tc on this device")
            }
            name if name == uploads => {
                format!("with `inner: match`, the uploads of link {link} pass through this device")
            }
            _ => format!("the downloads of link {link} pass through this device"),
        };
        sink.push(
            Diagnostic::new(
                Code::OwnDevice,
                place,
                format!("the script itself creates and removes {}", ticked(name)),
            )
            .label(purpose)
            .help("write the device that the packets come from, such as `ppp0` or `br-lan`"),
        );
    }
}

#[cfg(test)]
#[path = "own_device_tests.rs"]
mod tests;
