//! Devices of a link.

use super::read::Device;
use super::root::Root;
use crate::terms::PerDirection;

/// Devices of a link with their shapers.
pub(super) struct Link<'a> {
    pub(super) name: &'a str,
    pub(super) devices: PerDirection<Option<&'a Device>>,
    pub(super) roots: PerDirection<Option<Root<'a>>>,
}
