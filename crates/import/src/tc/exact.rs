//! Options of fq_codel: only those that the compiler would derive differently.

use super::read::{Qdisc, after};
use super::root::Link;
use crate::amounts::{size_of_tc, time_of_tc};
use crate::config::{Config, Queue, each};
use crate::fq_codel::{self, Kind};
use crate::report::ImportReport;
use qosc_compiler::tc::{Dev, Parent, Program, QdiscKind};
use qosc_compiler::terms::limits::ROUND_TRIP;
use qosc_compiler::terms::{Direction, PerDirection};
use qosc_compiler::units::Micros;
use std::collections::HashMap;

/// Queues that the compiler derives, by direction and class. The root has no name.
type Derived = HashMap<(Direction, String), QdiscKind>;

/// Adds the options that differ from the derived ones.
pub(super) fn with_queues(
    mut config: Config,
    program: &Program,
    link: &Link<'_>,
    report: &mut ImportReport,
) -> Config {
    let derived = derived(program);
    let mut held: HashMap<(Direction, u16), fq_codel::Options> = HashMap::new();
    for (direction, qdisc) in link.qdiscs() {
        match (qdisc.kind.as_str(), qdisc.parent) {
            ("cake", _) => report_memory(qdisc, direction, &derived, report),
            ("fq_codel", Some((_, minor))) => {
                let mut options = fq_codel::Options::default();
                fq_codel::set(&mut options, "ecn", "0");
                fq_codel::read(&qdisc.words, &mut options, report);
                held.insert((direction, minor), options);
            }
            _ => {}
        }
    }
    let queues = link.queues();
    each(&mut config.classes, &mut |class| {
        let minor = class.name.strip_prefix("class-").and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let Some((minor, queues)) = minor.and_then(|minor| Some((minor, queues.get(&minor)?))) else {
            return;
        };
        let rtt = PerDirection::from_fn(|direction| {
            let qdisc = queues.get(direction).or(*queues.get(direction.other()));
            let cake = qdisc.filter(|qdisc| qdisc.kind == "cake")?;
            after(&cake.words, "rtt").and_then(time_of_tc).filter(|rtt| ROUND_TRIP.holds(rtt.us()))
        });
        for (direction, rtt) in other_round_trips(rtt, &class.name, &derived) {
            let queue = class.queue.get_mut(direction);
            let queue = queue.get_or_insert_with(|| Queue { kind: "cake", options: Vec::new() });
            queue.options.push(("rtt", rtt.to_string()));
        }
        if !class.classes.is_empty() {
            return;
        }
        let own = PerDirection::from_fn(|direction| {
            let held = *held.get(&(direction, minor))?;
            let derived = options(derived.get(&(direction, class.name.clone()))?)?;
            Some((held, fq_codel::combined(&held, &derived, different)))
        });
        for direction in Direction::BOTH {
            if class.queue.get(direction).is_some() || class.share.get(direction).is_some() {
                continue;
            }
            let other = own.get(direction.other()).map(|(_, different)| different).unwrap_or_default();
            let options = own.get(direction).map_or(other, |(held, different)| {
                // An option with the same value in both directions is written once, although one of them derives it.
                let same =
                    fq_codel::combined(&held, &other, |_, held, other| other.filter(|_| held == other));
                fq_codel::combined(&different, &same, |_, own, same| own.or(same))
            });
            *class.queue.get_mut(direction) = fq_codel::queue(&options);
        }
    });
    config
}

/// Reports the `memlimit` of a CAKE that the compiler would not derive.
fn report_memory(qdisc: &Qdisc, direction: Direction, derived: &Derived, report: &mut ImportReport) {
    let name = qdisc.parent.map_or_else(String::new, |(_, minor)| format!("class-{minor:x}"));
    let held = after(&qdisc.words, "memlimit").and_then(size_of_tc);
    if let (Some(held), Some(QdiscKind::Cake { memory, .. })) = (held, derived.get(&(direction, name)))
        && !near(held.get(), memory.get())
    {
        let said =
            format!("`memlimit` of CAKE is {held}, and the compiler derives {memory}: a file cannot set it");
        report.lost(qdisc.span, said, "");
    }
}

/// Returns the round trip times of CAKE that are not the derived ones, and the same time in the other direction.
fn other_round_trips(
    rtt: PerDirection<Option<Micros>>,
    name: &str,
    derived: &Derived,
) -> Vec<(Direction, Micros)> {
    let given = |direction: Direction| Some((direction, (*rtt.get(direction))?));
    let is_other = |(direction, own): (Direction, Micros)| match derived.get(&(direction, name.to_owned())) {
        Some(QdiscKind::Cake { rtt, .. }) => !near(rtt.us(), own.us()),
        _ => false,
    };
    let same = |(direction, own): (Direction, Micros)| {
        given(direction.other()).filter(|(_, other)| *other == own).is_some_and(is_other)
    };
    Direction::BOTH.into_iter().filter_map(given).filter(|own| is_other(*own) || same(*own)).collect()
}

/// Returns the queues that the compiler derives.
fn derived(program: &Program) -> Derived {
    let classes = program.classes.iter();
    let mut names: HashMap<(Dev, Parent), &str> =
        classes.map(|class| ((class.dev, Parent::At(class.id)), class.why.name.as_str())).collect();
    names.extend([Dev::Wan, Dev::Ifb].map(|dev| ((dev, Parent::Root), "")));
    let named = program.qdiscs.iter().filter_map(|qdisc| {
        let direction = if qdisc.dev == Dev::Wan { Direction::Up } else { Direction::Down };
        let name = names.get(&(qdisc.dev, qdisc.parent))?;
        Some(((direction, (*name).to_owned()), qdisc.kind.clone()))
    });
    named.collect()
}

/// Returns the options of fq_codel.
fn options(kind: &QdiscKind) -> Option<fq_codel::Options> {
    let QdiscKind::FqCodel { limit, flows, quantum, target, interval, memory, ecn } = *kind else {
        return None;
    };
    let (limit, quantum, flows) = (limit.into(), quantum.into(), flows.into());
    Some([target.us(), interval.us(), limit, quantum, flows, ecn.into(), memory.get()].map(Some))
}

/// Returns an option that the kernel has and the compiler does not derive.
fn different(kind: Kind, held: Option<u64>, derived: Option<u64>) -> Option<u64> {
    let same = |held: u64| match kind {
        Kind::Time | Kind::Size => derived.is_some_and(|derived| near(held, derived)),
        Kind::Number(_) | Kind::Flag => derived == Some(held),
    };
    held.filter(|held| !same(*held))
}

/// Returns `true` for numbers that look the same in the few digits that `tc` prints.
const fn near(held: u64, derived: u64) -> bool {
    held.abs_diff(derived) <= derived / 50
}
