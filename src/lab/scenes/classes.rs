//! Every class under load of each other.

use super::crowds::played;
use super::{Act, Author, Draft, Played, names, way_word};
use crate::lab::orders::What;
use crate::lab::recipe::Recipe;
use crate::lab::times::Window;
use crate::model::{Class, Direction};
use crate::units::Protocol;

/// The stream of a class: bits a second at most, and bytes of its packets.
const STREAM: (u64, usize) = (64_000, 200);
const LENGTH: u32 = 200;
/// What the stream of a class is never slower than, in bit/s: of fewer packets there is nothing to be said.
const SLOWEST: u64 = 8_000;
/// Bytes of a ping.
const PING_LENGTH: u32 = 64;
/// Microseconds between two pings; bytes of a fetch, and microseconds to the next.
const PING: u64 = 20_000;
const FETCH: (u64, u64) = (20_000, 200_000);
/// Until all queues of ours are as full as they get, how long it is measured, and until they are empty, in milliseconds.
const TIMES: (u64, u64, u64) = (2_500, 6_000, 1_500);
/// Bytes of the packets that fill a class.
const FULL: u32 = 1_400;
/// Flows of TCP that fill a class that takes no UDP.
const FLOWS: usize = 4;

/// What the record of a class is called, by its place among the leaves and its direction.
pub(in crate::lab) fn name(leaf: usize, way: Direction) -> String {
    format!("class-{leaf}-{}", way_word(way))
}

/// How a class is measured.
pub(in crate::lab) const fn by(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::UDP => "stream",
        Protocol::TCP => "fetch",
        _ => "ping",
    }
}

impl Author<'_> {
    /// Packets of a class that can be measured, of UDP where it takes some.
    #[must_use]
    pub fn probe(&self, leaf: &Class, way: Direction) -> Option<Recipe> {
        let wanted = [
            (Protocol::UDP, LENGTH),
            (Protocol::ICMP, PING_LENGTH),
            (Protocol::ICMPV6, PING_LENGTH),
            (Protocol::TCP, self.full()),
        ];
        self.finder.of_leaf(leaf, way, None, &wanted)
    }

    /// Adds what measures the class at this place, where there is something.
    fn measured(&self, draft: &mut Draft, (place, leaf): (usize, &Class), way: Direction, when: Window) {
        let Some(recipe) = self.probe(leaf, way) else { return };
        let what = match recipe.protocol {
            Protocol::UDP => {
                let size = recipe.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(STREAM.1);
                let rate = (leaf.guarantee.get(way).value.bps() / 3).clamp(SLOWEST, STREAM.0);
                let gap = u64::try_from(size).unwrap_or_default() * 8 * 1_000_000_000 / rate;
                What::Stream { up: way == Direction::Up, gap, size, each: true }
            }
            Protocol::TCP => What::Fetch { bytes: FETCH.0, gap: FETCH.1 },
            _ => What::Ping { gap: PING },
        };
        // a fetch that has begun is to end
        let to = if recipe.protocol == Protocol::TCP { when.to + TIMES.2 } else { when.to };
        self.add(draft, &name(place, way), what, &recipe, Window { from: when.from, to });
    }

    /// Classes that the lab cannot fill, each in words.
    pub(in crate::lab) fn unfilled(&self) -> Vec<String> {
        let leaves = self.finder.model.leaves();
        let all = Direction::BOTH.into_iter().flat_map(|way| leaves.iter().map(move |leaf| (way, leaf)));
        let without = all.filter(|(way, leaf)| self.filling(leaf, *way).is_none());
        without
            .map(|(way, leaf)| {
                format!(
                    "class `{}` {}wards as a load: the lab can send nothing that fills it",
                    leaf.name,
                    way_word(way)
                )
            })
            .collect()
    }

    fn filling(&self, leaf: &Class, way: Direction) -> Option<Recipe> {
        self.finder.of_leaf(leaf, way, None, &[(Protocol::UDP, FULL), (Protocol::TCP, self.full())])
    }

    /// All classes in both directions, and nothing beside them.
    #[must_use]
    pub fn classes_idle(&self) -> Played {
        let mut draft = Draft::new();
        let probe = Window { from: 500, to: 500 + TIMES.1 };
        for way in Direction::BOTH {
            for leaf in self.finder.model.leaves().into_iter().enumerate() {
                self.measured(&mut draft, leaf, way, probe);
            }
        }
        let scene = draft.scene("classes-idle", "each class by itself", true, probe.to + 2 * TIMES.2);
        played(Act::ClassesIdle, scene, probe)
    }

    /// All other classes of a direction while this one is full; `None` where the lab has nothing that fills it.
    #[must_use]
    pub fn class_full(&self, full: usize, way: Direction) -> Option<Played> {
        let leaves = self.finder.model.leaves();
        let class = leaves.get(full)?;
        let recipe = self.filling(class, way)?;
        let mut draft = Draft::new();
        let probe = Window { from: TIMES.0, to: TIMES.0 + TIMES.1 };
        let all = Window { from: 0, to: probe.to + TIMES.2 };
        let up = way == Direction::Up;
        if recipe.protocol == Protocol::UDP {
            let size = recipe.size.unwrap_or(FULL);
            let wire = self.finder.model.link.wire().bytes(u64::from(size));
            let rate = self.just_more(way);
            let gap = (wire * 8 * 1_000_000_000).checked_div(rate).unwrap_or_default().max(20_000);
            let size = usize::try_from(size).unwrap_or_default();
            let what = What::Stream { up, gap, size, each: false };
            self.add(&mut draft, names::LOAD, what, &recipe, all);
        } else {
            for _ in 0..FLOWS {
                self.add(&mut draft, names::LOAD, What::Bulk { up }, &recipe, all);
            }
        }
        for (place, leaf) in leaves.iter().enumerate().filter(|(place, _)| *place != full) {
            self.measured(&mut draft, (place, leaf), way, probe);
        }
        let (name, words) = (
            format!("class-{full}-{}", way_word(way)),
            format!("class {} full {}wards", class.name, way_word(way)),
        );
        let scene = draft.scene(&name, &words, true, all.to + TIMES.2);
        Some(played(Act::ClassFull(full, way), scene, probe))
    }
}
