//! Results of the lab.

use super::kernel::Clock;
use super::protocol::{Records, STEP, Sample};
use super::scenarios::{self, Played, names};
use super::times::{Times, Window, rate};
use qosc_compiler::model::{Direction, Load};
use serde::{Deserialize, Serialize};

/// The whole report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Report")]
pub struct LabReport {
    /// Version of this program.
    pub version: String,
    /// Name of the link.
    pub link: String,
    /// Kernel of the guest.
    pub kernel: KernelSaid,
    /// The modelled line.
    pub line: ModelledLine,
    /// Hosts in each role.
    #[serde(rename = "cast")]
    pub roles: RoleNames,
    /// Script that ran in place of the compiled script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptRun>,
    /// Situations, without the script and with it.
    pub situations: Vec<Situation>,
    /// Packets of 64 bytes at the highest rate that the line takes.
    pub small: Vec<Small>,
    /// One flow of a host against eight flows of another host.
    pub flows: Vec<Flows>,
    /// Every class while each other class is full.
    pub classes: Vec<ClassUnderLoad>,
    /// Results of the expectations in the file.
    pub expectations: Vec<Expectation>,
    /// Effects that the model leaves out.
    pub left_out: Vec<String>,
}

/// Kernel of the guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KernelSaid {
    /// Release of the kernel.
    pub release: String,
    /// Kind of its clock.
    pub clock: Clock,
}

impl KernelSaid {
    /// Returns the description for people.
    #[must_use]
    pub fn words(&self) -> String {
        let clock = match self.clock {
            Clock::Virtual => "in virtual time, so the results do not depend on the load of this machine",
            Clock::Real => {
                "in real time, so the results also depend on the load of this machine; `qosc lab --prepare` builds a kernel \
                 for virtual time"
            }
        };
        format!("user-mode-linux {}, {clock}", self.release)
    }
}

/// The modelled line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Line")]
pub struct ModelledLine {
    /// Upload rate in bit/s, without the overhead of the line's encoding.
    pub up: u64,
    /// Download rate in bit/s, without the overhead of the line's encoding.
    pub down: u64,
    /// Directions of which the file gives only the shaped rate. The modelled line has that rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Direction>,
    /// Bounds of rates that vary, as texts for people. The modelled line does not vary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varies: Vec<String>,
    /// Charge for each packet, as a text for people.
    pub charge: String,
    /// Length in packets of the modem's queue and of the provider's queue.
    pub queue: u64,
    /// Round trip time of an idle line in microseconds.
    pub rtt: u64,
}

/// Names of the hosts in each role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RoleNames {
    /// Host that makes the load.
    pub loader: String,
    /// Host with a bulk flow beside the load.
    pub second: String,
    /// Host that only sends probes.
    pub quiet: String,
}

/// A script that ran in place of the compiled script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ScriptRun {
    /// Command of the script.
    pub command: String,
    /// Last lines that the script printed.
    pub output: String,
}

/// Results of a situation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Situation {
    /// Load of the situation.
    pub load: Load,
    /// True if the script was active.
    pub shaped: bool,
    /// Share of the line's data rate, or of the shaped one with the script, that arrived in the period of pings, in
    /// millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// Pings of a host that does nothing else.
    pub ping: Times,
    /// Pings of the host that makes the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping_loader: Option<Times>,
    /// Upload stream, one way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_up: Option<Times>,
    /// Download stream, one way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_down: Option<Times>,
    /// Small fetches.
    pub fetch: Times,
    /// Rates of another host's bulk flow beside the load, by direction.
    pub beside: Vec<Beside>,
    /// Data of the charts.
    pub course: Course,
}

/// A bulk flow beside a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Beside {
    /// Direction of the flow.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// Rate of the flow in bit/s of data.
    pub own: u64,
    /// Rate of the load at the same time, in bit/s of data.
    pub load: u64,
    /// Share of the flow in the sum of both rates, in millionths from 0 to 1000000.
    pub share: Option<u64>,
}

impl Beside {
    pub(super) fn of(direction: Direction, own: u64, load: u64) -> Beside {
        Beside { direction, own, load, share: (own * 1_000_000).checked_div(own + load) }
    }
}

