//! Cost of a packet on the line.

use super::Layer;
use serde::Serialize;

/// Bytes of an ATM cell; `CELL_PAYLOAD` is the payload in it (ITU-T I.361).
const CELL: u64 = 53;
const CELL_PAYLOAD: u64 = 48;

/// Charging rules of a line, which determine the bytes of any packet on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Wire {
    /// Encapsulation that carries packets on the line.
    pub layer: Layer,
    /// Bytes on the line above each IP packet.
    pub overhead: u32,
    /// Minimum charge of a packet in bytes, overhead included; 0 for none.
    pub mpu: u32,
}

impl Wire {
    /// Returns the bytes on the line for an IP packet of `ip` bytes: `n = max(ip + overhead, mpu)`, and in ATM cells
    /// `ceil(n / 48) x 53`. PTM's 64/65 reduces the rate and is not counted here.
    #[must_use]
    pub fn bytes(self, ip: u64) -> u64 {
        let plain = ip.saturating_add(u64::from(self.overhead)).max(u64::from(self.mpu));
        match self.layer {
            Layer::Ethernet | Layer::Ptm => plain,
            Layer::Atm => plain.div_ceil(CELL_PAYLOAD).saturating_mul(CELL),
        }
    }
}
