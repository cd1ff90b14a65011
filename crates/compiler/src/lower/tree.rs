//! Lowers the class tree of one direction: the root qdisc, its classes, and the queues of its leaves.

use super::terms::{charge, dev, flowid, why};
use crate::derive::INSTEAD_RTT;
use crate::model::{
    Cake, Class, ClassId, Diffserv, Direction, Engine, Isolation, Model, Queue, Scheduling, Shape, Share,
};
use crate::tc::{
    CakeIsolation, CakeOverhead, CakeShaper, CakeTins, Dev, Handle, HtbClass, Parent, Qdisc, QdiscKind, ROOT,
    Stab, TREE, Why, class_minor,
};
use crate::units::{Bytes, Rate};

/// Limit in packets of the queue for packets that bypass the classes: the default queue length of an Ethernet device.
const DIRECT_QUEUE: u32 = 1000;

/// Largest header in bytes on a WAN device, Ethernet and PPPoE. A smaller overhead may be below the real header.
const LARGEST_HEADER: u32 = 22;

/// Returns `true` if the root needs a size table on some kind of device.
const fn may_have_table(model: &Model) -> bool {
    model.link.overhead.value < LARGEST_HEADER
}

/// Returns the root qdisc of a direction.
pub(super) fn root(model: &Model, direction: Direction) -> Qdisc {
    let above_ip = model.link.overhead.value;
    let stab = if may_have_table(model) { Stab::BelowHeader { above_ip } } else { Stab::None };
    let kind = match model.cake.get(direction) {
        Some(cake) => cake_root(model, cake, direction),
        None => QdiscKind::Htb { direct_qlen: DIRECT_QUEUE, stab },
    };
    Qdisc {
        dev: dev(direction),
        parent: Parent::Root,
        handle: Handle { major: ROOT, minor: 0 },
        kind,
        instead: None,
        why: why(model.name.value.as_str(), direction.loads(), model.link.shaped.get(direction).span()),
    }
}

/// Returns a CAKE that schedules a direction. Uploads are shared between the sending hosts, downloads between the
/// receiving ones. For downloads it also counts the packets that it drops, because they have already used the line.
fn cake_root(model: &Model, cake: &Cake, direction: Direction) -> QdiscKind {
    let down = direction == Direction::Down;
    let per_host = cake.share.value == Share::PerHost;
    QdiscKind::Cake {
        shaper: Some(CakeShaper {
            mq: model.link.engine.get(direction).value == Engine::CakeMq,
            ..cake_shaper(model, CakeOverhead::AboveIp, model.link.tree.get(direction).value, down)
        }),
        tins: tins(cake.diffserv.value),
        isolation: match (per_host, direction) {
            (false, _) => CakeIsolation::Flows,
            (true, Direction::Up) => CakeIsolation::DualSrchost,
            (true, Direction::Down) => CakeIsolation::DualDsthost,
        },
        nat: per_host && model.lan.nat.value,
        rtt: cake.rtt.value,
        ack_filter: cake.ack_filter.value,
        wash: *model.link.wash.get(direction),
        memory: cake.memory.value,
    }
}

/// If the link has no minimum charge, CAKE gets an `mpu` of one byte, which every packet has. The reason is that tc
/// sends no `mpu 0`, so a CAKE that is changed in place would keep its old value.
fn cake_shaper(model: &Model, overhead: fn(u32) -> CakeOverhead, rate: Rate, ingress: bool) -> CakeShaper {
    let charge = charge(&model.link);
    CakeShaper {
        rate,
        overhead: overhead(model.link.overhead.value),
        mpu: charge.mpu.max(1),
        linklayer: charge.linklayer,
        ingress,
        mq: false,
    }
}

/// Returns the hooks of the WAN device.
pub(super) fn clsact(model: &Model) -> Qdisc {
    Qdisc {
        dev: Dev::Wan,
        parent: Parent::Clsact,
        handle: Handle { major: 0xffff, minor: 0 },
        kind: QdiscKind::Clsact,
        instead: None,
        why: why(model.name.value.as_str(), "hooks", None),
    }
}

/// Returns the classes of a direction, parents before children.
pub(super) fn classes(model: &Model, direction: Direction) -> Vec<HtbClass> {
    if model.cake.get(direction).is_some() {
        return Vec::new();
    }
    let link = &model.link;
    let rate = link.tree.get(direction).value;
    let top = HtbClass {
        dev: dev(direction),
        parent: Parent::At(Handle { major: ROOT, minor: 0 }),
        id: Handle { major: ROOT, minor: TREE },
        prio: 0,
        why: why(
            model.name.value.as_str(),
            &format!("all {}", direction.loads()),
            link.shaped.get(direction).span(),
        ),
        ..class(model, rate, rate, link.scheduling.get(direction))
    };
    let mut found = vec![top];
    below(model, direction, &model.classes, Handle { major: ROOT, minor: TREE }, &mut found);
    found
}

