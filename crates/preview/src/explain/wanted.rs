//! Arguments of an explanation.

use qosc_compiler::units::Micros;

/// IP bytes of a typical packet of a call. Its serialization delay is shown beside that of a full packet.
pub const PACKET_SIZE: u32 = 200;

/// Arguments of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Round trip time for the bandwidth-delay products; `None` stands for CoDel's interval.
    pub rtt: Option<Micros>,
    /// IP bytes of the packet whose serialization delay is shown beside that of a full packet.
    pub packet_size: u32,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted { rtt: None, packet_size: PACKET_SIZE }
    }
}
