#![doc = include_str!("../../../../docs/rules/Q0428.md")]

use crate::derive::Packet;
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Class, Direction, FULL_PACKET_MEMORY, Leaf, Model, Queue};

pub(super) fn find(model: &Model, class: &Class, leaf: &Leaf) -> Option<Diagnostic> {
    let short = model.link.shaped_directions().filter_map(|direction| {
        let Queue::FqCodel { limit, memory, .. } = leaf.queue.get(direction) else { return None };
        let (packets, fit) = (u64::from(limit.value), memory.value.get() / FULL_PACKET_MEMORY);
        let (need, kib) = needed(model, class, leaf, direction)?;
        let (place, least) = match packets < fit {
            true => (limit.given_at()?, format!("limit: {need}")),
            false => (memory.given_at()?, format!("memory: {kib}KiB")),
        };
        (packets.min(fit) < need).then_some((need, packets.min(fit), place, least))
    });
    let (need, held, place, least) = short.max()?;
    let message = format!("a queue of class {} is too short for its rate", ticked(&class.name));
    Some(
        Diagnostic::new(Code::QueueTooShort, place, message)
            .label(format!("holds {held} full packets, but its rate carries {need} in CoDel's target"))
            .help(format!("write at least `{least}`")),
    )
}

/// Returns the full packets that each `fq_codel` of a leaf must hold, and their memory in KiB, a power of two. CoDel
/// controls a queue only if packets can wait in it for its target. A shorter queue drops packets because it is full.
pub(super) fn needed(model: &Model, class: &Class, leaf: &Leaf, direction: Direction) -> Option<(u64, u64)> {
    let target = leaf.queues(direction).find_map(|queue| match queue {
        Queue::FqCodel { target, .. } if model.cake.get(direction).is_none() => Some(target.value),
        _ => None,
    })?;
    // all other hosts share one more queue, which often none of them uses
    let hosts = leaf.host_classes(direction).filter(|host| host.host.is_some());
    let rate = hosts.map(|host| host.ceiling.value).max().unwrap_or(class.ceiling.get(direction).value);
    let packets = rate.bytes_in(target).div_ceil(Packet::of(&model.link).full());
    Some((packets, packets.saturating_mul(FULL_PACKET_MEMORY).div_ceil(1 << 10).next_power_of_two()))
}
