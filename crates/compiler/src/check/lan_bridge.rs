#![doc = include_str!("../../../../docs/rules/Q0618.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::Model;

/// OpenWrt's name for the bridge of the LAN's ports.
const OPENWRT: &str = "br-lan";

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let wan = &model.link.device;
    let place = wan.given_at().filter(|_| applies(model))?;
    let name = wan.value.as_str();
    let message = match name {
        OPENWRT => format!("{} is OpenWrt's LAN bridge, not a WAN device", ticked(name)),
        _ => format!("{} is a LAN bridge, not a WAN device", ticked(name)),
    };
    let named = model.lan.devices.iter().find(|lan| lan.value == wan.value);
    Some(
        Diagnostic::new(Code::LanBridge, place, message)
            .label("packets that leave here go to the LAN: upload and download would be swapped")
            .also_at(named.and_then(|lan| Some((lan.given_at()?, "named as a LAN device here"))))
            .help("write the device that leads to the provider, such as `device: wan`, `device: eth1` or `device: pppoe-wan`; `ip route show default` prints its name"),
    )
}

/// True if the WAN device is certainly a bridge of the LAN: it has OpenWrt's name for one, or `lan` names the same bridge.
pub(super) fn applies(model: &Model) -> bool {
    let wan = &model.link.device.value;
    let is_bridge = wan.as_str().starts_with("br");
    wan.as_str() == OPENWRT || is_bridge && model.lan.devices.iter().any(|lan| lan.value == *wan)
}

#[cfg(test)]
#[path = "lan_bridge_tests.rs"]
mod tests;
