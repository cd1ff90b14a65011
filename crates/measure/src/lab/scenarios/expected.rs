//! Scenarios of the expectations in the file.

use super::crowds::played;
use super::{
    Draft, Played, STREAM_LENGTH, ScenarioBuilder, ScenarioKind, beside_name, is_flood, names, stream_name,
};
use crate::lab::packet_spec::PacketSpec;
use crate::lab::protocol::What;
use crate::lab::times::Window;
use qosc_compiler::diag::ticked;
use qosc_compiler::model::{ClassId, Direction, Expect, Measure};
use qosc_compiler::units::Protocol;

impl ScenarioBuilder<'_> {
    /// Returns the scenario of an expectation. `place` is its index in the file.
    ///
    /// # Errors
    /// Returns the reason if the lab cannot try this expectation.
    pub fn expected(&self, place: usize, expect: &Expect) -> Result<Played, String> {
        let probe = Window { from: self.pace.warm, to: self.pace.warm + self.pace.probe };
        // a fetch that has begun should end under the load
        let rest = if expect.measure == Measure::Fetch { self.pace.fetch } else { 0 };
        let all = Window { from: 0, to: probe.to + rest };
        let mut draft = Draft::new();
        let by = self.who(expect.from, self.roles.unlisted.0)?;
        let sent = if is_flood(expect.load) { Protocol::UDP } else { Protocol::TCP };
        for direction in Direction::BOTH.into_iter().filter(|direction| expect.load.fills(*direction)) {
            let packet_spec =
                self.made(expect.class, direction, (by, expect.from.is_some()), (sent, self.full()))?;
            self.load(&mut draft, expect.load, direction, &packet_spec, all);
        }
        let on = self.who(expect.on, self.roles.unlisted.1)?;
        let of = |direction, sent| self.made(expect.of, direction, (on, expect.on.is_some()), sent);
        match expect.measure {
            Measure::Ping => self.ping(&mut draft, names::PING, on, probe),
            Measure::Fetch => {
                let packet_spec = of(Direction::Up, (Protocol::TCP, self.full()))?;
                self.fetch(&mut draft, names::FETCH, &packet_spec, Window { from: probe.from, to: all.to });
            }
            Measure::Stream | Measure::StreamDown => {
                let direction = expect.measure.direction().unwrap_or(Direction::Up);
                let packet_spec = of(direction, (Protocol::UDP, STREAM_LENGTH))?;
                self.stream(
                    &mut draft,
                    stream_name(direction),
                    &packet_spec,
                    direction == Direction::Up,
                    probe,
                );
            }
            Measure::Upload | Measure::Download => {
                let direction = expect.measure.direction().unwrap_or(Direction::Up);
                let packet_spec = of(direction, (Protocol::TCP, self.full()))?;
                let up = direction == Direction::Up;
                self.add(&mut draft, beside_name(direction), What::Bulk { up }, &packet_spec, all);
            }
        }
        let line = expect.span.own_line().map_or_else(String::new, |line| format!(" of line {line}"));
        let (name, words) = (format!("expect-{place}"), format!("the expectation{line}"));
        let scenario = draft.scenario(&name, &words, true, all.to + self.pace.rest);
        Ok(played(ScenarioKind::Expect(place), scenario, probe))
    }

    /// Returns the machine of a host in the file, or `other` if no host is given.
    fn who(&self, host: Option<usize>, other: usize) -> Result<usize, String> {
        let Some(host) = host else { return Ok(other) };
        let place = self.finder.topology.machines.iter().position(|machine| machine.host == Some(host));
        place.ok_or_else(|| {
            let name = self.finder.model.hosts.get(host).map_or("", |host| host.name.as_str());
            format!("host {} has no address that the lab can give to a machine", ticked(name))
        })
    }

    /// Returns packets of a class, or plain ones if no class is given.
    fn made(
        &self,
        class: Option<ClassId>,
        direction: Direction,
        (machine, named): (usize, bool),
        (protocol, length): (Protocol, u32),
    ) -> Result<PacketSpec, String> {
        let Some(id) = class else { return Ok(self.finder.any(machine, protocol)) };
        let leaf = self.finder.model.leaf(id);
        let by = named.then_some(machine);
        let found = leaf.and_then(|leaf| self.finder.of_leaf(leaf, direction, by, &[(protocol, length)]));
        found.ok_or_else(|| {
            let name = leaf.map_or("", |leaf| leaf.name.as_str());
            let whose = if named { "of that host " } else { "" };
            format!("class {} matches no {protocol} packet {whose}that the lab can send", ticked(name))
        })
    }
}
