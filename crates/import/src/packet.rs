//! Conditions on packets by their source and destination, as other tools state them.

use super::config::Match;
use qosc_compiler::terms::Direction;
use qosc_compiler::units::{Address, PortRange, Protocol};

/// Conditions on packets by their source and destination.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    /// Conditions that are the same for both ends.
    pub(super) base: Match,
    pub(super) src: Vec<Address>,
    pub(super) dst: Vec<Address>,
    pub(super) sport: Vec<PortRange>,
    pub(super) dport: Vec<PortRange>,
}

impl Conditions {
    /// Adds the two protocols that have ports if a port stands without a protocol. Returns `true` if it did.
    ///
    /// # Errors
    /// Returns a protocol without ports that stands with a port.
    pub(super) fn add_protocols(&mut self) -> Result<bool, Protocol> {
        if [&self.base.port, &self.sport, &self.dport].iter().all(|ports| ports.is_empty()) {
            return Ok(false);
        }
        let missing = self.base.protocol.is_empty() && self.base.tcp.is_empty();
        if missing {
            self.base.protocol = vec![Protocol::TCP, Protocol::UDP];
        }
        let without = self.base.protocol.iter().find(|protocol| !protocol.has_ports());
        without.map_or(Ok(missing), |protocol| Err(*protocol))
    }

    /// Returns the match for packets of a direction. Source and destination are those of packets of `viewpoint`.
    pub(super) fn of_direction(&self, direction: Direction, viewpoint: Direction) -> Match {
        let Conditions { base, src, dst, sport, dport } = self.clone();
        let direction = Some(direction);
        let ((local, local_port), (remote, remote_port)) = match viewpoint {
            Direction::Up => ((src, sport), (dst, dport)),
            Direction::Down => ((dst, dport), (src, sport)),
        };
        Match { local, remote, local_port, remote_port, direction, ..base }
    }
}
