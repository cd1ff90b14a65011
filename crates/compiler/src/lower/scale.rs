//! Derives the scaling of each number from the line rates, with the inputs from the model.

use super::police;
use super::terms::flowid;
use crate::derive::{BORROWING, LEAST_RATE};
use crate::model::{Amount, Class, Direction, Ingress, Model, Origin, PerDirection, Queue, Shape, Val};
use crate::tc::{ClassScale, Handle, PoliceScale, QueueScale, ROOT, Remaining, Scale, TREE};
use crate::units::Rate;

/// Returns the scaling for both directions.
pub(super) fn scale(model: &Model) -> PerDirection<Scale> {
    PerDirection { up: of_direction(model, Direction::Up), down: of_direction(model, Direction::Down) }
}

fn of_direction(model: &Model, direction: Direction) -> Scale {
    let policed = || model.police.iter().filter(|police| police.direction == direction);
    let mut classes = Vec::new();
    let shaped = model.link.shapes(direction);
    if shaped && model.cake.get(direction).is_none() {
        below(&model.classes, Handle { major: ROOT, minor: TREE }, direction, &mut classes);
    }
    let indexes = police::indexes(model);
    let mut police: Vec<PoliceScale> = policed()
        .filter_map(|police| {
            let Amount::Share(share) = police.asked else { return None };
            let index = *indexes.get(police.name.as_str())?;
            Some(PoliceScale { index, share: Some(share), burst: given(&police.burst) })
        })
        .collect();
    if direction == Direction::Down && model.link.ingress.value == Ingress::Police {
        let index = indexes.get(police::WHOLE_LINK).copied();
        police.extend(index.map(|index| PoliceScale { index, share: None, burst: None }));
    }
    Scale {
        basis: *model.link.basis.get(direction),
        aside: policed()
            .filter(|police| police.bypass)
            .map(|police| police.asked)
            .chain(model.link.uploads_aside(direction).map(|(_, up)| Amount::Rate(up.value)))
            .collect(),
        classes,
        police,
    }
}

fn below(classes: &[Class], parent: Handle, direction: Direction, found: &mut Vec<ClassScale>) {
    for class in classes {
        let id = flowid(class.id.value);
        let queue = match &class.shape {
            Shape::Leaf(leaf) if leaf.hosts.get(direction).is_none() => {
                Some(queue(leaf.queue.get(direction)))
            }
            Shape::Leaf(_) | Shape::Inner(_) => None,
        };
        let guarantee = *class.asked.guarantee.get(direction);
        found.push(ClassScale {
            id,
            parent,
            guarantee,
            ceiling: *class.asked.ceiling.get(direction),
            remaining: remaining(guarantee, 1, LEAST_RATE),
            queue,
        });
        match &class.shape {
            Shape::Inner(children) => below(children, id, direction, found),
            Shape::Leaf(leaf) => found.extend(leaf.host_classes(direction).map(|host| ClassScale {
                id: flowid(host.id.value),
                parent: id,
                guarantee: host.asked.guarantee,
                ceiling: host.asked.ceiling,
                remaining: remaining(host.asked.guarantee, host.asked.weight, BORROWING),
                queue: Some(self::queue(&host.queue)),
            })),
        }
    }
}

/// Returns the share of the remaining rate for a class without a guarantee.
fn remaining(guarantee: Option<Amount>, weight: u64, least: Rate) -> Option<Remaining> {
    guarantee.is_none().then_some(Remaining { weight, least })
}

fn queue(queue: &Queue) -> QueueScale {
    match queue {
        Queue::FqCodel { limit, quantum, target, interval, memory, flows: _, ecn: _ } => {
            QueueScale::FqCodel {
                target: given(target),
                interval: given(interval),
                limit: given(limit),
                quantum: given(quantum),
                memory: given(memory),
            }
        }
        Queue::Cake { rtt, .. } => {
            let fixed = !matches!(rtt.origin, Origin::Derived { .. });
            QueueScale::Cake { rtt: fixed.then_some(rtt.value) }
        }
        Queue::Fifo { limit } => QueueScale::Pfifo { limit: given(limit) },
    }
}

/// Returns the value if the file gives it.
fn given<T: Copy>(val: &Val<T>) -> Option<T> {
    val.is_given().then_some(val.value)
}
