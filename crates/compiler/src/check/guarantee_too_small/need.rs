//! Packets that a class must carry in time.

pub(super) use crate::derive::URGENT;
use crate::derive::{Packet, VOICE};
use crate::model::{Direction, Model};
use crate::units::{Micros, Rate};

/// Longest serialization delay of such a packet: the next one of the call comes 20 ms later.
const VOICE_DELAY: Micros = Micros::from_ms(20);

/// Longest serialization delay of a full packet in all other classes. TCP's first retransmission timeout is one second
/// (RFC 6298), and a round trip with a few packets must fit into it.
const FULL_DELAY: Micros = Micros::from_ms(250);

/// Step of the guarantees that people write, in bit/s.
pub(super) const STEP: u64 = 10_000;

/// Packet that a class must carry in time.
#[derive(Clone, Copy)]
pub(in crate::check) struct Need {
    pub(super) priority: u8,
    /// IP bytes of the packet, and its bytes on the wire.
    pub(super) ip: u64,
    pub(super) wire: u64,
    /// Longest acceptable serialization delay.
    pub(super) longest: Micros,
}

impl Need {
    pub(in crate::check) fn of(model: &Model, priority: u8) -> Need {
        let packet = Packet::of(&model.link);
        let mtu = u64::from(packet.mtu);
        let (ip, longest) =
            if priority <= URGENT { (u64::from(VOICE).min(mtu), VOICE_DELAY) } else { (mtu, FULL_DELAY) };
        Need { priority, ip, wire: packet.wire.bytes(ip), longest }
    }

    pub(in crate::check) fn delay(self, guarantee: Rate) -> Micros {
        guarantee.time_for(self.wire)
    }

    pub(in crate::check) fn is_met(self, guarantee: Rate) -> bool {
        self.delay(guarantee) <= self.longest
    }

    /// Returns the smallest guarantee that meets the need.
    pub(in crate::check) fn exactly(self) -> Rate {
        Rate::from_bps((self.wire * 8_000_000).div_ceil(self.longest.us()))
    }

    /// Returns this guarantee, rounded up to a value that people write.
    pub(in crate::check) fn rounded(self) -> Rate {
        Rate::from_bps(self.exactly().bps().next_multiple_of(STEP))
    }

    pub(in crate::check) fn packet(self) -> String {
        match self.priority {
            0..=URGENT => format!("a packet of {} bytes", self.ip),
            _ => format!("a full packet of {} bytes", self.ip),
        }
    }
}

/// Returns the directions in which HTB guarantees rates.
pub(in crate::check) fn guaranteed(model: &Model) -> impl Iterator<Item = Direction> {
    model.link.shaped_directions().filter(|direction| model.cake.get(*direction).is_none())
}
