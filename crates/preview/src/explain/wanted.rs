//! Arguments of an explanation.

pub use qosc_compiler::derive::VOICE as PACKET_SIZE;
use qosc_compiler::units::Micros;

/// Arguments of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Round trip time for the bandwidth-delay products; `None` stands for CoDel's interval.
    pub rtt: Option<Micros>,
    /// IP bytes of the packet whose serialization delay is shown beside that of a full packet, and of the packets of
    /// urgent classes.
    pub packet_size: u32,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted { rtt: None, packet_size: PACKET_SIZE }
    }
}
