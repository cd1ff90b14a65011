#![doc = include_str!("../../../../docs/rules/Q0422.md")]

use super::{MUCH_MEMORY, own_leaves};
use crate::derive::{self, FqCodelGiven, Packet};
use crate::diag::{Code, Diagnostic, Span};
use crate::model::{Direction, Model, Queue};

/// Largest number of places in the finding.
const POINTED_AT: usize = 6;

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let most = model.memory.packets.value;
    let given = given(model);
    // If the file gives no such limits, another rule reports this.
    let first = given.first().filter(|_| most > MUCH_MEMORY)?;
    let most = most.for_people();
    let message = format!("with the limits in this file, packets in the queues may take {most} of memory");
    let others = given.iter().filter(|place| *place != first).take(POINTED_AT);
    Some(
        Diagnostic::new(Code::LimitsTooLarge, *first, message)
            .also_at(others.map(|place| (*place, "this limit too")))
            .help("leave these limits out: the derived limits hold what the line carries in one second"),
    )
}

/// Returns the places where the file lets a queue take more than the derived limits.
pub(super) fn given(model: &Model) -> Vec<Span> {
    let limits = own_leaves(model).flat_map(|(class, leaf)| {
        Direction::BOTH.map(|direction| {
            let (tree, ceiling) = (model.link.tree.get(direction).value, class.ceiling.get(direction).value);
            let given = FqCodelGiven::default();
            let derived = derive::fq_codel(Packet::of(&model.link), tree, ceiling, given);
            let queue = leaf.queue.get(direction);
            limit(queue).filter(|_| queue.packet_memory() > derived.packet_memory())
        })
    });
    limits.flatten().collect()
}

/// Returns the place where the file limits a queue.
fn limit(queue: &Queue) -> Option<Span> {
    match queue {
        Queue::FqCodel { limit, memory, .. } => memory.given_at().or_else(|| limit.given_at()),
        Queue::Fifo { limit } => limit.given_at(),
        Queue::Cake { .. } => None,
    }
}
