//! HTB classes.

use super::{Dev, Handle, Parent, Why};
use crate::units::{Bytes, Rate};
use serde::Serialize;

/// How HTB and police charge a packet, `linklayer` to tc. PTM is taken off the rate, so there is no third.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkLayer {
    /// As one piece.
    Ethernet,
    /// In cells: `ceil(n / 48) x 53`.
    Atm,
}

/// An overhead in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Overhead {
    /// Above the IP packet: what the kernel must be told depends on the device's own header.
    AboveIp(u32),
    /// What the kernel is told: never negative, HTB and police take no less than 0.
    Told(u32),
}

/// What a packet is charged: `max(length + overhead, mpu)`, in cells where the layer is ATM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Charge {
    /// Added to each packet.
    pub overhead: Overhead,
    /// The least a packet is charged, overhead included, in bytes.
    pub mpu: u32,
    /// Cells or not.
    pub linklayer: LinkLayer,
}

/// A class of an HTB qdisc, every option given: what is left out of a `class replace` is reset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct HtbClass {
    /// The device.
    pub dev: Dev,
    /// The qdisc or the class above.
    pub parent: Parent,
    /// Its handle.
    pub id: Handle,
    /// Guaranteed rate.
    pub rate: Rate,
    /// Ceiling.
    pub ceil: Rate,
    /// Bucket of the rate.
    pub burst: Bytes,
    /// Bucket of the ceiling.
    pub cburst: Bytes,
    /// 0 to 7. The kernel keeps it for leaves only.
    pub prio: u8,
    /// Bytes a turn. The kernel keeps it for leaves only.
    pub quantum: u32,
    /// What a packet costs.
    pub charge: Charge,
    /// What it came from.
    pub why: Why,
}
