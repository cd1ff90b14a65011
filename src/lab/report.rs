//! What the lab found.

use super::kernel::Clock;
use super::protocol::{Record, Records, STEP, Sample};
use super::scenarios::{self, Played, names};
use super::times::{Times, Window, rate};
use crate::model::{Direction, Load};
use serde::{Deserialize, Serialize};

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// This program's version.
    pub version: String,
    /// The link's name.
    pub link: String,
    /// What it ran on.
    pub kernel: KernelSaid,
    /// The modelled line.
    pub line: Line,
    /// Who took part.
    #[serde(rename = "cast")]
    pub roles: RoleNames,
    /// The situations, without the script and with it.
    pub situations: Vec<Situation>,
    /// Packets of 64 bytes, as many as the line takes.
    pub small: Vec<Small>,
    /// One flow of a host against eight of another.
    pub flows: Vec<Flows>,
    /// Every class under load of each other.
    pub classes: Vec<ClassUnderLoad>,
    /// What the file expects.
    pub expectations: Vec<Expectation>,
    /// What the model leaves out.
    pub left_out: Vec<String>,
}

/// The kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSaid {
    /// Its release.
    pub release: String,
    /// How its clock goes.
    pub clock: Clock,
}

impl KernelSaid {
    /// As people read it.
    #[must_use]
    pub fn words(&self) -> String {
        let clock = match self.clock {
            Clock::Virtual => "in virtual time: no figure depends on how busy this machine is",
            Clock::Real => {
                "in real time: the figures also show how busy this machine was; `qosc lab --prepare` builds a kernel \
                 whose figures do not"
            }
        };
        format!("user-mode-linux {}, {clock}", self.release)
    }
}

/// The line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// What it carries upwards in bit/s, encoding taken off.
    pub up: u64,
    /// What it carries downwards.
    pub down: u64,
    /// What it charges, as people read it.
    pub charge: String,
    /// Packets in the modem's queue, and in the one at the provider's end.
    pub queue: u64,
    /// The round trip of an idle line in microseconds.
    pub rtt: u64,
}

/// Who took part, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleNames {
    /// Makes the load.
    pub loader: String,
    /// Has a bulk flow beside it.
    pub second: String,
    /// Does nothing but ping and stream.
    pub quiet: String,
}

/// A situation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Situation {
    /// The load.
    pub load: Load,
    /// Whether the script was in force.
    pub shaped: bool,
    /// Pings of a host that does nothing else.
    pub ping: Times,
    /// Pings of the host that makes the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping_loader: Option<Times>,
    /// The stream upwards, one way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_up: Option<Times>,
    /// The stream downwards, one way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_down: Option<Times>,
    /// Small fetches.
    pub fetch: Times,
    /// What another host's bulk flow gets beside the load, by direction.
    pub beside: Vec<Beside>,
    /// What the pictures are made of.
    pub course: Course,
}

/// A bulk flow beside a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    /// Its direction.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// What it gets, in bit/s of data.
    pub own: u64,
    /// What the load gets meanwhile.
    pub load: u64,
    /// Its part of both in millionths.
    pub share: Option<u64>,
}

impl Beside {
    pub(super) fn of(direction: Direction, own: u64, load: u64) -> Beside {
        Beside { direction, own, load, share: (own * 1_000_000).checked_div(own + load) }
    }
}

/// Everything over time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    /// Pings of the quiet host.
    pub ping: Vec<Sample>,
    /// Pings of the host with the load.
    pub ping_loader: Vec<Sample>,
    /// When the pings and streams, and the fetches, counted.
    pub probe: Window,
    /// See above.
    pub fetch: Window,
    /// When the bulk flow beside the load counted, for each of [`Situation::beside`].
    pub beside: Vec<Window>,
    /// Milliseconds of a step of what follows.
    pub step: u64,
    /// What came in each step, in bit/s, by name.
    pub rates: Vec<(String, Vec<u64>)>,
}

/// Small packets at full load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Small {
    /// Their direction.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// Whether the script was in force.
    pub shaped: bool,
    /// Packets a second that were sent.
    pub sent: u64,
    /// Packets a second that came.
    pub came: u64,
    /// Pings of a host that does nothing else.
    pub ping: Times,
    /// The stream in their direction.
    pub stream: Times,
}

/// One flow of a host against eight of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flows {
    /// Their direction.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// Whether the script was in force.
    pub shaped: bool,
    /// What the one and the eight get.
    pub one: Beside,
    /// Pings of a host that does nothing else.
    pub ping: Times,
}

/// A class while another one is full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassUnderLoad {
    /// The class that is measured.
    pub class: String,
    /// The direction.
    #[serde(rename = "way")]
    pub direction: Direction,
    /// How it was measured.
    pub by: String,
    /// While nothing else is on the line.
    pub idle: Times,
    /// While each of these is full.
    pub beside: Vec<(String, Times)>,
}

/// One of `expect`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// Its place among those of the file, from 0.
    pub place: usize,
    /// Its line in the file.
    pub line: Option<u32>,
    /// What is measured, and under which load.
    pub what: String,
    /// What is expected of it.
    pub expected: String,
    /// What was measured, or why it could not be tried.
    pub measured: String,
    /// Whether it holds; `None` where it could not be tried.
    pub met: Option<bool>,
    /// The limits that do not hold, by place, each with what was measured instead.
    pub missed: Vec<(usize, String)>,
}

/// The record of that name.
pub(super) fn record<'a>(records: &'a Records, name: &str) -> Option<&'a Record> {
    records.records.iter().find(|record| record.name == name)
}

/// The times of the record of that name, where there is one.
pub(super) fn times(records: &Records, name: &str, window: Window) -> Option<Times> {
    record(records, name).map(|record| Times::of(&record.samples, window))
}

/// What the records of a situation come to.
pub(super) fn situation(played: &Played, load: Load, records: &Records) -> Situation {
    let of = |name: &str, window: Window| times(records, name, window);
    let beside = [
        (Direction::Up, names::BESIDE_UP, played.beside.0),
        (Direction::Down, names::BESIDE_DOWN, played.beside.1),
    ];
    let found = |(_, name, _): &(_, &str, _)| record(records, name).is_some();
    let windows = beside.iter().filter(|one| found(one)).map(|(.., window)| *window).collect();
    let beside = beside.into_iter().filter_map(|(direction, name, window)| {
        let own = rate(record(records, name)?, window);
        let load = record(records, names::LOAD).map_or(0, |record| rate(record, window));
        Some(Beside::of(direction, own, load))
    });
    Situation {
        load,
        shaped: played.scenario.shaped,
        ping: of(names::PING, played.probe).unwrap_or_default(),
        ping_loader: of(names::PING_LOADER, played.probe),
        stream_up: of(names::STREAM_UP, played.probe),
        stream_down: of(names::STREAM_DOWN, played.probe),
        fetch: of(names::FETCH, played.fetch).unwrap_or_default(),
        beside: beside.collect(),
        course: course(played, windows, records),
    }
}

fn course(played: &Played, beside: Vec<Window>, records: &Records) -> Course {
    let samples = |name: &str| record(records, name).map(|record| record.samples.clone()).unwrap_or_default();
    let rates = [names::LOAD, names::BESIDE_UP, names::BESIDE_DOWN].into_iter().filter_map(|name| {
        let record = record(records, name)?;
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

/// A situation in words, such as `three bulk uploads, with the script`.
#[must_use]
pub fn heading(situation: &Situation) -> String {
    let with = if situation.shaped { "with the script" } else { "without the script" };
    format!("{}, {with}", scenarios::words(situation.load))
}
