//! The kind of the queue of a leaf class.

use super::read::{Qdisc, after};
use crate::diag::ticked;
use crate::import::cake::AGGRESSIVE;
use crate::import::config::{Class, Queue, different};
use crate::import::report::Report;
use crate::terms::PerDirection;
use crate::terms::limits::PACKETS;

/// Sets the kind of the queue of a leaf class.
pub(super) fn kind(queues: Option<&PerDirection<Option<&Qdisc>>>, class: &mut Class, report: &mut Report) {
    let both = queues.copied().unwrap_or_default();
    let Some(queue) = both.up.or(both.down) else {
        class.queue = Some(Queue { kind: "fifo", options: Vec::new() });
        return;
    };
    let kind = queue.kind.as_str();
    if let Some(down) = both.down.filter(|down| down.kind != kind) {
        let said = format!(
            "the queue is {kind} for uploads and {} for downloads, and a file has one for both",
            down.kind
        );
        report.lost(down.span, said, "that for uploads is used");
    }
    match kind {
        "fq_codel" => {}
        "cake" => {
            let (shared, options) = of_cake(queue);
            if both.down.is_some_and(|down| down.kind == kind && of_cake(down) != (shared, options.clone())) {
                let said = "the options of CAKE differ between uploads and downloads, and a class has one queue for both";
                report.lost(queue.span, said, "those for uploads are used");
            }
            if queue.has("ack-filter-aggressive") {
                report.lost(queue.span, AGGRESSIVE, "");
            }
            class.share = shared.then_some("per-host");
            class.queue = (!shared || !options.is_empty()).then_some(Queue { kind: "cake", options });
        }
        "pfifo" | "bfifo" | "pfifo_fast" => {
            let limits = PerDirection::from_fn(|one| {
                let text = after(&both.get(one).filter(|queue| queue.kind == "pfifo")?.words, "limit")?;
                text.trim_end_matches('p').parse::<u32>().ok().filter(|limit| PACKETS.holds((*limit).into()))
            });
            if let Some((up, down)) = different(limits) {
                let said = format!(
                    "the queue holds {up} packets for uploads and {down} for downloads, and a file has one `limit` for both"
                );
                report.lost(queue.span, said, "the value for uploads is used");
            }
            let limit = limits.up.or(limits.down).map(|limit| ("limit", limit.to_string()));
            class.queue = Some(Queue { kind: "fifo", options: limit.into_iter().collect() });
        }
        other => report.lost(
            queue.span,
            format!("the queue {} has no equivalent; fq_codel replaces it", ticked(other)),
            "the queues are `fq_codel`, `cake` and `fifo`",
        ),
    }
}

/// Returns whether a CAKE shares between hosts, and its options.
fn of_cake(queue: &Qdisc) -> (bool, Vec<(&'static str, String)>) {
    let tins = ["diffserv3", "diffserv4", "diffserv8"].into_iter().find(|name| queue.has(name));
    let filters = queue.has("ack-filter") || queue.has("ack-filter-aggressive");
    let options = [
        ("diffserv", tins),
        ("ack_filter", filters.then_some("true")),
        ("wash", queue.has("wash").then_some("true")),
    ];
    let options = options.into_iter().filter_map(|(key, value)| Some((key, value?.to_owned())));
    let shared = ["dual-srchost", "dual-dsthost", "triple-isolate"].iter().any(|name| queue.has(name));
    (shared, options.collect())
}
