//! Clears the flow labels of IPv6 tunnels. They hide the inner flows, because a queue that finds a label does not look
//! further.
//!
//! Linux derives the label of an ip6tnl or ip6gre packet from the hash of the inner packet if it knows the hash. A
//! forwarded packet has no hash, so the label comes from the outer header and is the same for all flows.

use super::terms::why;
use crate::model::{Direction, Frames, Inner, Model, Tunnel, TunnelKind};
use crate::tc::{Action, Classifier, Dev, Filter, FilterProtocol, Hook, Sysctl};
use crate::units::Family;

/// Returns the tunnels whose label would hide the flows that classes should see.
fn hidden(model: &Model) -> impl Iterator<Item = &Tunnel> {
    let labelled = |tunnel: &&Tunnel| matches!(tunnel.kind, TunnelKind::Ip6tnl | TunnelKind::Ip6gre);
    model.tunnels.iter().filter(labelled).filter(|tunnel| tunnel.inner.value != Inner::Opaque)
}

/// Returns the setting that stops this router from creating labels. Labels of the hosts behind it remain.
pub(super) fn sysctl(model: &Model) -> Option<Sysctl> {
    hidden(model).next()?;
    Some(Sysctl { path: "net/ipv6/auto_flowlabels", value: "0".to_owned() })
}

/// Returns filters that clear the labels from the remote ends before downloads are queued. Nothing is lost, because the
/// outer header disappears when the packet is unwrapped.
pub(super) fn filters(model: &Model, mut pref: impl FnMut() -> u16) -> Vec<Filter> {
    // in a PPPoE frame, the header has another offset
    if !model.link.shapes(Direction::Down) || model.link.frames.value == Frames::Pppoe {
        return Vec::new();
    }
    let mut filters = Vec::new();
    for tunnel in hidden(model).filter(|tunnel| tunnel.decrypted().is_none()) {
        for selector in super::selectors::tunnel(tunnel, Direction::Down, Family::Ipv6) {
            filters.push(Filter {
                dev: Dev::Wan,
                hook: Hook::Ingress,
                pref: pref(),
                protocol: FilterProtocol::Ipv6,
                selector,
                classifier: Classifier::U32,
                flowid: None,
                actions: vec![Action::ClearLabel],
                with: None,
                why: why(&tunnel.name, "flow label", Some(tunnel.span)),
            });
        }
    }
    filters
}

#[cfg(test)]
#[path = "labels_tests.rs"]
mod tests;
