//! Queues WireGuard's downloads after decryption. The outer packets pass the ingress of the WAN device, and the inner
//! ones reach the same ifb from the ingress of the tunnel device.
//!
//! The file cannot describe the outer packets: the remote end may move, and hosts in the LAN may have tunnels to the
//! same address. Everything from the device arrived on the port on which it listens, and only the router knows that
//! port.

use super::terms::why;
use crate::model::Model;
use crate::tc::{Action, Classifier, Decrypted, Dev, Filter, Hook};
use crate::units::Family;

/// Returns the tunnels whose downloads are queued after decryption.
pub(super) fn tunnels(model: &Model) -> Vec<Decrypted> {
    let of = |tunnel: &crate::model::Tunnel| {
        let (device, more) = tunnel.decrypted()?;
        let why = why(&tunnel.name, "downloads, decrypted", Some(tunnel.span));
        Some(Decrypted { device: device.value.clone(), more: more.value, header: None, port: None, why })
    };
    model.tunnels.iter().filter_map(of).collect()
}

/// Returns filters that let the outer packets pass before other ingress filters see them, so that downloads are queued
/// only once.
pub(super) fn passes(model: &Model, mut pref: impl FnMut(Family) -> u16) -> Vec<Filter> {
    let mut filters = Vec::new();
    for tunnel in &model.tunnels {
        let Some((device, _)) = tunnel.decrypted() else { continue };
        for family in [Family::Ipv4, Family::Ipv6] {
            filters.push(Filter {
                dev: Dev::Wan,
                hook: Hook::Ingress,
                pref: pref(family),
                protocol: super::frame::plain(family),
                selector: super::selectors::whole_udp(family),
                classifier: Classifier::U32,
                flowid: None,
                actions: vec![Action::Pass],
                with: Some(device.value.clone()),
                why: why(&tunnel.name, "queued when decrypted", Some(tunnel.span)),
            });
        }
    }
    filters
}
