//! Options of fq_codel: only those that the compiler would derive differently.

use super::link::Link;
use super::read::{Qdisc, after};
use crate::compile::{Options, compile};
use crate::import::amounts::{size_of_tc, time_of_tc};
use crate::import::config::{Class, Config, Queue};
use crate::import::fq_codel;
use crate::import::report::Report;
use crate::import::yaml;
use crate::tc::{Dev, Parent, QdiscKind};
use crate::terms::limits::ROUND_TRIP;
use crate::terms::{Direction, PerDirection};
use crate::units::{Bytes, Micros};
use std::collections::HashMap;

/// Queues that the compiler derives.
#[derive(Default)]
struct Derived {
    fq_codel: HashMap<(Direction, String), fq_codel::Options>,
    /// Round trip times of CAKE.
    rtt: HashMap<(Direction, String), Micros>,
    /// Memory of CAKE; the root has no name.
    memory: HashMap<(Direction, String), Bytes>,
}

/// Options of a queue as the kernel has them, and as the compiler derives them.
type Pair = (fq_codel::Options, fq_codel::Options);

/// Adds the options that differ from the derived ones.
pub(super) fn with_queues(mut config: Config, link: &Link<'_>, report: &mut Report) -> Config {
    let (derived, rtts) = (derived(&config), round_trips(link));
    report_memory(link, &derived, report);
    let mut held: HashMap<(Direction, u16), (&Qdisc, fq_codel::Options)> = HashMap::new();
    for direction in Direction::BOTH {
        let Some(device) = *link.devices.get(direction) else { continue };
        for qdisc in device.qdiscs.iter().filter(|qdisc| qdisc.kind == "fq_codel") {
            let Some((_, minor)) = qdisc.parent else { continue };
            let mut options = fq_codel::Options { ecn: Some(false), ..fq_codel::Options::default() };
            fq_codel::read(&qdisc.words, &mut options, report);
            held.insert((direction, minor), (qdisc, options));
        }
    }
    each(&mut config.classes, &mut |class| {
        let Some(minor) = class.name.strip_prefix("class-").and_then(|hex| u16::from_str_radix(hex, 16).ok())
        else {
            return;
        };
        let rtt = |direction: Direction| rtts.get(&(direction, minor)).copied();
        if let Some(rtt) = other_round_trip(rtt(Direction::Up), rtt(Direction::Down), &class.name, &derived) {
            let queue = class.queue.get_or_insert_with(|| Queue { kind: "cake", options: Vec::new() });
            queue.options.push(("rtt", rtt.to_string()));
        }
        if class.queue.is_some() || class.share.is_some() || !class.classes.is_empty() {
            return;
        }
        let mut span = None;
        let pairs = PerDirection::from_fn(|direction| {
            let (qdisc, held) = held.get(&(direction, minor))?;
            span = Some(qdisc.span);
            Some((held.clone(), derived.fq_codel.get(&(direction, class.name.clone()))?.clone()))
        });
        let Some(span) = span else { return };
        let options = PerDirection::from_fn(|direction| {
            pairs.get(direction).as_ref().map(different).unwrap_or_default()
        });
        // An option that differs in one direction only has in the other the value that would be derived anyway.
        let options = PerDirection::from_fn(|direction| {
            let own = options.get(direction);
            let other = options.get(direction.other());
            let held =
                pairs.get(direction).as_ref().map(|(held, _)| held.clone()).unwrap_or_else(|| other.clone());
            filled(own, other, &held)
        });
        class.queue = fq_codel::queue(&options, span, report);
    });
    config
}

/// Reports the `memlimit` of each CAKE that the compiler would not derive.
fn report_memory(link: &Link<'_>, derived: &Derived, report: &mut Report) {
    for direction in Direction::BOTH {
        let qdiscs = link.devices.get(direction).map(|device| device.qdiscs.as_slice()).unwrap_or_default();
        for qdisc in qdiscs.iter().filter(|qdisc| qdisc.kind == "cake") {
            let name = qdisc.parent.map_or_else(String::new, |(_, minor)| format!("class-{minor:x}"));
            let held = after(&qdisc.words, "memlimit").and_then(size_of_tc);
            let Some((held, own)) = held.zip(derived.memory.get(&(direction, name))) else { continue };
            if held.abs_diff(own.get()) > own.get() / 50 {
                let held = Bytes::new(held);
                let said = format!(
                    "`memlimit` of CAKE is {held}, and the compiler derives {own}: a file cannot set it"
                );
                report.lost(qdisc.span, said, "");
            }
        }
    }
}

