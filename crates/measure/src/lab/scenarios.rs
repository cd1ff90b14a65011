//! Scenarios: the flows with their times, and the periods that count.

mod classes;
mod crowds;
mod expected;

pub(super) use classes::{by as class_by, name as class_name};
pub(super) use crowds::{ONE, SMALL};

use super::packet_spec::{Finder, PacketSpec};
use super::protocol::{Flow, Scenario, What};
use super::times::Window;
use super::{LabOptions, ScenarioGroup};
use qosc_compiler::model::{Direction, Load, PerDirection};
use qosc_compiler::units::{Protocol, Rate};

/// Names of a scenario's records.
pub mod names {
    /// Flows of the load.
    pub const LOAD: &str = "load";
    /// Downloads of a load in both directions.
    pub const LOAD_DOWN: &str = "load-down";
    /// Pings of a host that does nothing else.
    pub const PING: &str = "ping";
    /// Pings of the host that makes the load.
    pub const PING_LOADER: &str = "ping-loader";
    /// Upload stream.
    pub const STREAM_UP: &str = "stream-up";
    /// Download stream.
    pub const STREAM_DOWN: &str = "stream-down";
    /// Period of fetches.
    pub const FETCH: &str = "fetch";
    /// Bulk upload of another host.
    pub const BESIDE_UP: &str = "beside-up";
    /// Bulk download of another host.
    pub const BESIDE_DOWN: &str = "beside-down";
}

/// Stream of the published measurements: 200 kbit/s in packets of 500 bytes.
const STREAM: (u64, usize) = (200_000, 500);
pub(super) const STREAM_LENGTH: u32 = 500;
/// Lowest rate of a flood in bit/s.
const FLOOD: u64 = 8_000_000;
/// Bytes of a fetch, and microseconds until the next fetch.
const FETCH: (u64, u64) = (60_000, 200_000);
/// Packets in the modem's queue.
pub(super) const QUEUE: u64 = 1000;

/// Durations in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Time until a load has filled the line and all queues.
    pub warm: u64,
    /// Time of pings and streams.
    pub probe: u64,
    /// Time of fetches.
    pub fetch: u64,
    /// Time until a flow beside the load has reached its share, and time of its measurement.
    pub beside: (u64, u64),
    /// Time until the line is at rest.
    pub rest: u64,
    /// Time between two pings, in microseconds.
    pub ping: u64,
}

/// Machines in each role, as indices into the topology.
#[derive(Debug, Clone, Copy)]
pub struct Roles {
    /// Machine that makes the load.
    pub loader: usize,
    /// Machine with a flow beside the load.
    pub second: usize,
    /// Machine that only sends probes.
    pub quiet: usize,
    /// Two machines that the file does not name.
    pub unlisted: (usize, usize),
}

/// Subject of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenarioKind {
    /// A load, and all probes beside it.
    Situation(Load),
    /// Results of small packets at full load.
    Small(Direction),
    /// One flow of a host against eight flows of another host.
    Flows(Direction),
    /// Probes of all classes in both directions, and nothing else.
    ClassesIdle,
    /// Probes of the other classes in one direction while the leaf class with this index is full.
    ClassFull(usize, Direction),
    /// Expectation with this index.
    Expect(usize),
}

/// A scenario and the periods in which its results count.
#[derive(Debug, Clone)]
pub struct Played {
    /// Subject of the scenario.
    pub kind: ScenarioKind,
    /// Scenario for the guest.
    pub scenario: Scenario,
    /// Period of pings and streams.
    pub probe: Window,
    /// Period of fetches.
    pub fetch: Window,
    /// Periods of the flow beside the load.
    pub beside: PerDirection<Window>,
}

/// Rate in bit/s above which scenarios are short, because such a line has many packets.
const FAST: u64 = 45_000_000;

impl Pace {
    /// Returns the durations for a line with these two rates, the slower first. A slow line takes longer to fill. On a
    /// fast line, a shorter time has enough packets.
    #[must_use]
    pub fn of((slow, fast): (Rate, Rate), quick: bool) -> Pace {
        // time to empty a full queue, in milliseconds
        let full = (QUEUE * 12_000_000).checked_div(slow.bps()).unwrap_or_default();
        let (warm, rest) = (2 * full, full + 1_500);
        if fast.bps() > FAST {
            let more = if quick { 1 } else { 2 };
            Pace {
                warm: warm.max(1_500 * more),
                probe: 2_000 * more,
                fetch: 2_000 * more,
                beside: (1_500, 2_000 * more),
                rest,
                ping: 5_000,
            }
        } else if quick {
            let warm = warm.max(4_000);
            Pace { warm, probe: 5_000, fetch: 5_000, beside: (3_000, 5_000), rest, ping: 20_000 }
        } else {
            let warm = warm.max(4_000) + 1_000;
            Pace { warm, probe: 10_000, fetch: 10_000, beside: (4_000, 10_000), rest, ping: 20_000 }
        }
    }
}

