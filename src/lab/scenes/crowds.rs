//! Many small packets, and many flows of one host.

use super::{Act, Author, Draft, LabError, Played, STREAM_LENGTH, names, stream_name, way_word};
use crate::lab::orders::What;
use crate::lab::times::Window;
use crate::model::Direction;
use crate::units::Protocol;

/// Bytes of a small IP packet.
pub(in crate::lab) const SMALL: u64 = 64;
const LENGTH: u32 = 64;
/// So many packets a second the guest makes at most.
const MOST: u64 = 60_000;
/// Until small packets fill all queues, and how long they are measured, in milliseconds.
const TIMES: (u64, u64) = (1_500, 4_000);
/// The name of the one flow's record; the eight are the load.
pub(in crate::lab) const ONE: &str = "one";

impl Author<'_> {
    /// As many packets of 64 bytes as the line takes, upwards a quarter more.
    ///
    /// # Errors
    /// When the household takes plain packets nowhere.
    pub fn small(&self, way: Direction, shaped: bool) -> Result<Played, LabError> {
        let probe = Window { from: TIMES.0, to: TIMES.0 + TIMES.1 };
        let end = probe.to + self.pace.rest;
        let all = Window { from: 0, to: probe.to };
        let mut draft = Draft::new();
        let up = way == Direction::Up;
        let gap = 1_000_000_000 / self.needed(way).clamp(1, MOST);
        let size = usize::try_from(SMALL).unwrap_or_default();
        let flood = self.plain(self.cast.loader, Protocol::UDP, LENGTH)?;
        self.add(&mut draft, names::LOAD, What::Stream { up, gap, size, each: false }, &flood, all);
        self.ping(&mut draft, names::PING, self.cast.quiet, probe);
        let udp = self.plain(self.cast.quiet, Protocol::UDP, STREAM_LENGTH)?;
        self.stream(&mut draft, stream_name(way), &udp, up, probe);
        let (name, words) =
            (format!("small-{}", way_word(way)), format!("packets of {SMALL} bytes {}", words(way)));
        Ok(played(Act::Small(way), draft.scene(&name, &words, shaped, end), probe))
    }

    /// Packets a second of a small flood that fills this direction.
    fn needed(&self, way: Direction) -> u64 {
        let each = self.finder.model.link.wire().bytes(SMALL);
        // downwards no more than the line carries: what queues at the provider's end, no router holds back
        let rate = match way {
            Direction::Up => self.finder.stand.rate.up.bps() * 5 / 4,
            Direction::Down => self.just_more(way),
        };
        rate / 8 / each.max(1)
    }

    /// Directions that small packets do not fill, each in words.
    pub(in crate::lab) fn unfilled_by_small(&self) -> Vec<String> {
        let short = Direction::BOTH.into_iter().filter(|way| self.needed(*way) > MOST);
        short
            .map(|way| {
                format!("a line full of small packets {}: the lab sends {MOST} a second at most", words(way))
            })
            .collect()
    }

    /// One bulk flow of a host beside eight of another.
    ///
    /// # Errors
    /// When the household takes plain packets nowhere.
    pub fn flows(&self, way: Direction, shaped: bool) -> Result<Played, LabError> {
        let probe = Window { from: self.pace.warm, to: self.pace.warm + self.pace.probe };
        let end = probe.to + self.pace.rest;
        let all = Window { from: 0, to: probe.to };
        let mut draft = Draft::new();
        let up = way == Direction::Up;
        let one = self.plain_tcp(self.cast.loader)?;
        self.add(&mut draft, ONE, What::Bulk { up }, &one, all);
        let other = self.plain_tcp(self.cast.second)?;
        for _ in 0..8 {
            self.add(&mut draft, names::LOAD, What::Bulk { up }, &other, all);
        }
        self.ping(&mut draft, names::PING, self.cast.quiet, probe);
        let (name, words) =
            (format!("flows-{}", way_word(way)), format!("one flow against eight {}", words(way)));
        Ok(played(Act::Flows(way), draft.scene(&name, &words, shaped, end), probe))
    }
}

const fn words(way: Direction) -> &'static str {
    match way {
        Direction::Up => "upwards",
        Direction::Down => "downwards",
    }
}

/// A scene of one part.
pub(super) const fn played(act: Act, scene: crate::lab::orders::Scene, probe: Window) -> Played {
    Played { act, scene, probe, fetch: probe, beside: (probe, probe) }
}