fn below(model: &Model, direction: Direction, classes: &[Class], parent: Handle, found: &mut Vec<HtbClass>) {
    for own in classes {
        let id = flowid(own.id.value);
        let (rate, ceil) = (own.guarantee.get(direction).value, own.ceiling.get(direction).value);
        found.push(HtbClass {
            dev: dev(direction),
            parent: Parent::At(parent),
            id,
            prio: own.priority.value,
            why: why(&own.name, "", Some(own.span)),
            ..class(model, rate, ceil, own.scheduling.get(direction))
        });
        match &own.shape {
            Shape::Inner(children) => below(model, direction, children, id, found),
            Shape::Leaf(leaf) => {
                let hosts = leaf.host_classes(direction);
                found.extend(hosts.map(|host| HtbClass {
                    dev: dev(direction),
                    parent: Parent::At(id),
                    id: flowid(host.id.value),
                    prio: own.priority.value,
                    why: why(&host.name, "", Some(host.span)),
                    ..class(model, host.guarantee.value, host.ceiling.value, &host.scheduling)
                }));
            }
        }
    }
}

/// Returns the values that all classes share; the caller fills in names and places.
fn class(model: &Model, rate: Rate, ceil: Rate, scheduling: &Scheduling) -> HtbClass {
    HtbClass {
        dev: Dev::Wan,
        parent: Parent::Root,
        id: Handle { major: ROOT, minor: 0 },
        rate,
        ceil,
        burst: scheduling.burst.value,
        cburst: scheduling.cburst.value,
        prio: 0,
        quantum: scheduling.quantum.value,
        charge: charge(&model.link),
        why: why("", "", None),
    }
}

/// Returns the queues of a direction, in the order of its classes.
pub(super) fn leaves(model: &Model, direction: Direction) -> Vec<Qdisc> {
    if model.cake.get(direction).is_some() {
        return Vec::new();
    }
    let split = model.tuning.split.get(direction).value;
    let qdisc = |id: ClassId, ceiling: Rate, queue: &Queue, why: Why| Qdisc {
        dev: dev(direction),
        parent: Parent::At(flowid(id)),
        handle: Handle { major: class_minor(id.0), minor: 0 },
        kind: kind(model, ceiling, queue, direction),
        instead: if split { instead(queue) } else { None },
        why,
    };
    let mut found = Vec::new();
    for class in model.leaves() {
        let Shape::Leaf(leaf) = &class.shape else { continue };
        if leaf.hosts.get(direction).is_none() {
            let why = why(&class.name, "queue", Some(class.span));
            found.push(qdisc(
                class.id.value,
                class.ceiling.get(direction).value,
                leaf.queue.get(direction),
                why,
            ));
        }
        let hosts = leaf.host_classes(direction);
        found.extend(hosts.map(|host| {
            let why = why(&host.name, "queue", Some(host.span));
            qdisc(host.id.value, host.ceiling.value, &host.queue, why)
        }));
    }
    found
}

/// Returns the shaper of a CAKE in a class, which only downloads have. Its rate is the ceiling of the class. Only with
/// a rate does CAKE count the packets that it drops, and so drains the provider's queue after a burst. Uploads pass no
/// such queue before the router.
fn leaf_shaper(model: &Model, ceiling: Rate, direction: Direction) -> Option<CakeShaper> {
    let overhead = if may_have_table(model) { CakeOverhead::AboveIpInLeaf } else { CakeOverhead::AboveIp };
    (direction == Direction::Down).then(|| cake_shaper(model, overhead, ceiling, true))
}

const fn tins(mode: Diffserv) -> CakeTins {
    match mode {
        Diffserv::Besteffort => CakeTins::Besteffort,
        Diffserv::Diffserv3 => CakeTins::Diffserv3,
        Diffserv::Diffserv4 => CakeTins::Diffserv4,
        Diffserv::Diffserv8 => CakeTins::Diffserv8,
    }
}

fn kind(model: &Model, ceiling: Rate, queue: &Queue, direction: Direction) -> QdiscKind {
    match queue {
        Queue::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => QdiscKind::FqCodel {
            limit: limit.value,
            flows: flows.value,
            quantum: quantum.value,
            target: target.value,
            interval: interval.value,
            memory: memory.value,
            ecn: ecn.value,
        },
        Queue::Cake { rtt, diffserv, ack_filter, wash, isolation, nat, memory } => QdiscKind::Cake {
            shaper: leaf_shaper(model, ceiling, direction),
            rtt: rtt.value,
            tins: tins(diffserv.value),
            ack_filter: ack_filter.value,
            wash: wash.value,
            isolation: match (isolation.value, direction) {
                (Isolation::Flows, _) => CakeIsolation::Flows,
                (Isolation::Hosts, Direction::Up) => CakeIsolation::DualSrchost,
                (Isolation::Hosts, Direction::Down) => CakeIsolation::DualDsthost,
            },
            nat: nat.value,
            memory: memory.value,
        },
        Queue::Fifo { limit } => QdiscKind::Pfifo { limit: limit.value },
    }
}

/// Returns the queue that splits aggregated packets in place of fq_codel. It also shares between flows. A fifo is kept,
/// because somebody who asks for it wants no further processing.
fn instead(queue: &Queue) -> Option<QdiscKind> {
    let Queue::FqCodel { memory, .. } = queue else { return None };
    Some(cake(memory.value))
}

const fn cake(memory: Bytes) -> QdiscKind {
    QdiscKind::Cake {
        shaper: None,
        rtt: INSTEAD_RTT,
        tins: CakeTins::Besteffort,
        isolation: CakeIsolation::Flows,
        nat: false,
        ack_filter: false,
        wash: false,
        memory,
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
