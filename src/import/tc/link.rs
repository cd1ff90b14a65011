//! Devices of a link.

use super::read::{Device, Qdisc};
use super::root::Root;
use crate::terms::{Direction, PerDirection};

/// Devices of a link with their shapers.
pub(super) struct Link<'a> {
    pub(super) name: &'a str,
    pub(super) devices: PerDirection<Option<&'a Device>>,
    pub(super) roots: PerDirection<Option<Root<'a>>>,
}

impl<'a> Link<'a> {
    /// Returns the shaper of a direction.
    pub(super) const fn root(&self, direction: Direction) -> Option<&Root<'a>> {
        self.roots.get(direction).as_ref()
    }

    /// Returns `true` if HTB or TBF shapes a direction.
    pub(super) fn has_htb(&self, direction: Direction) -> bool {
        self.root(direction).is_some_and(|root| root.cake.is_none())
    }

    /// Returns the qdiscs of both directions.
    pub(super) fn qdiscs(&self) -> impl Iterator<Item = (Direction, &'a Qdisc)> {
        let of = |one: Direction| self.devices.get(one).iter().flat_map(|device| &device.qdiscs);
        Direction::BOTH.into_iter().flat_map(move |one| of(one).map(move |qdisc| (one, qdisc)))
    }
}
