//! Flow labels of IPv6 tunnels, which hide the flows inside: a queue that finds a label looks no deeper.
//!
//! Linux takes the label of an ip6tnl's or ip6gre's packet from the hash of the packet inside where that is known, which
//! on the way through a router it is not, and then from the outer header: all flows have the same one.

use super::why;
use crate::model::{Direction, Frames, Inner, Model, Tunnel, TunnelKind};
use crate::tc::{Action, Classifier, Dev, Filter, FilterProtocol, Hook, Sysctl};
use crate::units::Family;

/// The tunnels whose label would hide what the classes are to see.
fn hidden(model: &Model) -> impl Iterator<Item = &Tunnel> {
    let labelled = |tunnel: &&Tunnel| matches!(tunnel.kind, TunnelKind::Ip6tnl | TunnelKind::Ip6gre);
    model.tunnels.iter().filter(labelled).filter(|tunnel| tunnel.inner.value != Inner::Opaque)
}

/// That this router makes no labels of its own: those of the hosts behind it stay.
pub(super) fn sysctl(model: &Model) -> Option<Sysctl> {
    hidden(model).next()?;
    Some(Sysctl { path: "net/ipv6/auto_flowlabels", value: "0".to_owned() })
}

/// What clears the labels that the other ends made, before downloads are queued. The header goes when the packet is
/// unwrapped.
pub(super) fn filters(model: &Model, mut pref: impl FnMut() -> u16) -> Vec<Filter> {
    // in a PPPoE frame the header stands elsewhere
    if !model.link.shapes(Direction::Down) || model.link.frames.value == Frames::Pppoe {
        return Vec::new();
    }
    let mut filters = Vec::new();
    for tunnel in hidden(model) {
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
