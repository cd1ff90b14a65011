#![doc = include_str!("../rules/Q0412.md")]

use super::{MUCH_MEMORY, Rule, limits_too_large};
use crate::diag::{Code, Diagnostic, Sink, Span, count, ticked};
use crate::model::{Class, Direction, FileSection, Model, Queue, Share};
use crate::units::Bytes;

pub(super) const RULE: Rule = Rule {
    name: "queue-memory",
    codes: &[Code::QueueMemory],
    sections: &[FileSection::Link, FileSection::Hosts, FileSection::Classes],
    run: Some(run),
};

/// Memory in bytes that queued packets may take on any line: 64 MiB.
const MUCH_PACKETS: u64 = 64 << 20;
/// Number of classes with the ceiling of the whole line whose queued packets are acceptable on a fast line.
const CLASSES: u64 = 8;

fn run(model: &Model, sink: &mut Sink) {
    let Some(place) = model.link.device.span() else { return };
    let memory = &model.memory.queues;
    if memory.value > MUCH_MEMORY {
        sink.push(empty(memory.value, memory.formula().unwrap_or_default(), place));
    } else if limits_too_large::given(model).is_empty() {
        // another rule reports limits that the file gives
        sink.extend(packets(model, place));
    }
}

fn empty(memory: Bytes, made_of: &str, place: Span) -> Diagnostic {
    let mb = memory.get() / 1_000_000;
    Diagnostic::new(Code::QueueMemory, place, format!("the queues take about {mb} MB of memory"))
        .label(format!("even when they are empty: {made_of}"))
        .help("give fewer hosts a `guarantee` or a `ceiling`, or write fewer `flows` for fq_codel")
}

/// Returns the finding on the memory that the packets in all queues may take, by the limits of the queues.
fn packets(model: &Model, device: Span) -> Option<Diagnostic> {
    let total = model.memory.packets.value.get();
    let (mut number, mut of_hosts, mut usual) = (0, 0, 0);
    for direction in model.link.shaped_directions().filter(|direction| model.cake.get(*direction).is_none()) {
        let mut largest = 0;
        for leaf in model.leaves().into_iter().filter_map(Class::leaf) {
            largest = largest.max(leaf.queue.get(direction).packet_memory());
            let queues = leaf.queues(direction).count();
            number += queues;
            of_hosts += queues - 1;
        }
        usual += CLASSES * largest;
    }
    if total <= MUCH_PACKETS.max(usual) {
        return None;
    }
    let promised = || model.hosts.iter().filter(|host| host.is_promised());
    let place = promised().next().map_or(device, |host| host.span);
    let finding = Diagnostic::new(
        Code::QueueMemory,
        place,
        format!("packets in the queues may take {} MB of memory", total / 1_000_000),
    );
    let finding = match of_hosts {
        0 => finding.label(format!("this is the sum of the limits of {}", count(number, "queue"))),
        of_hosts => finding.label(format!(
            "this is the sum of the limits of {number} queues, {of_hosts} of them for single hosts"
        )),
    };
    let limited = model.leaves().into_iter().filter(|class| {
        let mut queues = class.leaf().into_iter().flat_map(|leaf| leaf.queues(Direction::Up));
        queues.any(|queue| matches!(queue, Queue::FqCodel { .. }))
    });
    let queues = |class: &&Class| {
        let leaf = class.leaf();
        Direction::BOTH.iter().filter_map(|direction| Some(leaf?.queues(*direction).count())).sum::<usize>()
    };
    let largest = limited.max_by_key(queues);
    let share = u64::try_from(number)
        .ok()
        .and_then(|number| (MUCH_MEMORY.get() >> 10).checked_div(number))
        .unwrap_or(0);
    Some(match largest.filter(|_| share >= LEAST_KIB) {
        Some(class) => {
            // a queue that hosts share cannot be fq_codel
            let hosts = class.leaf().is_some_and(|leaf| leaf.share.value == Share::PerHost);
            finding.help(format!(
                "write smaller limits, such as `{}queue: {{ kind: fq_codel, memory: {}KiB }}` in class {}: the limit applies to each of its queues",
                if hosts { "share: per-flow, " } else { "" },
                1u64 << share.ilog2(),
                ticked(&class.name)
            ))
        }
        None => finding.help("give fewer hosts a `guarantee` or a `ceiling`"),
    })
}

/// Smallest useful memory of fq_codel in KiB: with less it holds fewer than a dozen full packets.
const LEAST_KIB: u64 = 32;

#[cfg(test)]
#[path = "queue_memory_tests.rs"]
mod tests;
