//! The kind of the queue of a leaf class.

use super::read::{Qdisc, after};
use crate::amounts::time_of_tc;
use crate::cake;
use crate::config::{Class, Queue};
use crate::fq_codel;
use crate::report::ImportReport;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::limits::PACKETS;
use qosc_compiler::terms::{Direction, PerDirection};

/// Sets the kind of the queue of a leaf class. A direction without a queue has that of the other one.
pub(super) fn kind(
    queues: Option<&PerDirection<Option<&Qdisc>>>,
    class: &mut Class,
    report: &mut ImportReport,
) {
    let queues = queues.copied().unwrap_or_default();
    for direction in Direction::BOTH {
        let own = queues.get(direction).or(*queues.get(direction.other()));
        let fifo = (None, Some(Queue { kind: "fifo", options: Vec::new() }));
        let (share, queue) = own.map_or(fifo, |own| of_one(own, report));
        *class.share.get_mut(direction) = share;
        *class.queue.get_mut(direction) = queue;
    }
}

/// Returns `share` and the queue for one direction.
fn of_one(queue: &Qdisc, report: &mut ImportReport) -> (Option<&'static str>, Option<Queue>) {
    match queue.kind.as_str() {
        "fq_codel" => (None, fq_codel::queue(&fq_codel::changed(&queue.words, report))),
        "cake" => {
            let (shared, options) = of_cake(queue);
            if let Some(limit) = after(&queue.words, "memlimit") {
                cake::report_memory(queue.span, limit, report);
            }
            if queue.has("ack-filter-aggressive") {
                report.lost(queue.span, cake::AGGRESSIVE, "");
            }
            let own = (!shared || !options.is_empty()).then_some(Queue { kind: "cake", options });
            (shared.then_some("per-host"), own)
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
            report.lost(
                queue.span,
                format!("the queue {} has no equivalent; fq_codel replaces it", ticked(other)),
                "the queues are `fq_codel`, `cake` and `fifo`",
            );
            (None, None)
        }
    }
}

/// Returns whether a CAKE shares between hosts, and its options.
fn of_cake(queue: &Qdisc) -> (bool, Vec<(&'static str, String)>) {
    let tins = ["diffserv3", "diffserv4", "diffserv8"].into_iter().find(|name| queue.has(name));
    let filters = queue.has("ack-filter") || queue.has("ack-filter-aggressive");
    let rtt = after(&queue.words, "rtt").and_then(time_of_tc).and_then(cake::own_rtt);
    let options = [
        ("diffserv", tins.map(str::to_owned)),
        ("ack_filter", filters.then(|| "true".to_owned())),
        ("wash", queue.has("wash").then(|| "true".to_owned())),
        ("rtt", rtt),
    ];
    let options = options.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let shared = ["dual-srchost", "dual-dsthost", "triple-isolate"].iter().any(|name| queue.has(name));
    (shared, options.collect())
}
