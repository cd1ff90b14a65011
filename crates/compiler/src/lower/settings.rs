//! Lowers settings besides the qdiscs: sysctls, the WAN device's own queue, and devices whose offloads are turned off.

use crate::model::{Model, PerDirection, Tcp};
use crate::tc::{Settings, Sysctl};
use crate::units::{Bytes, IfName};
use std::collections::BTreeSet;

/// Smallest and initial size of a socket's send buffer: the kernel's defaults (`tcp_wmem`).
const SEND: (u64, u64) = (4096, 16 << 10);

/// Smallest and initial size of a socket's receive buffer: the kernel's defaults (`tcp_rmem`).
const RECEIVE: (u64, u64) = (4096, 128 << 10);

/// Returns the settings of a link.
pub(super) fn settings(model: &Model) -> Settings {
    let tuning = &model.tuning;
    Settings {
        txqueuelen: tuning.txqueuelen.as_ref().map(|length| length.value),
        bql: tuning.bql.as_ref().map(|bytes| bytes.value),
        sysctls: sysctls(tuning.tcp.as_ref(), tuning.ecn.as_ref().map(|ecn| ecn.value))
            .into_iter()
            .chain(super::labels::sysctl(model))
            .collect(),
        split: PerDirection { up: tuning.split.up.value, down: tuning.split.down.value },
        receivers: receivers(model),
    }
}

fn sysctls(tcp: Option<&Tcp>, ecn: Option<bool>) -> Vec<Sysctl> {
    let mut sysctls = Vec::new();
    if let Some(tcp) = tcp {
        let (send, receive) = (tcp.send.value, tcp.receive.value);
        sysctls.push(Sysctl { path: "net/ipv4/tcp_rmem", value: three(RECEIVE, receive) });
        sysctls.push(Sysctl { path: "net/ipv4/tcp_wmem", value: three(SEND, send) });
        sysctls.push(Sysctl { path: "net/core/rmem_max", value: receive.get().to_string() });
        sysctls.push(Sysctl { path: "net/core/wmem_max", value: send.get().to_string() });
    }
    // 2 accepts ECN when asked, which is the kernel's default; 1 also asks for it
    let ecn = ecn.map(|asks| if asks { "1" } else { "2" });
    sysctls.extend(ecn.map(|value| Sysctl { path: "net/ipv4/tcp_ecn", value: value.to_owned() }));
    sysctls
}

/// Formats the smallest, initial and largest size. The first two are capped at the largest.
fn three((smallest, first): (u64, u64), largest: Bytes) -> String {
    let largest = largest.get();
    format!("{} {} {largest}", smallest.min(largest), first.min(largest))
}

/// Returns the devices on which uploads arrive, each once: LAN devices, then tunnels.
fn receivers(model: &Model) -> Vec<IfName> {
    let lan = model.lan.devices.iter();
    let tunnels = model.tunnels.iter().filter_map(|tunnel| tunnel.device.as_ref());
    let mut seen = BTreeSet::new();
    let devices = lan.chain(tunnels).map(|device| &device.value);
    devices.filter(|device| seen.insert(*device)).cloned().collect()
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
