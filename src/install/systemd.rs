//! A unit that follows the device.

use super::names::Names;
use super::parts::{File, Parts};
use super::{debian, sandbox};
use crate::tc::Program;
use std::fmt::Write as _;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let tag = &names.tag;
    let sandbox: Vec<String> =
        sandbox::settings(program).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    let unit = include_str!("../../templates/install/unit.service")
        .replace("@SANDBOX@", &sandbox.join("\n"))
        .replace("@UNIT@", &device_unit(names.device));
    let mut services = format!("{tag}.service");
    let mut files = vec![
        File::plain(format!("/etc/systemd/system/{services}"), names.fill(&unit)),
        File::plain(
            format!("/etc/modules-load.d/{tag}.conf"),
            names.fill(include_str!("../../templates/install/modules-load.conf")),
        ),
        File::plain(
            format!("/etc/modprobe.d/{tag}.conf"),
            names.fill(include_str!("../../templates/install/modprobe.conf")),
        ),
    ];
    if !names.tunnels.is_empty() {
        let units: Vec<String> = names.tunnels.iter().map(|device| device_unit(device)).collect();
        let tunnels = include_str!("../../templates/install/tunnels.service")
            .replace("@TUNNEL_UNITS@", &units.join(" "));
        let service = format!("{tag}-tunnels.service");
        files.push(File::plain(format!("/etc/systemd/system/{service}"), names.fill(&tunnels)));
        services = format!("{services} {service}");
    }
    Parts {
        files,
        enable: vec![
            debian::install(program),
            format!("systemctl daemon-reload && systemctl enable --now {services}"),
        ],
        disable: vec![format!("systemctl disable --now {services}")],
        afterwards: vec!["systemctl daemon-reload".to_owned()],
    }
}

/// Returns the name of the unit that stands for a network device, as `systemd-escape` writes it.
pub(super) fn device_unit(device: &str) -> String {
    let mut unit = "sys-subsystem-net-devices-".to_owned();
    for byte in device.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'.') {
            unit.push(char::from(byte));
        } else {
            let _ = write!(unit, "\\x{byte:02x}");
        }
    }
    unit + ".device"
}

#[cfg(test)]
#[path = "systemd_tests.rs"]
mod tests;
