//! Scenarios that measure every class while each other class is full.

use super::crowds::played;
use super::{Draft, Played, ScenarioBuilder, ScenarioKind, names};
use crate::lab::packet_spec::PacketSpec;
use crate::lab::protocol::What;
use crate::lab::times::Window;
use qosc_compiler::model::{Class, Direction};
use qosc_compiler::units::Protocol;

/// Highest rate of a class's stream in bit/s, and the bytes of its packets.
const STREAM: (u64, usize) = (64_000, 200);
const LENGTH: u32 = 200;
/// Lowest rate of a class's stream in bit/s. Fewer packets would give no useful figures.
const SLOWEST: u64 = 8_000;
/// Bytes of a ping.
const PING_LENGTH: u32 = 64;
/// Microseconds between two pings; bytes of a fetch, and microseconds to the next fetch.
const PING: u64 = 20_000;
const FETCH: (u64, u64) = (20_000, 200_000);
/// Milliseconds until all our queues are full, of the measurement, and until the queues are empty.
const TIMES: (u64, u64, u64) = (2_500, 6_000, 1_500);
/// Bytes of the packets that fill a class.
const FULL: u32 = 1_400;
/// Number of TCP flows that fill a class without UDP.
const FLOWS: usize = 4;

/// Name of a class's record, by its index among the leaf classes and the direction.
pub(in crate::lab) fn name(leaf: usize, direction: Direction) -> String {
    format!("class-{leaf}-{}", direction.as_str())
}

/// Method that measures a class.
pub(in crate::lab) const fn by(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::UDP => "stream",
        Protocol::TCP => "fetch",
        _ => "ping",
    }
}

impl ScenarioBuilder<'_> {
    /// Returns packets that measure a class; UDP if the class gets any.
    #[must_use]
    pub fn probe(&self, leaf: &Class, direction: Direction) -> Option<PacketSpec> {
        let wanted = [
            (Protocol::UDP, LENGTH),
            (Protocol::ICMP, PING_LENGTH),
            (Protocol::ICMPV6, PING_LENGTH),
            (Protocol::TCP, self.full()),
        ];
        self.finder.of_leaf(leaf, direction, None, &wanted)
    }

    /// Adds the probe of the class with this index, if there is one.
    fn measured(
        &self,
        draft: &mut Draft,
        (place, leaf): (usize, &Class),
        direction: Direction,
        when: Window,
    ) {
        let Some(packet_spec) = self.probe(leaf, direction) else { return };
        let what = match packet_spec.protocol {
            Protocol::UDP => {
                let size = packet_spec.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(STREAM.1);
                let rate = (leaf.guarantee.get(direction).value.bps() / 3).clamp(SLOWEST, STREAM.0);
                let gap = u64::try_from(size).unwrap_or_default() * 8 * 1_000_000_000 / rate;
                What::Stream { up: direction == Direction::Up, gap, size, each: true }
            }
            Protocol::TCP => What::Fetch { bytes: FETCH.0, gap: FETCH.1 },
            _ => What::Ping { gap: PING },
        };
        // a fetch that has begun should end
        let to = if packet_spec.protocol == Protocol::TCP { when.to + TIMES.2 } else { when.to };
        self.add(draft, &name(place, direction), what, &packet_spec, Window { from: when.from, to });
    }

    /// Texts of the classes that the lab cannot fill.
    pub(in crate::lab) fn unfilled(&self) -> Vec<String> {
        let leaves = self.finder.model.leaves();
        let mut words = Vec::new();
        for direction in Direction::BOTH {
            for leaf in leaves.iter().filter(|leaf| self.filling(leaf, direction).is_none()) {
                let (name, word) = (&leaf.name, direction.as_str());
                words.push(format!(
                    "class `{name}` {word} as a load: no packet that the lab can send fills it"
                ));
            }
        }
        words
    }

    fn filling(&self, leaf: &Class, direction: Direction) -> Option<PacketSpec> {
        self.finder.of_leaf(leaf, direction, None, &[(Protocol::UDP, FULL), (Protocol::TCP, self.full())])
    }

    /// Returns the scenario with the probes of all classes in both directions, and nothing else.
    #[must_use]
    pub fn classes_idle(&self) -> Played {
        let mut draft = Draft::new();
        let probe = Window { from: 500, to: 500 + TIMES.1 };
        for direction in Direction::BOTH {
            for leaf in self.finder.model.leaves().into_iter().enumerate() {
                self.measured(&mut draft, leaf, direction, probe);
            }
        }
        let scenario = draft.scenario("classes-idle", "each class by itself", true, probe.to + 2 * TIMES.2);
        played(ScenarioKind::ClassesIdle, scenario, probe)
    }

    /// Returns the scenario with the probes of all other classes of a direction while this one is full; `None` if the
    /// lab cannot fill it.
    #[must_use]
    pub fn class_full(&self, full: usize, direction: Direction) -> Option<Played> {
        let leaves = self.finder.model.leaves();
        let class = leaves.get(full)?;
        let packet_spec = self.filling(class, direction)?;
        let mut draft = Draft::new();
        let probe = Window { from: TIMES.0, to: TIMES.0 + TIMES.1 };
        let all = Window { from: 0, to: probe.to + TIMES.2 };
        let up = direction == Direction::Up;
        if packet_spec.protocol == Protocol::UDP {
            let size = packet_spec.size.unwrap_or(FULL);
            let wire = self.finder.model.link.wire().bytes(u64::from(size));
            let rate = self.just_more(direction);
            let gap = (wire * 8 * 1_000_000_000).checked_div(rate).unwrap_or_default().max(20_000);
            let size = usize::try_from(size).unwrap_or_default();
            let what = What::Stream { up, gap, size, each: false };
            self.add(&mut draft, names::LOAD, what, &packet_spec, all);
        } else {
            for _ in 0..FLOWS {
                self.add(&mut draft, names::LOAD, What::Bulk { up }, &packet_spec, all);
            }
        }
        for (place, leaf) in leaves.iter().enumerate().filter(|(place, _)| *place != full) {
            self.measured(&mut draft, (place, leaf), direction, probe);
        }
        let words = format!("class {} full {}", class.name, direction.as_str());
        let scenario = draft.scenario(&name(full, direction), &words, true, all.to + TIMES.2);
        Some(played(ScenarioKind::ClassFull(full, direction), scenario, probe))
    }
}
