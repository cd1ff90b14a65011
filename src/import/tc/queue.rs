//! The kind of the queue of a leaf class.

use super::read::{Qdisc, after};
use crate::diag::ticked;
use crate::import::cake::AGGRESSIVE;
use crate::import::config::{Class, Queue, different};
use crate::import::report::Report;
use crate::terms::PerDirection;
use crate::terms::limits::PACKETS;

/// Sets the kind of the queue of a leaf class.
pub(super) fn kind(queues: &PerDirection<Option<&Qdisc>>, class: &mut Class, report: &mut Report) {
    let Some(queue) = queues.up.or(queues.down) else {
        class.queue = Some(Queue { kind: "fifo", options: Vec::new() });
        return;
    };
    if let (Some(up), Some(down)) = (queues.up, queues.down)
        && up.kind != down.kind
    {
        report.lost(
            down.span,
            format!(
                "the queue is {} for uploads and {} for downloads, and a file has one for both",
                up.kind, down.kind
            ),
            "that for uploads is used",
        );
    }
    match queue.kind.as_str() {
        "fq_codel" => {}
        "cake" => {
            let (shared, options) = of_cake(queue);
            if queues
                .down
                .is_some_and(|down| down.kind == "cake" && of_cake(down) != (shared, options.clone()))
            {
                let said = "the options of CAKE differ between uploads and downloads, and a class has one queue for both";
                report.lost(queue.span, said, "those for uploads are used");
            }
            if queue.words.iter().any(|word| word.text == "ack-filter-aggressive") {
                report.lost(queue.span, AGGRESSIVE, "");
            }
            if shared {
                class.share = Some("per-host");
            }
            if !shared || !options.is_empty() {
                class.queue = Some(Queue { kind: "cake", options });
            }
        }
        "pfifo" | "bfifo" | "pfifo_fast" => {
            let limit = |queue: Option<&Qdisc>| {
                let text = after(&queue.filter(|queue| queue.kind == "pfifo")?.words, "limit")?;
                text.trim_end_matches('p').parse::<u32>().ok().filter(|limit| PACKETS.holds((*limit).into()))
            };
            let limits = PerDirection { up: limit(queues.up), down: limit(queues.down) };
            if let Some((up, down)) = different(limits) {
                let said = format!(
                    "the queue holds {up} packets for uploads and {down} for downloads, and a file has one `limit` for both"
                );
                report.lost(queue.span, said, "the value for uploads is used");
            }
            let options =
                limits.up.or(limits.down).map(|limit| ("limit", limit.to_string())).into_iter().collect();
            class.queue = Some(Queue { kind: "fifo", options });
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
    let has = |names: &[&str]| queue.words.iter().any(|word| names.contains(&word.text.as_str()));
    let tins = ["diffserv3", "diffserv4", "diffserv8"].into_iter().find(|name| has(&[name]));
    let mut options: Vec<(&'static str, String)> = Vec::new();
    options.extend(tins.map(|tins| ("diffserv", tins.to_owned())));
    let filters = has(&["ack-filter", "ack-filter-aggressive"]);
    options.extend(filters.then(|| ("ack_filter", "true".to_owned())));
    options.extend(has(&["wash"]).then(|| ("wash", "true".to_owned())));
    (has(&["dual-srchost", "dual-dsthost", "triple-isolate"]), options)
}
