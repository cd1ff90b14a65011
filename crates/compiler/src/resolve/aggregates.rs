//! Decides if aggregated packets are split before they reach the shaper, and sets the numbers that follow.

use crate::derive::{self, Packet};
use crate::model::{Class, Direction, Link, Offloads, PerDirection, Scheduling, Shape, Val, whole_queues};
use crate::units::Rate;

/// Returns the decision for both directions. Sets the quanta of the link and of the classes.
pub(super) fn settle(
    link: &mut Link,
    classes: &mut [Class],
    offloads: &Val<Offloads>,
) -> PerDirection<Val<bool>> {
    let packet = Packet::of(link);
    let split = PerDirection::from_fn(|d| {
        if link.engine.get(d).value.is_cake() {
            return Val::default(false, "CAKE takes aggregates apart by itself");
        }
        let queues = whole_queues(classes, d).filter(|_| link.shapes(d));
        let slowest = queues.map(|queue| (queue.name, queue.ceiling.value)).min_by_key(|(_, rate)| *rate);
        let rates = (link.tree.get(d).value, slowest);
        derive::split(packet, link.frames.value, rates, link.margin.get(d).value, offloads)
    });
    for d in Direction::BOTH {
        let (rate, split) = (link.tree.get(d).value, split.get(d).value);
        *link.scheduling.get_mut(d) = derive::scheduling(packet, rate, rate, split);
        *link.basis.get_mut(d) = derive::basis(packet, link.margin(d).map(|margin| margin.value), split);
        if !split {
            classes.iter_mut().for_each(|class| quanta(class, packet, d));
        }
    }
    split
}

/// Sets the quanta in a class of a direction in which aggregated packets reach HTB. A slow class whose queue splits
/// them has the quantum of single packets. The other classes have that of an aggregate.
fn quanta(class: &mut Class, packet: Packet, direction: Direction) {
    let set = |scheduling: &mut Scheduling, guarantee: Rate, ceiling: Rate, splits: bool| {
        let single = splits && derive::is_slow(packet, ceiling);
        scheduling.quantum = derive::quantum(packet, guarantee, single);
    };
    let (guarantee, ceiling) = (class.guarantee.get(direction).value, class.ceiling.get(direction).value);
    let splits = match &mut class.shape {
        Shape::Inner(children) => {
            children.iter_mut().for_each(|class| quanta(class, packet, direction));
            false
        }
        Shape::Leaf(leaf) => {
            let hosts = leaf.hosts.get_mut(direction).iter_mut();
            for own in hosts.flat_map(|hosts| hosts.hosts.iter_mut().chain([&mut *hosts.rest])) {
                set(&mut own.scheduling, own.guarantee.value, own.ceiling.value, own.queue.splits());
            }
            leaf.hosts.get(direction).is_none() && leaf.queue.get(direction).splits()
        }
    };
    set(class.scheduling.get_mut(direction), guarantee, ceiling, splits);
}

#[cfg(test)]
#[path = "aggregates_tests.rs"]
mod tests;
