//! Computes the memory that all queues take.

use crate::derive;
use crate::model::{Cake, Class, Link, Memory, PerDirection, Queue, Shape, Val};
use crate::units::Bytes;

/// Returns the sum for both directions, or for uploads alone if downloads are not shaped.
pub(super) fn memory(classes: &[Class], roots: &PerDirection<Option<Cake>>, link: &Link) -> Memory {
    let mut queues = Vec::new();
    for class in crate::model::leaves(classes) {
        let Shape::Leaf(leaf) = &class.shape else { continue };
        for direction in link.shaped_directions().filter(|direction| roots.get(*direction).is_none()) {
            queues.extend(leaf.queues(direction));
        }
    }
    let of = |what: fn(&Queue) -> bool| queues.iter().filter(|queue| what(queue)).count();
    let (fq, cake) = (of(|q| matches!(q, Queue::FqCodel { .. })), of(|q| matches!(q, Queue::Cake { .. })));
    let roots: Vec<&Cake> =
        link.shaped_directions().filter_map(|direction| roots.get(direction).as_ref()).collect();
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
        .map(|queue| queue.packet_memory())
        .chain(roots.iter().map(|cake| cake.memory.value.get()))
        .sum();
    let own: u64 = queues.iter().map(|queue| derive::memory_of(queue)).sum();
    Memory {
        queues: Val::derived(Bytes::new(own + roots.len() as u64 * derive::CAKE_MEMORY), formula, None),
        packets: Val::derived(Bytes::new(packets), "the memory limits of all queues", None),
    }
}