/// Returns the round trip times of the CAKEs in classes.
fn round_trips(link: &Link<'_>) -> HashMap<(Direction, u16), Micros> {
    let mut out = HashMap::new();
    for direction in Direction::BOTH {
        let Some(device) = *link.devices.get(direction) else { continue };
        for qdisc in device.qdiscs.iter().filter(|qdisc| qdisc.kind == "cake") {
            let rtt =
                after(&qdisc.words, "rtt").and_then(time_of_tc).filter(|rtt| ROUND_TRIP.holds(rtt.us()));
            out.extend(qdisc.parent.zip(rtt).map(|((_, minor), rtt)| ((direction, minor), rtt)));
        }
    }
    out
}

/// Returns the round trip time of a CAKE, if it is the same in both directions and not the derived one.
fn other_round_trip(
    up: Option<Micros>,
    down: Option<Micros>,
    name: &str,
    derived: &Derived,
) -> Option<Micros> {
    let one = up.or(down)?;
    let same = up.is_none_or(|up| up == one) && down.is_none_or(|down| down == one);
    // tc prints three digits
    let known = |direction: &Direction| {
        let own = derived.rtt.get(&(*direction, name.to_owned()));
        own.is_none_or(|own| own.us().abs_diff(one.us()) <= one.us() / 50)
    };
    (same && !Direction::BOTH.iter().all(known)).then_some(one)
}

/// Calls a function for each class.
fn each(classes: &mut [Class], call: &mut dyn FnMut(&mut Class)) {
    for class in classes {
        call(class);
        each(&mut class.classes, call);
    }
}

/// Returns the fq_codel options that the compiler derives, by direction and class.
fn derived(config: &Config) -> Derived {
    let text = yaml::text(config, &[]);
    let compiled = compile(text, &Options::of("imported.yaml"));
    let Some((_, program)) = compiled.finished() else { return Derived::default() };
    let names: HashMap<(Dev, Parent), &str> = program
        .classes
        .iter()
        .map(|class| ((class.dev, Parent::At(class.id)), class.why.name.as_str()))
        .collect();
    let mut out = Derived::default();
    for qdisc in &program.qdiscs {
        let root = (qdisc.parent == Parent::Root).then_some("");
        let Some(name) = names.get(&(qdisc.dev, qdisc.parent)).copied().or(root) else { continue };
        let direction = if qdisc.dev == Dev::Wan { Direction::Up } else { Direction::Down };
        let key = (direction, name.to_owned());
        if let QdiscKind::Cake { rtt, memory, .. } = qdisc.kind {
            out.rtt.insert(key.clone(), rtt);
            out.memory.insert(key.clone(), memory);
        }
        let QdiscKind::FqCodel { limit, flows, quantum, target, interval, memory, ecn } = qdisc.kind else {
            continue;
        };
        let options = fq_codel::Options {
            target: Some(target),
            interval: Some(interval),
            limit: Some(limit.into()),
            quantum: Some(quantum.into()),
            flows: Some(flows.into()),
            ecn: Some(ecn),
            memory: Some(memory.get()),
        };
        out.fq_codel.insert(key, options);
    }
    out
}

/// Returns the options that the kernel has and the compiler does not derive. `tc` prints few digits.
fn different((held, derived): &Pair) -> fq_codel::Options {
    let near = |held: u64, derived: u64| held.abs_diff(derived) <= derived / 50;
    let times = |held: Option<Micros>, derived: Option<Micros>| {
        held.filter(|held| derived.is_none_or(|derived| !near(held.us(), derived.us())))
    };
    fq_codel::Options {
        target: times(held.target, derived.target),
        interval: times(held.interval, derived.interval),
        limit: held.limit.filter(|_| held.limit != derived.limit),
        quantum: held.quantum.filter(|_| held.quantum != derived.quantum),
        flows: held.flows.filter(|_| held.flows != derived.flows),
        ecn: held.ecn.filter(|_| held.ecn != derived.ecn),
        memory: held.memory.filter(|own| derived.memory.is_none_or(|derived| !near(*own, derived))),
    }
}

/// Returns the options of one direction, with those of the other that only it changes.
fn filled(own: &fq_codel::Options, other: &fq_codel::Options, held: &fq_codel::Options) -> fq_codel::Options {
    fq_codel::Options {
        target: own.target.or(held.target.filter(|_| other.target.is_some())),
        interval: own.interval.or(held.interval.filter(|_| other.interval.is_some())),
        limit: own.limit.or(held.limit.filter(|_| other.limit.is_some())),
        quantum: own.quantum.or(held.quantum.filter(|_| other.quantum.is_some())),
        flows: own.flows.or(held.flows.filter(|_| other.flows.is_some())),
        ecn: own.ecn.or(held.ecn.filter(|_| other.ecn.is_some())),
        memory: own.memory.or(held.memory.filter(|_| other.memory.is_some())),
    }
}
