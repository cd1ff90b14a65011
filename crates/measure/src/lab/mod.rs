//! Test of a configuration with a real kernel, a modelled line and generated traffic. It shows the effects that a
//! household will notice.
//!
//! The compiled script runs on user-mode-linux, a Linux kernel that is an ordinary process. Network namespaces are the
//! house and the internet. The line between them is a queue of 1000 packets, as in modems, and charges each packet as
//! the file says. This program itself sends and receives inside the guest, and leaves its measurements in files.

mod boot;
mod console;
mod facts;
mod folder;
mod guest;
mod human;
mod judge;
mod kernel;
mod options;
mod other_script;
mod packet_spec;
mod page;
pub mod protocol;
mod report;
mod scenarios;
mod shell;
pub mod show;
mod tables;
mod times;
pub mod topology;
mod trace;
mod varying;

pub use boot::{NO_START, become_kernel, limit};
pub use guest::play;
pub use human::human;
pub use kernel::{Clock, Kernel, cache, prepare};
pub use options::{LabOptions, ScenarioGroup};
pub use other_script::OtherScript;
pub use page::{page, parts};
pub use report::LabReport;
pub use shell::shell;
pub use times::{Times, Window};
pub use trace::Trace;
pub use varying::{VaryingReport, varying};

use packet_spec::Finder;
use qosc_compiler::model::{Direction, Layer, Load, Model};
use qosc_compiler::tc::Program;
use scenarios::{Pace, Played, Roles, ScenarioBuilder};
use topology::Topology;

/// Progress of the lab.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Number of the scenario that begins, from 1. It is 0 before the kernel boots.
    pub scenario: usize,
    /// Number of all scenarios.
    pub of: usize,
    /// Description of the scenario.
    pub words: &'a str,
    /// Estimated time of all scenarios, in seconds of this machine.
    pub seconds: u64,
    /// Length of all scenarios before this one and of all scenarios, in milliseconds of the guest's time.
    pub time: (u64, u64),
}

/// Tries a configuration without errors, together with its compiled script or with the other script of the options.
///
/// # Errors
/// Returns an error if the configuration cannot be tried, or if the guest fails.
pub fn lab(
    (model, program, script): (&Model, &Program, &str),
    kernel: &Kernel,
    options: &LabOptions,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<LabReport, String> {
    let topology = Topology::of(model, options.rtt, STRANGERS)?;
    let finder = Finder { model, program, topology: &topology };
    let (up, down) = (topology.rate.up, topology.rate.down);
    let builder = ScenarioBuilder {
        finder,
        pace: Pace::of((up.min(down), up.max(down)), options.quick),
        roles: roles(finder),
    };
    let mut expectations = Vec::new();
    let played = written(&builder, options, &mut expectations)?;
    if played.is_empty() && expectations.is_empty() {
        let named = if options.script.is_some() { " without a class" } else { "" };
        return Err(format!("there is nothing to run: the file has no `expect`{named}"));
    }
    let scenarios: Vec<_> = played.iter().map(|played| &played.scenario).collect();
    let other = options.script.as_ref().map(|other| other.router(model));
    let job = boot::Job {
        topology: &topology,
        script: other.as_deref().unwrap_or(script),
        other: options.script.as_ref(),
        limit: limit(kernel.clock, length(&scenarios)),
        scenarios,
        files: Vec::new(),
        stop: &options.stop,
        console: None,
    };
    let done = played_in(kernel, &job, tell)?;
    let name = |place: usize| topology.machines.get(place).map_or_else(String::new, |one| one.name.clone());
    let mut report = LabReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        link: model.name.value.as_str().to_owned(),
        kernel: report::KernelSaid { release: done.release, clock: kernel.clock },
        line: report::ModelledLine {
            up: topology.rate.up.bps(),
            down: topology.rate.down.bps(),
            unknown: Direction::BOTH.into_iter().filter(|d| model.link.line_rate(*d).is_none()).collect(),
            varies: Direction::BOTH
                .into_iter()
                .filter_map(|d| Some(format!("{}: {}", d.loads(), model.link.varies(d)?)))
                .collect(),
            charge: charge(model),
            queue: scenarios::QUEUE,
            rtt: options.rtt.us(),
        },
        roles: report::RoleNames {
            loader: name(builder.roles.loader),
            second: name(builder.roles.second),
            quiet: name(builder.roles.quiet),
        },
        script: options
            .script
            .as_ref()
            .map(|other| report::ScriptRun { command: other.command(), output: done.said }),
        situations: Vec::new(),
        small: Vec::new(),
        flows: Vec::new(),
        classes: Vec::new(),
        expectations,
        left_out: left_out(model, options),
    };
    report.left_out.extend(builder.missing(options));
    if finder.is_capped(builder.roles.loader) {
        report.left_out.push("a host that fills the line: all have a ceiling".to_owned());
    }
    judge::fill(&mut report, &builder, played.iter().zip(&done.records));
    Ok(report)
}

