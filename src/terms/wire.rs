//! What a packet costs on the line.

use super::Layer;
use serde::Serialize;

/// Bytes of an ATM cell, and of the payload in it (ITU-T I.361).
const CELL: u64 = 53;
const CELL_PAYLOAD: u64 = 48;

/// How a line charges packets: enough to compute the bytes on the wire for any packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Wire {
    /// How the line carries a packet.
    pub layer: Layer,
    /// Bytes on the line above each IP packet.
    pub overhead: u32,
    /// A packet is never charged less than this many bytes, overhead included; 0 for none.
    pub mpu: u32,
}

impl Wire {
    /// Bytes on the line for an IP packet of `ip` bytes: `n = max(ip + overhead, mpu)`, and in ATM cells
    /// `ceil(n / 48) x 53`. PTM's 64/65 is taken off the rate and not here.
    #[must_use]
    pub fn bytes(self, ip: u64) -> u64 {
        let plain = ip.saturating_add(u64::from(self.overhead)).max(u64::from(self.mpu));
        match self.layer {
            Layer::Ethernet | Layer::Ptm => plain,
            Layer::Atm => plain.div_ceil(CELL_PAYLOAD).saturating_mul(CELL),
        }
    }
}
