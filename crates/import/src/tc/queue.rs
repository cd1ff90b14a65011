//! The kind of the queue of a leaf class.

use super::read::{Qdisc, after};
use super::root::Queues;
use crate::cake;
use crate::config::{Class, Queue};
use crate::fq_codel;
use crate::report::ImportReport;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::limits::PACKETS;
use qosc_compiler::terms::{Diffserv, Direction};

/// Sets the kind of the queue of a leaf class. A direction without a queue has that of the other one.
pub(super) fn kind(queues: Option<&Queues<'_>>, class: &mut Class, report: &mut ImportReport) {
    let queues = queues.copied().unwrap_or_default();
    for direction in Direction::BOTH {
        let own = queues.get(direction).or(*queues.get(direction.other()));
        let fifo = (None, Some(Queue { kind: "fifo", options: Vec::new() }));
        let (share, queue) = own.map_or(fifo, |own| of_one(own, direction, report));
        *class.share.get_mut(direction) = share;
        *class.queue.get_mut(direction) = queue;
    }
}

/// Returns `share` and the queue for one direction.
fn of_one(
    queue: &Qdisc,
    direction: Direction,
    report: &mut ImportReport,
) -> (Option<&'static str>, Option<Queue>) {
    match queue.kind.as_str() {
        "fq_codel" => (None, fq_codel::queue(&fq_codel::changed(&queue.words, report))),
        "cake" => {
            let mut own = cake::Options::new(Diffserv::Besteffort);
            cake::read(&queue.words, &mut own, direction, report);
            let mut options = cake::settings(&own).map(|queue| queue.options).unwrap_or_default();
            let has_tins = own.tins != Diffserv::Besteffort;
            options.extend(has_tins.then(|| ("diffserv", own.tins.as_str().to_owned())));
            options.extend(own.wash.then(|| ("wash", "true".to_owned())));
            let queue = (!own.per_host || !options.is_empty()).then_some(Queue { kind: "cake", options });
            (own.per_host.then_some("per-host"), queue)
        }
        "pfifo" | "bfifo" | "pfifo_fast" => {
            let text = after(&queue.words, "limit");
            let limit = text.and_then(|text| text.trim_end_matches('p').parse::<u32>().ok());
            let limit = limit.filter(|limit| PACKETS.holds((*limit).into()));
            if let (Some(text), None) = (text, limit) {
                let said = format!("the value {} of `limit` has no equivalent", ticked(text));
                report.lost(queue.span, said, "`limit` of a fifo is a number of packets");
            }
            let options = limit.map(|limit| ("limit", limit.to_string())).into_iter().collect();
            (None, Some(Queue { kind: "fifo", options }))
        }
        other => {
            report.lost(queue.span, fq_codel::instead_of(other), fq_codel::QUEUES);
            (None, None)
        }
    }
}