/// Plays the scenarios of a job in a guest and reports the progress.
fn played_in(
    kernel: &Kernel,
    job: &boot::Job<'_>,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<boot::Done, String> {
    let (all, of, rate) = (&job.scenarios, job.scenarios.len(), job.topology.rate);
    let seconds = match kernel.clock {
        Clock::Real => length(all) / 1000,
        // Only packets take time: on a slow machine, 130 Mbit of what the line can carry take a second.
        Clock::Virtual => length(all) * (rate.up.bps() + rate.down.bps()) / 130_000_000 / 1000,
    };
    tell(Progress { scenario: 0, of, words: "the kernel boots", seconds, time: (0, length(all)) });
    boot::play(kernel, job, &mut |scenario| {
        let words = all.get(scenario).map_or("", |scenario| scenario.words.as_str());
        let before = all.get(..scenario).map_or(0, length);
        tell(Progress { scenario: scenario + 1, of, words, seconds, time: (before, length(all)) });
    })
}

/// Returns the length of all scenarios in milliseconds.
fn length(scenarios: &[&protocol::Scenario]) -> u64 {
    scenarios.iter().map(|scenario| scenario.length).sum()
}

/// Loads of the situations.
const LOADS: [Load; 5] = [Load::None, Load::Upload, Load::FloodUp, Load::Download, Load::FloodDown];
/// Number of hosts in every house that the file does not name.
const STRANGERS: usize = 3;

/// Returns all scenarios. Expectations that the lab cannot try go to `untried`.
fn written(
    builder: &ScenarioBuilder<'_>,
    options: &LabOptions,
    untried: &mut Vec<report::Expectation>,
) -> Result<Vec<Played>, String> {
    let mut played: Vec<Played> = Vec::new();
    for shaped in [false, true] {
        for load in LOADS.into_iter().filter(|_| options.has(ScenarioGroup::Situations)) {
            played.push(builder.situation(load, shaped)?);
        }
        for direction in Direction::BOTH.into_iter().filter(|_| options.has(ScenarioGroup::Small)) {
            played.push(builder.small(direction, shaped)?);
        }
        for direction in Direction::BOTH.into_iter().filter(|_| options.has(ScenarioGroup::Flows)) {
            played.push(builder.flows(direction, shaped)?);
        }
    }
    let model = builder.finder.model;
    if options.has(ScenarioGroup::Classes) {
        played.push(builder.classes_idle());
        for direction in Direction::BOTH {
            played.extend((0..model.leaves().len()).filter_map(|leaf| builder.class_full(leaf, direction)));
        }
    }
    for (place, expect) in model.expect.iter().enumerate().filter(|(_, expect)| options.tries(expect)) {
        match builder.expected(place, expect) {
            Ok(scenario) => played.push(scenario),
            Err(why) => untried.push(judge::untried(model, expect, place, &why)),
        }
    }
    Ok(played)
}

/// Chooses the hosts for each role: hosts of the file whose plain packets reach the default class, then unlisted hosts.
/// Hosts with a ceiling come last.
fn roles(finder: Finder<'_>) -> Roles {
    use qosc_compiler::units::Protocol;
    let fits = |place: &usize| {
        let full = finder.model.link.mtu.value;
        [Protocol::TCP, Protocol::UDP].iter().all(|protocol| finder.plain(*place, *protocol, full).is_some())
    };
    let mut fitting: Vec<usize> = (0..finder.topology.machines.len()).filter(fits).collect();
    fitting.sort_by_key(|place| finder.is_capped(*place));
    let mut fitting = fitting.into_iter();
    let last = finder.topology.machines.len().saturating_sub(1);
    let mut next = || fitting.next().unwrap_or(last);
    let unlisted = (last.saturating_sub(2), last.saturating_sub(1));
    Roles { loader: next(), second: next(), quiet: next(), unlisted }
}

fn charge(model: &Model) -> String {
    let wire = model.link.wire();
    let layer = match wire.layer {
        Layer::Ethernet => "",
        Layer::Ptm => ", PTM (64 of 65 bytes)",
        Layer::Atm => ", in ATM cells",
    };
    let mpu = if wire.mpu == 0 { String::new() } else { format!(", mpu {}", wire.mpu) };
    format!("{} bytes of overhead per IP packet{mpu}{layer}", wire.overhead)
}

/// Effects that the figures do not show.
fn left_out(model: &Model, options: &LabOptions) -> Vec<String> {
    let mut all = vec![
        "the processor of the router: computing takes no time here, or as long as on this machine".to_owned(),
        "lines with a varying rate, radio links, and losses on the path".to_owned(),
        "aggregation by network cards, and other hardware".to_owned(),
    ];
    if !model.tunnels.is_empty() {
        all.push("tunnels: they have no remote end here".to_owned());
    }
    if !model.link.devices.is_empty() {
        all.push("downloads by `devices` of the link: the line has one device here".to_owned());
    }
    if options.script.is_some() {
        all.push("the classes of the file: only the compiled script has them".to_owned());
        let expect = model.expect.iter().filter(|expect| LabOptions::names_class(expect));
        all.extend(expect.map(|expect| {
            let line = expect.span.own_line().map_or_else(String::new, |line| format!(" of line {line}"));
            format!("the expectation{line}: it names a class, and only the compiled script has classes")
        }));
    }
    let device = model.link.device.value.as_str();
    all.push(format!("the kind of `{device}`: here it is an Ethernet device, or a device of bare IP packets if its name is that of a session"));
    all
}
