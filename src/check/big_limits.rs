#![doc = include_str!("../rules/Q0422.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, FileId, Sink, Span};
use crate::model::{Model, Queue};
use crate::units::Bytes;

pub(super) const RULE: Rule = Rule { name: "big-limits", codes: &[Code::LimitsTooLarge], run };

/// Half of what a router of 128 MB has.
const MUCH: Bytes = Bytes::new(64_000_000);
/// As many places as the finding points at.
const POINTED_AT: usize = 6;

fn run(model: &Model, sink: &mut Sink) {
    let most = model.memory.packets.value;
    let given: Vec<Span> = model
        .leaves()
        .into_iter()
        .filter(|class| class.span.file == FileId::OWN)
        .filter_map(|class| class.leaf())
        .flat_map(|leaf| [limit(&leaf.queue.up), limit(&leaf.queue.down)])
        .flatten()
        .collect();
    // What we derive ourselves is for us to keep small.
    let Some(first) = given.first().filter(|_| most > MUCH) else { return };
    let finding = Diagnostic::new(
        Code::LimitsTooLarge,
        *first,
        format!("packets that wait may take {} MB of memory", most.get() / 1_000_000),
    );
    let others = given.iter().filter(|place| *place != first).take(POINTED_AT);
    let finding = others.fold(finding, |finding, place| finding.also(*place, "and this"));
    sink.push(finding.help("leave limits out: the derived ones hold what the line carries in a second"));
}

/// Where somebody says how much a queue may hold.
fn limit(queue: &Queue) -> Option<Span> {
    match queue {
        Queue::FqCodel { limit, memory, .. } => memory.given_at().or_else(|| limit.given_at()),
        Queue::Fifo { limit } => limit.given_at(),
        Queue::Cake { .. } => None,
    }
}
