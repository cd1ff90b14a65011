//! Options of fq_codel: only those that the compiler would derive differently.

use super::read::{Qdisc, after};
use super::root::Link;
use super::tree::whole_policer;
use crate::amounts::{size_of_tc, time_of_tc};
use crate::config::{Config, Queue, each};
use crate::fq_codel;
use crate::report::ImportReport;
use qosc_compiler::tc::{Action, Dev, Hook, Parent, Program, QdiscKind};
use qosc_compiler::terms::limits::ROUND_TRIP;
use qosc_compiler::terms::{Direction, PerDirection};
use qosc_compiler::units::{Bytes, Rate};
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
    report_policer(program, link, report);
    let (derived, queues) = (derived(program), link.queues());
    for (direction, qdisc) in link.qdiscs().filter(|(_, qdisc)| qdisc.kind == "cake") {
        report_memory(qdisc, direction, &derived, report);
    }
    each(&mut config.classes, &mut |class| {
        let minor = class.name.strip_prefix("class-").and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let Some(queues) = minor.and_then(|minor| queues.get(&minor)) else { return };
        // `None` for a direction without queues
        let found = PerDirection::from_fn(|direction| {
            let derived = derived.get(&(direction, class.name.clone()))?;
            let qdisc = queues.get(direction).or(*queues.get(direction.other()))?;
            Some(different(qdisc, derived, report))
        });
        for direction in Direction::BOTH {
            let found = found.get(direction).as_ref().or(found.get(direction.other()).as_ref());
            if let Some(Some(Queue { kind, options })) = found {
                let queue = class.queue.get_mut(direction);
                let queue = queue.get_or_insert_with(|| Queue { kind, options: Vec::new() });
                queue.options.extend(options.iter().cloned());
            }
        }
    });
    config
}

/// Returns the options of a queue that the compiler does not derive.
fn different(qdisc: &Qdisc, derived: &QdiscKind, report: &mut ImportReport) -> Option<Queue> {
    match (qdisc.kind.as_str(), derived) {
        ("cake", QdiscKind::Cake { rtt, .. }) => {
            let own =
                after(&qdisc.words, "rtt").and_then(time_of_tc).filter(|own| ROUND_TRIP.holds(own.us()));
            let own = own.filter(|own| !near(own.us(), rtt.us()))?;
            Some(Queue { kind: "cake", options: vec![("rtt", own.to_string())] })
        }
        ("fq_codel", QdiscKind::FqCodel { limit, flows, quantum, target, interval, memory, ecn }) => {
            let (limit, quantum, flows) = ((*limit).into(), (*quantum).into(), (*flows).into());
            let derived =
                [target.us(), interval.us(), limit, quantum, flows, (*ecn).into(), memory.get()].map(Some);
            let mut own = fq_codel::Options::default();
            fq_codel::set(&mut own, "ecn", "0");
            fq_codel::read(&qdisc.words, &mut own, report);
            fq_codel::queue(&fq_codel::different(own, &derived, near))
        }
        _ => None,
    }
}

/// Reports a policer of all downloads that is another one in the result.
fn report_policer(program: &Program, link: &Link<'_>, report: &mut ImportReport) {
    let own = link.filters(Direction::Up).find_map(|filter| Some((filter.span, whole_policer(filter)?)));
    let at_ingress = program.filters.iter().filter(|filter| filter.hook == Hook::Ingress);
    let police = at_ingress.flat_map(|filter| &filter.actions).find_map(|action| match action {
        Action::Police(police) => Some(police),
        _ => None,
    });
    if let (Some((span, (rate, burst))), Some(police)) = (own, police)
        && (rate != police.rate || !near(burst.get(), police.burst.get()))
    {
        let one = |rate: Rate, burst: Bytes| format!("{rate} with a burst of {}", burst.for_people());
        let (was, is) = (one(rate, burst), one(police.rate, police.burst));
        let said = format!("the policer has {was} in the source, and {is} in the result");
        report.lost(span, said, "the compiler derives the burst from the rate");
    }
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

/// Returns `true` for numbers that look the same in the few digits that `tc` prints.
const fn near(held: u64, derived: u64) -> bool {
    held.abs_diff(derived) <= derived / 50
}