/// Builder of scenarios.
pub struct ScenarioBuilder<'a> {
    /// Finder of packet specifications.
    pub finder: Finder<'a>,
    /// Durations.
    pub pace: Pace,
    /// Machines in each role.
    pub roles: Roles,
}

/// Flows of an unfinished scenario.
pub(super) struct Draft {
    flows: Vec<Flow>,
    number: u16,
}

impl Draft {
    pub(super) const fn new() -> Draft {
        Draft { flows: Vec::new(), number: 0 }
    }

    /// Returns the scenario of these flows.
    pub(super) fn scenario(self, name: &str, words: &str, shaped: bool, length: u64) -> Scenario {
        let (short, with) = if shaped { ("shaped", "with") } else { ("unshaped", "without") };
        let (name, words) = (format!("{short}-{name}"), format!("{words}, {with} the script"));
        Scenario { name, words, shaped, length, flows: self.flows }
    }
}

impl ScenarioBuilder<'_> {
    /// Adds a flow by a packet specification, for a period in milliseconds. A flow is left out if another one has the
    /// same endpoint in the internet: only one of two listeners there would get packets.
    pub(super) fn add(
        &self,
        draft: &mut Draft,
        name: &str,
        what: What,
        packet_spec: &PacketSpec,
        when: Window,
    ) {
        let Some((house, net)) = packet_spec.ends(self.finder.topology, draft.number) else { return };
        let is_tcp = |what: &What| matches!(what, What::Bulk { .. } | What::Fetch { .. });
        let is_ping = matches!(what, What::Ping { .. });
        let same = |flow: &Flow| flow.net == net && is_tcp(&flow.what) == is_tcp(&what);
        if !is_ping && draft.flows.iter().any(same) {
            return;
        }
        draft.number = draft.number.wrapping_add(1);
        let (name, dscp) = (name.to_owned(), packet_spec.dscp);
        draft.flows.push(Flow { name, what, house, net, dscp, from: when.from, to: when.to });
    }

    /// Returns plain packets of a machine that reach the default class. `length` is their size in bytes.
    pub(super) fn plain(
        &self,
        machine: usize,
        protocol: Protocol,
        length: u32,
    ) -> Result<PacketSpec, String> {
        self.finder.plain(machine, protocol, length).ok_or_else(|| {
            "no packet of an unlisted host reaches the default class: the matches take all of them".to_owned()
        })
    }

    /// Returns plain packets of a TCP flow.
    pub(super) fn plain_tcp(&self, machine: usize) -> Result<PacketSpec, String> {
        self.plain(machine, Protocol::TCP, self.full())
    }

    /// Texts of the measurements that this line and these classes do not allow.
    pub(super) fn missing(&self, options: &LabOptions) -> Vec<String> {
        let small = if options.has(ScenarioGroup::Small) { self.unfilled_by_small() } else { Vec::new() };
        let classes = if options.has(ScenarioGroup::Classes) { self.unfilled() } else { Vec::new() };
        small.into_iter().chain(classes).collect()
    }

    /// Returns the bytes of a full packet.
    pub(super) fn full(&self) -> u32 {
        self.finder.model.link.mtu.value
    }

    /// Adds pings of a machine.
    pub(super) fn ping(&self, draft: &mut Draft, name: &str, machine: usize, when: Window) {
        let v4 = self.finder.topology.machines.get(machine).is_some_and(|one| one.v4.is_some());
        let packet_spec = PacketSpec::ping(machine, v4);
        self.add(draft, name, What::Ping { gap: self.pace.ping }, &packet_spec, when);
    }

    /// Adds fetches in the size of small web pages.
    pub(super) fn fetch(&self, draft: &mut Draft, name: &str, packet_spec: &PacketSpec, when: Window) {
        self.add(draft, name, What::Fetch { bytes: FETCH.0, gap: FETCH.1 }, packet_spec, when);
    }

    /// Adds the stream, by a packet specification of UDP.
    pub(super) fn stream(
        &self,
        draft: &mut Draft,
        name: &str,
        packet_spec: &PacketSpec,
        up: bool,
        when: Window,
    ) {
        let size = packet_spec.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(STREAM.1);
        let bits = u64::try_from(size).unwrap_or_default() * 8;
        let gap = bits * 1_000_000_000 / STREAM.0;
        self.add(draft, name, What::Stream { up, gap, size, each: true }, packet_spec, when);
    }

    /// Returns the bytes of the flood's packets, and the nanoseconds between two packets.
    pub(super) fn flood(&self, direction: Direction) -> (u64, u64) {
        let size = u64::from(self.finder.model.link.mtu.value).min(1_492);
        let bps = (self.finder.topology.rate.get(direction).bps() * 5 / 4).max(FLOOD);
        (size, size * 8 * 1_000_000_000 / bps)
    }

    /// Returns a rate in bit/s that is above the shaped rate, so that our queue fills. If the file has a margin, it is
    /// below the rate of the line.
    pub(super) fn just_more(&self, direction: Direction) -> u64 {
        let (ours, line) =
            (self.finder.model.link.shaped.get(direction).value, self.finder.topology.rate.get(direction));
        (ours.bps() + line.bps()).div_euclid(2).min(ours.bps() * 51 / 50).max(1)
    }

    /// Adds the flows of a load in this direction. `by` is a packet specification of UDP for a flood, otherwise of TCP.
    pub(super) fn load(
        &self,
        draft: &mut Draft,
        load: Load,
        direction: Direction,
        by: &PacketSpec,
        when: Window,
    ) {
        let (up, name) = (direction == Direction::Up, load_name(load, direction));
        if is_flood(load) {
            let (size, gap) = self.flood(direction);
            let size = usize::try_from(size).unwrap_or_default();
            self.add(draft, name, What::Stream { up, gap, size, each: false }, by, when);
        } else {
            for _ in 0..3 {
                self.add(draft, name, What::Bulk { up }, by, when);
            }
        }
    }

    /// Returns the scenario of a situation: a load, and all probes beside it.
    ///
    /// # Errors
    /// Returns an error if no plain packets reach the default class.
    pub fn situation(&self, load: Load, shaped: bool) -> Result<Played, String> {
        let pace = self.pace;
        let probe = Window { from: pace.warm, to: pace.warm + pace.probe };
        let fetch = Window { from: probe.to, to: probe.to + pace.fetch };
        let directions: Vec<Direction> = Direction::BOTH
            .into_iter()
            .filter(|direction| load == Load::None || load.fills(*direction))
            .collect();
        let mut draft = Draft::new();
        let mut at = fetch.to;
        let mut beside = PerDirection { up: Window::default(), down: Window::default() };
        let bulk = self.plain_tcp(self.roles.second)?;
        for direction in &directions {
            let whole = Window { from: at, to: at + pace.beside.0 + pace.beside.1 };
            let counts = Window { from: at + pace.beside.0, to: whole.to };
            let up = *direction == Direction::Up;
            self.add(&mut draft, beside_name(*direction), What::Bulk { up }, &bulk, whole);
            *beside.get_mut(*direction) = counts;
            at = whole.to;
        }
        let all = Window { from: 0, to: at };
        self.ping(&mut draft, names::PING, self.roles.quiet, probe);
        if load != Load::None {
            self.ping(&mut draft, names::PING_LOADER, self.roles.loader, probe);
        }
        let udp = self.plain(self.roles.quiet, Protocol::UDP, STREAM_LENGTH)?;
        for direction in &directions {
            self.stream(&mut draft, stream_name(*direction), &udp, *direction == Direction::Up, probe);
        }
        let tcp = self.plain_tcp(self.roles.quiet)?;
        // a fetch may last longer than the period in which fetches begin
        self.fetch(&mut draft, names::FETCH, &tcp, Window { from: fetch.from, to: fetch.to + pace.beside.0 });
        let loader = self.roles.loader;
        let udp = self.plain(loader, Protocol::UDP, self.full())?;
        let by = if is_flood(load) { udp } else { self.plain_tcp(loader)? };
        for direction in Direction::BOTH.into_iter().filter(|direction| load.fills(*direction)) {
            self.load(&mut draft, load, direction, &by, all);
        }
        let scenario = draft.scenario(word(load), words(load), shaped, at + pace.rest);
        Ok(Played { kind: ScenarioKind::Situation(load), scenario, probe, fetch, beside })
    }
}