/// Results over time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Course {
    /// Pings of the quiet host.
    pub ping: Vec<Sample>,
    /// Pings of the host with the load.
    pub ping_loader: Vec<Sample>,
    /// Period in which pings and streams count.
    pub probe: Window,
    /// Period in which fetches count.
    pub fetch: Window,
    /// Periods in which the bulk flow beside the load counts, one for each element of `beside`.
    pub beside: Vec<Window>,
    /// Length of a step of `rates` in milliseconds.
    pub step: u64,
    /// Rates in each step in bit/s, by the name of the flows.
    pub rates: Vec<(String, Vec<u64>)>,
}

/// Results of small packets at full load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Small {
    /// Direction of the packets.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// True if the script was active.
    pub shaped: bool,
    /// Packets sent per second.
    pub sent: u64,
    /// Packets received per second.
    pub came: u64,
    /// Pings of a host that does nothing else.
    pub ping: Times,
    /// Stream in the same direction.
    pub stream: Times,
}

/// Results of one flow of a host against eight flows of another host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Flows {
    /// Direction of the flows.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// True if the script was active.
    pub shaped: bool,
    /// Share of the line that was used, as in a situation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// Rates of the one flow and of the eight.
    pub one: Beside,
    /// Pings of a host that does nothing else.
    pub ping: Times,
}

/// Results of a class while another class is full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClassUnderLoad {
    /// Name of the measured class.
    pub class: String,
    /// Direction of the measurement.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// Method of the measurement.
    pub by: String,
    /// Results on an otherwise idle line.
    pub idle: Times,
    /// Results while each of these classes is full.
    pub beside: Vec<(String, Times)>,
}

/// Result of one expectation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Expectation {
    /// Position among the expectations of the file, from 0.
    pub place: usize,
    /// Line in the file, counted from 1.
    pub line: Option<u32>,
    /// Measured quantity and the load.
    pub what: String,
    /// Expected values.
    pub expected: String,
    /// Measured values, or the reason why the lab could not try it.
    pub measured: String,
    /// True if the expectation holds; `None` if the lab could not try it.
    pub met: Option<bool>,
    /// Limits that do not hold: their positions, counted from 0, and the measured values.
    pub missed: Vec<(usize, String)>,
}

/// Returns the times in the record with this name, if it exists.
pub(super) fn times(records: &Records, name: &str, window: Window) -> Option<Times> {
    records.get(name).map(|record| Times::of(&record.samples, window))
}

/// Returns the results of a situation from its records.
pub(super) fn situation(played: &Played, load: Load, records: &Records, used: Option<u64>) -> Situation {
    let of = |name: &str, window: Window| times(records, name, window);
    let beside = Direction::BOTH.into_iter().filter_map(|direction| {
        let window = *played.beside.get(direction);
        let own = rate(records.get(scenarios::beside_name(direction))?, window);
        let load = records.get(names::LOAD).map_or(0, |record| rate(record, window));
        Some((Beside::of(direction, own, load), window))
    });
    let (beside, windows) = beside.unzip();
    Situation {
        load,
        shaped: played.scenario.shaped,
        used,
        ping: of(names::PING, played.probe).unwrap_or_default(),
        ping_loader: of(names::PING_LOADER, played.probe),
        stream_up: of(names::STREAM_UP, played.probe),
        stream_down: of(names::STREAM_DOWN, played.probe),
        fetch: of(names::FETCH, played.fetch).unwrap_or_default(),
        beside,
        course: course(played, windows, records),
    }
}

fn course(played: &Played, beside: Vec<Window>, records: &Records) -> Course {
    let samples = |name: &str| records.get(name).map(|record| record.samples.clone()).unwrap_or_default();
    let rates = [names::LOAD, names::BESIDE_UP, names::BESIDE_DOWN].into_iter().filter_map(|name| {
        let record = records.get(name)?;
        Some((name.to_owned(), record.bytes.iter().map(|bytes| bytes * 8_000 / STEP).collect()))
    });
    Course {
        ping: samples(names::PING),
        ping_loader: samples(names::PING_LOADER),
        probe: played.probe,
        fetch: played.fetch,
        beside,
        step: STEP,
        rates: rates.collect(),
    }
}
