//! Queues downloads behind a tunnel's device if the outer packets do not show whose they are. This concerns WireGuard,
//! and tunnels at whose device the router translates addresses. The outer packets pass the ingress of the WAN device,
//! and the inner ones reach the same ifb from the ingress of the tunnel device.
//!
//! The file cannot describe the outer packets of WireGuard: the remote end may move, and hosts in the LAN may have
//! tunnels to the same address. Everything from the device arrived on the port on which it listens, and only the router
//! knows that port. Other tunnels are known by protocol and remote end.

use super::terms::why;
use crate::model::{Direction, Model, TunnelKind};
use crate::tc::{Action, Classifier, Decrypted, Dev, Filter, Hook};
use crate::units::Family;

/// Returns the tunnels whose downloads are queued behind their device, and the other devices of the line. `restored` holds the actions that restore the
/// mark of a download, each with the mark that selects it.
pub(super) fn tunnels(model: &Model, restored: &[(u32, Action)]) -> Vec<Decrypted> {
    let of = |tunnel: &crate::model::Tunnel| {
        let (device, more) = tunnel.decrypted()?;
        let encrypts = tunnel.kind == TunnelKind::Wireguard;
        let what = match (encrypts, tunnel.queued_before_encryption()) {
            (true, Some(_)) => "packets, not encrypted",
            (true, None) => "downloads, decrypted",
            (false, _) => "downloads, unwrapped",
        };
        Some(Decrypted {
            device: device.value.clone(),
            more: Some(more.value),
            header: None,
            port: (!encrypts).then_some(0),
            uploads: tunnel.queued_before_encryption().is_some(),
            restored: if tunnel.nat.value { restored.to_vec() } else { Vec::new() },
            why: why(&tunnel.name, what, Some(tunnel.span)),
        })
    };
    let devices = model.link.devices.iter().map(|own| Decrypted {
        device: own.device.value.clone(),
        more: None,
        uploads: false,
        header: None,
        port: Some(0),
        restored: Vec::new(),
        why: why(own.device.value.as_str(), "downloads", own.device.span()),
    });
    model.tunnels.iter().filter_map(of).chain(devices).collect()
}

/// Returns filters that let the outer packets pass before other ingress filters see them, so that downloads are queued
/// only once.
pub(super) fn passes(model: &Model, mut pref: impl FnMut(Family) -> u16) -> Vec<Filter> {
    let mut filters = Vec::new();
    for tunnel in &model.tunnels {
        let Some((device, _)) = tunnel.decrypted() else { continue };
        for family in [Family::Ipv4, Family::Ipv6] {
            let (outer, what) = match tunnel.kind {
                TunnelKind::Wireguard => (vec![super::selectors::whole_udp(family)], "queued when decrypted"),
                _ => (super::selectors::tunnel(tunnel, Direction::Down, family), "queued when unwrapped"),
            };
            filters.extend(outer.into_iter().map(|selector| Filter {
                dev: Dev::Wan,
                hook: Hook::Ingress,
                pref: pref(family),
                protocol: super::frame::plain(family),
                selector,
                classifier: Classifier::U32,
                flowid: None,
                actions: vec![Action::Pass],
                with: Some(device.value.clone()),
                why: why(&tunnel.name, what, Some(tunnel.span)),
            }));
        }
    }
    filters
}
