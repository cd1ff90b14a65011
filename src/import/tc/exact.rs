//! Options of fq_codel: only those that the compiler would derive differently.

use super::read::{Qdisc, after};
use super::root::Link;
use crate::compile::{Options, compile};
use crate::diag::Span;
use crate::import::amounts::{size_of_tc, time_of_tc};
use crate::import::config::{Class, Config, Queue};
use crate::import::fq_codel::{self, Kind};
use crate::import::report::Report;
use crate::import::yaml;
use crate::tc::{Dev, Parent, QdiscKind};
use crate::terms::limits::ROUND_TRIP;
use crate::terms::{Direction, PerDirection};
use crate::units::Micros;
use std::collections::HashMap;

/// Queues that the compiler derives, by direction and class. The root has no name.
type Derived = HashMap<(Direction, String), QdiscKind>;

/// Adds the options that differ from the derived ones.
pub(super) fn with_queues(mut config: Config, link: &Link<'_>, report: &mut Report) -> Config {
    let derived = derived(&config);
    let mut held: HashMap<(Direction, u16), (Span, fq_codel::Options)> = HashMap::new();
    for (direction, qdisc) in link.qdiscs() {
        match (qdisc.kind.as_str(), qdisc.parent) {
            ("cake", _) => report_memory(qdisc, direction, &derived, report),
            ("fq_codel", Some((_, minor))) => {
                let mut options = fq_codel::Options::default();
                fq_codel::set(&mut options, "ecn", "0");
                fq_codel::read(&qdisc.words, &mut options, report);
                held.insert((direction, minor), (qdisc.span, options));
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
            let cake = queues.get(direction).filter(|qdisc| qdisc.kind == "cake")?;
            after(&cake.words, "rtt").and_then(time_of_tc).filter(|rtt| ROUND_TRIP.holds(rtt.us()))
        });
        if let Some(rtt) = other_round_trip(rtt, &class.name, &derived) {
            let queue = class.queue.get_or_insert_with(|| Queue { kind: "cake", options: Vec::new() });
            queue.options.push(("rtt", rtt.to_string()));
        }
        if class.queue.is_some() || class.share.is_some() || !class.classes.is_empty() {
            return;
        }
        let mut span = None;
        let own = PerDirection::from_fn(|direction| {
            let (place, held) = *held.get(&(direction, minor))?;
            span = Some(place);
            let derived = options(derived.get(&(direction, class.name.clone()))?)?;
            Some((held, fq_codel::combined(&held, &derived, different)))
        });
        let Some(span) = span else { return };
        let options = PerDirection::from_fn(|direction| {
            let other = own.get(direction.other()).map(|(_, different)| different).unwrap_or_default();
            let Some((held, different)) = own.get(direction) else { return other };
            // An option that differs in one direction only has in the other the value that would be derived anyway.
            let more = fq_codel::combined(held, &other, |_, held, other| other.and(held));
            fq_codel::combined(different, &more, |_, own, more| own.or(more))
        });
        class.queue = fq_codel::queue(&options, span, report);
    });
    config
}

/// Reports the `memlimit` of a CAKE that the compiler would not derive.
fn report_memory(qdisc: &Qdisc, direction: Direction, derived: &Derived, report: &mut Report) {
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

/// Returns the round trip time of a CAKE, if it is the same in both directions and not the derived one.
fn other_round_trip(rtt: PerDirection<Option<Micros>>, name: &str, derived: &Derived) -> Option<Micros> {
    let one = rtt.up.or(rtt.down)?;
    let same = Direction::BOTH.iter().all(|direction| rtt.get(*direction).is_none_or(|own| own == one));
    let known = |direction: &Direction| match derived.get(&(*direction, name.to_owned())) {
        Some(QdiscKind::Cake { rtt, .. }) => near(rtt.us(), one.us()),
        _ => true,
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

/// Returns the queues that the compiler derives.
fn derived(config: &Config) -> Derived {
    let text = yaml::text(config, &[]);
    let compiled = compile(text, &Options::of("imported.yaml"));
    let Some((_, program)) = compiled.finished() else { return Derived::default() };
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
