//! What all queues take of memory.

use super::derive;
use crate::model::{Cake, Class, Direction, Ingress, Memory, PerDirection, Queue, Shape, Val};
use crate::units::Bytes;

/// What a packet of a fifo takes at most: as in `derive`.
const TRUESIZE: u64 = 2_304;

/// The sum of both directions, or of the one that is shaped.
pub(super) fn memory(classes: &[Class], roots: &PerDirection<Option<Cake>>, ingress: Ingress) -> Memory {
    let directions = match ingress {
        Ingress::Shape => &Direction::BOTH[..],
        Ingress::Police | Ingress::None => &[Direction::Up],
    };
    let mut queues = Vec::new();
    for class in crate::model::leaves(classes) {
        let Shape::Leaf(leaf) = &class.shape else { continue };
        for direction in directions.iter().filter(|direction| roots.get(**direction).is_none()) {
            match leaf.hosts.get(*direction) {
                None => queues.push(leaf.queue.get(*direction)),
                Some(hosts) => queues.extend(hosts.hosts.iter().chain([&hosts.rest]).map(|host| &host.queue)),
            }
        }
    }
    let of = |what: fn(&Queue) -> bool| queues.iter().filter(|queue| what(queue)).count();
    let (fq, cake) = (of(|q| matches!(q, Queue::FqCodel { .. })), of(|q| matches!(q, Queue::Cake { .. })));
    let roots: Vec<&Cake> =
        directions.iter().filter_map(|direction| roots.get(*direction).as_ref()).collect();
    let cake = cake + roots.len();
    let fifo = queues.len() + roots.len() - fq - cake;
    let kinds = [
        (fq, "of fq_codel with 12800 bytes and 66 a flow"),
        (cake, "of CAKE with 1068000 bytes"),
        (fifo, "of fifo with 11000 bytes"),
    ];
    let kinds =
        kinds.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}"));
    let formula = kinds.collect::<Vec<_>>().join(", ");
    let packets: u64 = queues
        .iter()
        .map(|queue| match queue {
            Queue::FqCodel { memory, .. } | Queue::Cake { memory, .. } => memory.value.get(),
            Queue::Fifo { limit } => u64::from(limit.value) * TRUESIZE,
        })
        .chain(roots.iter().map(|cake| cake.memory.value.get()))
        .sum();
    let own: u64 = queues.iter().map(|queue| derive::memory_of(queue)).sum();
    Memory {
        queues: Val::derived(Bytes::new(own + roots.len() as u64 * derive::CAKE_MEMORY), formula, None),
        packets: Val::derived(Bytes::new(packets), "the memory limits of all queues", None),
    }
}
