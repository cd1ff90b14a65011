#![doc = include_str!("../../../../docs/rules/Q0806.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Model, Tunnel};

pub(super) fn find(model: &Model, tunnel: &Tunnel) -> Option<Diagnostic> {
    let device = tunnel.device.as_ref()?;
    let wan = model.link.all_devices().find(|own| own.value == device.value)?;
    let which = if *wan == model.link.device { "the WAN device" } else { "in `link.devices`" };
    let message = format!("the device of tunnel {} is {which}", ticked(&tunnel.name));
    Some(
        Diagnostic::new(Code::TunnelIsWan, device.given_at()?, message)
            .label("packets pass here before encapsulation, so none of them belongs to the tunnel")
            .also_at(wan.given_at().map(|span| (span, "a device of the line")))
            .help("in `link`, write the device that sends the encapsulated packets, such as `device: ppp0`; if the tunnel itself is the line, remove it from `tunnels`"),
    )
}
