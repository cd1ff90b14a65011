//! WireGuard's downloads, queued after they were decrypted: the packets around them pass the WAN device's ingress, and those
//! inside come to the same ifb from the ingress of the tunnel's own device.
//!
//! Which packets those are the file cannot say: the other end may move, and hosts of the house may have tunnels to the same
//! address. All that comes out of the device came to the port at which it listens, which only the router knows.

use super::why;
use crate::model::Model;
use crate::tc::{Action, Classifier, Decrypted, Dev, Filter, Hook};
use crate::units::Family;

/// The tunnels whose downloads are queued so.
pub(super) fn tunnels(model: &Model) -> Vec<Decrypted> {
    let of = |tunnel: &crate::model::Tunnel| {
        let (device, more) = tunnel.decrypted()?;
        let why = why(&tunnel.name, "downloads, decrypted", Some(tunnel.span));
        Some(Decrypted { device: device.value.clone(), more: more.value, header: None, port: None, why })
    };
    model.tunnels.iter().filter_map(of).collect()
}

/// What lets the packets around them through, before anything at the ingress takes them: they are queued once.
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
