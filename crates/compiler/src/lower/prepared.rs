//! The model as lowering reads it: lists that every alternative needs, and the budget that all alternatives share.

use crate::budget::{self, Budget};
use crate::model::{Direction, Inner, Model, PerDirection, Tunnel, TunnelKind};
use crate::units::{Family, IfName};

/// A model, its tunnels that matches look into, and the budget.
pub(super) struct Prepared<'a> {
    pub(super) model: &'a Model,
    /// Tunnels whose inner packets are matched, in the order of the file.
    pub(super) searched: Vec<&'a Tunnel>,
    /// Tunnels whose packets are queued at their device: index, device, and `true` if addresses are translated there.
    pub(super) decrypted: PerDirection<Vec<(usize, &'a IfName, bool)>>,
    /// Pairs of an outer and an inner family that a searched tunnel can have.
    families: Vec<(Family, Family)>,
    budget: Budget,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(model: &'a Model, budget: &Budget) -> Prepared<'a> {
        let decrypted = |direction| {
            let tunnels = model.tunnels.iter().enumerate();
            let seen = tunnels.filter_map(|(index, tunnel): (usize, &Tunnel)| {
                Some((index, &tunnel.seen_at_device(direction)?.0.value, tunnel.nat.value))
            });
            seen.collect()
        };
        let searched: Vec<&Tunnel> = model.tunnels.iter().filter(|tunnel| matched(tunnel)).collect();
        let families = [Family::Ipv4, Family::Ipv6];
        let families = families.into_iter().flat_map(|outer| families.map(|inner| (outer, inner)));
        let is_carried = |(outer, inner): &(Family, Family)| {
            searched.iter().any(|tunnel| can_carry(tunnel, *outer, *inner))
        };
        Prepared {
            model,
            families: families.filter(is_carried).collect(),
            searched,
            decrypted: PerDirection { up: decrypted(Direction::Up), down: decrypted(Direction::Down) },
            budget: budget.clone(),
        }
    }

    /// Returns `true` if a tunnel whose inner packets are matched can carry `inner` in packets of `outer`.
    pub(super) fn is_carried(&self, outer: Family, inner: Family) -> bool {
        self.families.contains(&(outer, inner))
    }

    /// Charges filters of the script.
    pub(super) fn add_filters(&self, filters: usize) {
        self.budget.charge(filters, budget::FILTER);
    }

    /// Charges combinations with tunnels or with the matches of parent classes.
    pub(super) fn add_steps(&self, steps: usize) {
        self.budget.charge(steps, budget::COMBINATION);
    }

    /// Charges intersections, in the unit of [`SelectorIndex::cost`](super::intersect::SelectorIndex::cost).
    pub(super) fn add_cost(&self, cost: usize) {
        self.budget.charge(cost / 8, budget::COMPARISON);
    }

    /// Returns `true` if no budget is left for further matches.
    pub(super) fn is_over(&self) -> bool {
        self.budget.is_used_up()
    }
}

/// Returns `true` if classes match the packets inside the tunnel.
pub(super) fn matched(tunnel: &Tunnel) -> bool {
    tunnel.inner.value == Inner::Match
}

/// Returns `true` if an outer packet of `family` can carry packets of `inner`.
pub(super) const fn can_carry(tunnel: &Tunnel, family: Family, inner: Family) -> bool {
    match (tunnel.kind, family) {
        (TunnelKind::Ipip, Family::Ipv4) => matches!(inner, Family::Ipv4),
        (TunnelKind::Sit, Family::Ipv4) => matches!(inner, Family::Ipv6),
        (TunnelKind::Gre, Family::Ipv4)
        | (TunnelKind::Ip6tnl | TunnelKind::Ip6gre, Family::Ipv6)
        | (TunnelKind::Vxlan, _) => true,
        (TunnelKind::Ipip | TunnelKind::Sit | TunnelKind::Gre, Family::Ipv6)
        | (TunnelKind::Ip6tnl | TunnelKind::Ip6gre, Family::Ipv4)
        | (TunnelKind::Wireguard | TunnelKind::Openvpn | TunnelKind::L2tp | TunnelKind::Other, _) => false,
    }
}
