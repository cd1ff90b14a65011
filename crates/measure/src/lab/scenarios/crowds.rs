//! Scenarios with many small packets, and with many flows of one host.

use super::{Draft, Played, STREAM_LENGTH, ScenarioBuilder, ScenarioKind, names, stream_name};
use crate::lab::protocol::What;
use crate::lab::times::Window;
use qosc_compiler::model::{Direction, PerDirection};
use qosc_compiler::units::Protocol;

/// Bytes of a small IP packet.
pub(in crate::lab) const SMALL: u64 = 64;
const LENGTH: u32 = 64;
/// Highest packet rate of the guest, per second.
const MOST: u64 = 60_000;
/// Milliseconds until a sender of downloads knows the router's address, until small packets fill all queues, and of the
/// measurement.
const TIMES: (u64, u64, u64) = (100, 1_500, 4_000);
/// Name of the one flow's record. The eight flows are the load.
pub(in crate::lab) const ONE: &str = "one";

impl ScenarioBuilder<'_> {
    /// Returns the scenario with packets of 64 bytes: slightly more downloads than the shaped rate, or a quarter more
    /// uploads than the line takes.
    ///
    /// # Errors
    /// Returns an error if no plain packets reach the default class.
    pub fn small(&self, direction: Direction, shaped: bool) -> Result<Played, String> {
        let probe = Window { from: TIMES.1, to: TIMES.1 + TIMES.2 };
        let end = probe.to + self.pace.rest;
        let all = Window { from: TIMES.0, to: probe.to };
        let mut draft = Draft::new();
        let up = direction == Direction::Up;
        let gap = 1_000_000_000 / self.needed(direction).clamp(1, MOST);
        let size = usize::try_from(SMALL).unwrap_or_default();
        let flood = self.plain(self.roles.loader, Protocol::UDP, LENGTH)?;
        self.add(&mut draft, names::LOAD, What::Stream { up, gap, size, each: false }, &flood, all);
        self.ping(&mut draft, names::PING, self.roles.quiet, probe);
        let udp = self.plain(self.roles.quiet, Protocol::UDP, STREAM_LENGTH)?;
        self.stream(&mut draft, stream_name(direction), &udp, up, probe);
        let word = direction.as_str();
        let (name, words) = (format!("small-{word}"), format!("packets of {SMALL} bytes {word}"));
        Ok(played(ScenarioKind::Small(direction), draft.scenario(&name, &words, shaped, end), probe))
    }

    /// Returns the packets per second of a small-packet flood that fills this direction.
    fn needed(&self, direction: Direction) -> u64 {
        let each = self.finder.model.link.wire().bytes(SMALL);
        // a higher download rate would fill the provider's queue, which no router can prevent
        let rate = match direction {
            Direction::Up => self.finder.topology.rate.up.bps() * 5 / 4,
            Direction::Down => self.just_more(direction),
        };
        rate / 8 / each.max(1)
    }

    /// Texts of the directions that small packets cannot fill.
    pub(in crate::lab) fn unfilled_by_small(&self) -> Vec<String> {
        let short = Direction::BOTH.into_iter().filter(|direction| self.needed(*direction) > MOST);
        let words = short.map(|direction| {
            let word = direction.as_str();
            format!("a line full of small packets {word}: the lab sends at most {MOST} per second")
        });
        words.collect()
    }

    /// Returns the scenario with one bulk flow of a host beside eight of another host.
    ///
    /// # Errors
    /// Returns an error if no plain packets reach the default class.
    pub fn flows(&self, direction: Direction, shaped: bool) -> Result<Played, String> {
        let probe = Window { from: self.pace.warm, to: self.pace.warm + self.pace.probe };
        let end = probe.to + self.pace.rest;
        let all = Window { from: 0, to: probe.to };
        let mut draft = Draft::new();
        let up = direction == Direction::Up;
        let one = self.plain_tcp(self.roles.loader)?;
        self.add(&mut draft, ONE, What::Bulk { up }, &one, all);
        let other = self.plain_tcp(self.roles.second)?;
        for _ in 0..8 {
            self.add(&mut draft, names::LOAD, What::Bulk { up }, &other, all);
        }
        self.ping(&mut draft, names::PING, self.roles.quiet, probe);
        let word = direction.as_str();
        let (name, words) = (format!("flows-{word}"), format!("one flow against eight {word}"));
        Ok(played(ScenarioKind::Flows(direction), draft.scenario(&name, &words, shaped, end), probe))
    }
}

/// Returns a scenario whose results all count in one period.
pub(super) const fn played(
    kind: ScenarioKind,
    scenario: crate::lab::protocol::Scenario,
    probe: Window,
) -> Played {
    Played { kind, scenario, probe, fetch: probe, beside: PerDirection { up: probe, down: probe } }
}
