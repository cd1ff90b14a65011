//! HTB classes.

use super::{Dev, Handle, Parent, Why};
use crate::units::{Bytes, Rate};
use serde::Serialize;

qosc_language::choices! {
    /// Form in which HTB and policers charge a packet; tc calls it `linklayer`. PTM needs no variant, because the rate
    /// already accounts for it.
    pub enum LinkLayer {
        /// The packet in one piece.
        Ethernet,
        /// The packet in ATM cells: `ceil(n / 48) x 53` bytes.
        Atm,
    }
}

/// An overhead in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Overhead {
    /// Bytes above the IP packet. The value for the kernel depends on the header of the device.
    AboveIp(u32),
    /// The value for the kernel. HTB and policers accept no negative overhead.
    #[serde(rename = "told")]
    Fixed(u32),
}

/// Charged size of a packet: `max(length + overhead, mpu)`, rounded up to cells on ATM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Charge {
    /// Bytes added to each packet.
    pub overhead: Overhead,
    /// Minimum charge of a packet in bytes, overhead included.
    pub mpu: u32,
    /// Cells or whole packets.
    pub linklayer: LinkLayer,
}

/// A class of an HTB qdisc. It sets every option, because `class replace` resets omitted options.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct HtbClass {
    /// Device of the class.
    pub dev: Dev,
    /// Parent class, or the qdisc.
    pub parent: Parent,
    /// Handle of the class.
    pub id: Handle,
    /// Guaranteed rate.
    pub rate: Rate,
    /// Ceiling.
    pub ceil: Rate,
    /// Bucket of the guaranteed rate in bytes.
    pub burst: Bytes,
    /// Bucket of the ceiling in bytes.
    pub cburst: Bytes,
    /// Priority from 0 to 7. The kernel only keeps it for leaf classes.
    pub prio: u8,
    /// Quantum in bytes. The kernel only keeps it for leaf classes.
    pub quantum: u32,
    /// Cost of a packet.
    pub charge: Charge,
    /// Origin of the class.
    pub why: Why,
}
