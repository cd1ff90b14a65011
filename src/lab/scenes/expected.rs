//! What a file expects, as a scene.

use super::crowds::played;
use super::{Act, Author, Draft, LabError, Played, STREAM_LENGTH, beside_name, is_flood, names, stream_name};
use crate::diag::ticked;
use crate::lab::orders::What;
use crate::lab::recipe::Recipe;
use crate::lab::times::Window;
use crate::model::{ClassId, Direction, Expect, Measure};
use crate::units::Protocol;

impl Author<'_> {
    /// The expectation at this place of the file's.
    ///
    /// # Errors
    /// When the lab cannot do what it asks for: why.
    pub fn expected(&self, place: usize, expect: &Expect) -> Result<Played, LabError> {
        let probe = Window { from: self.pace.warm, to: self.pace.warm + self.pace.probe };
        // a fetch that has begun is to end, and under the load
        let rest = if expect.measure == Measure::Fetch { self.pace.fetch } else { 0 };
        let all = Window { from: 0, to: probe.to + rest };
        let mut draft = Draft::new();
        let by = self.who(expect.from, self.cast.strangers.0)?;
        let sent = if is_flood(expect.load) { Protocol::UDP } else { Protocol::TCP };
        for way in Direction::BOTH.into_iter().filter(|way| expect.load.fills(*way)) {
            let recipe = self.made(expect.class, way, (by, expect.from.is_some()), (sent, self.full()))?;
            self.load(&mut draft, expect.load, way, &recipe, all);
        }
        let on = self.who(expect.on, self.cast.strangers.1)?;
        let of = |way, sent| self.made(expect.of, way, (on, expect.on.is_some()), sent);
        match expect.measure {
            Measure::Ping => self.ping(&mut draft, names::PING, on, probe),
            Measure::Fetch => {
                let recipe = of(Direction::Up, (Protocol::TCP, self.full()))?;
                self.fetch(&mut draft, names::FETCH, &recipe, Window { from: probe.from, to: all.to });
            }
            Measure::Stream | Measure::StreamDown => {
                let way = expect.measure.direction().unwrap_or(Direction::Up);
                let recipe = of(way, (Protocol::UDP, STREAM_LENGTH))?;
                self.stream(&mut draft, stream_name(way), &recipe, way == Direction::Up, probe);
            }
            Measure::Upload | Measure::Download => {
                let way = expect.measure.direction().unwrap_or(Direction::Up);
                let recipe = of(way, (Protocol::TCP, self.full()))?;
                let up = way == Direction::Up;
                self.add(&mut draft, beside_name(way), What::Bulk { up }, &recipe, all);
            }
        }
        let line = expect.span.own_line().map_or_else(String::new, |line| format!(" of line {line}"));
        let (name, words) = (format!("expect-{place}"), format!("the expectation{line}"));
        let scene = draft.scene(&name, &words, true, all.to + self.pace.rest);
        Ok(played(Act::Expect(place), scene, probe))
    }

    /// The machine of a host of the file, or else this one.
    fn who(&self, host: Option<usize>, other: usize) -> Result<usize, LabError> {
        let Some(host) = host else { return Ok(other) };
        let place = self.finder.stand.machines.iter().position(|machine| machine.host == Some(host));
        place.ok_or_else(|| {
            let name = self.finder.model.hosts.get(host).map_or("", |host| host.name.as_str());
            LabError::Unable(format!(
                "host {} has no address that the lab could give to a machine",
                ticked(name)
            ))
        })
    }

    /// Packets of a class, or as they come.
    fn made(
        &self,
        class: Option<ClassId>,
        way: Direction,
        (machine, named): (usize, bool),
        (protocol, length): (Protocol, u32),
    ) -> Result<Recipe, LabError> {
        let Some(id) = class else { return Ok(self.finder.any(machine, protocol)) };
        let leaf = self.finder.model.leaf(id);
        let by = named.then_some(machine);
        let found = leaf.and_then(|leaf| self.finder.of_leaf(leaf, way, by, &[(protocol, length)]));
        found.ok_or_else(|| {
            let name = leaf.map_or("", |leaf| leaf.name.as_str());
            let whose = if named { "of that host " } else { "" };
            LabError::Unable(format!(
                "class {} takes no {protocol} packet {whose}that the lab can send",
                ticked(name)
            ))
        })
    }
}