/// True if a load consists of UDP.
pub(super) const fn is_flood(load: Load) -> bool {
    matches!(load, Load::FloodUp | Load::FloodDown)
}

/// Name of a load's flows in a direction.
pub(super) fn load_name(load: Load, direction: Direction) -> &'static str {
    if load == Load::Both && direction == Direction::Down { names::LOAD_DOWN } else { names::LOAD }
}

/// Name of the stream in a direction.
#[must_use]
pub const fn stream_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => names::STREAM_UP,
        Direction::Down => names::STREAM_DOWN,
    }
}

/// Name of a bulk flow beside the load in a direction.
#[must_use]
pub const fn beside_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => names::BESIDE_UP,
        Direction::Down => names::BESIDE_DOWN,
    }
}

/// Word for a load, as in the file.
#[must_use]
pub fn word(load: Load) -> &'static str {
    match load {
        Load::None => "idle",
        load => load.as_str(),
    }
}

/// Description of a load for people.
#[must_use]
pub const fn words(load: Load) -> &'static str {
    match load {
        Load::None => "idle",
        Load::Upload => "three bulk uploads",
        Load::Download => "three bulk downloads",
        Load::Both => "three bulk uploads and three bulk downloads",
        Load::FloodUp => "a UDP upload flood",
        Load::FloodDown => "a UDP download flood",
    }
}

#[cfg(test)]
#[path = "scenarios_tests.rs"]
mod tests;
