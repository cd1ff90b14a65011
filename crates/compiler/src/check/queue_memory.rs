#![doc = include_str!("../../../../docs/rules/Q0412.md")]

use super::{MUCH_MEMORY, limits_too_large, queue_too_short};
use crate::diag::{Code, Diagnostic, Span, count, ticked};
use crate::model::{Class, Direction, Model, Queue, Share};
use crate::units::Bytes;

/// Number of classes with the ceiling of the whole line whose queued packets are acceptable on a fast line.
const CLASSES: u64 = 8;

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let place = model.link.device.span()?;
    let memory = &model.memory.queues;
    if memory.value > MUCH_MEMORY {
        let message = format!("the queues take about {} of memory", memory.value.for_people());
        return Some(
            Diagnostic::new(Code::QueueMemory, place, message)
                .label(format!("even when they are empty: {}", memory.formula().unwrap_or_default()))
                .help("give fewer hosts a `guarantee` or a `ceiling`, or write fewer `flows` for fq_codel"),
        );
    }
    // another rule reports limits that the file gives
    if limits_too_large::given(model).is_empty() { packets(model, place) } else { None }
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
    if total <= MUCH_MEMORY.get().max(usual) {
        return None;
    }
    let smaller = smaller_limits(model, number);
    if smaller.as_ref().is_some_and(|(has_limit, _)| *has_limit) {
        return None;
    }
    let place = model.hosts.iter().find(|host| host.is_promised()).map_or(device, |host| host.span);
    let message = format!("packets in the queues may take {} of memory", Bytes::new(total).for_people());
    let queues = match of_hosts {
        0 => count(number, "queue"),
        of_hosts => format!("{number} queues, {of_hosts} of them for single hosts"),
    };
    Some(
        Diagnostic::new(Code::QueueMemory, place, message)
            .label(format!("this is the sum of the limits of {queues}"))
            .help(
                smaller
                    .map_or("give fewer hosts a `guarantee` or a `ceiling`".to_owned(), |(_, words)| words),
            ),
    )
}

/// Returns the limit to write for each of so many queues, in the class with most of them, but not less than their rates
/// need. The flag says that the class has no larger limit already.
fn smaller_limits(model: &Model, number: usize) -> Option<(bool, String)> {
    let is_fq_codel = |queue: &Queue| matches!(queue, Queue::FqCodel { .. });
    let leaves = model.leaves().into_iter().filter_map(|class| Some((class, class.leaf()?)));
    let (class, leaf) =
        leaves.filter(|(_, leaf)| leaf.queues(Direction::Up).any(is_fq_codel)).max_by_key(|(_, leaf)| {
            Direction::BOTH.iter().map(|direction| leaf.queues(*direction).count()).sum::<usize>()
        })?;
    let kib = (MUCH_MEMORY.get() >> 10).checked_div(u64::try_from(number).ok()?)?;
    // a queue that hosts share cannot be fq_codel
    let shared = [&leaf.share.up, &leaf.share.down].iter().any(|share| share.value == Share::PerHost);
    let share = if shared { "share: per-flow, " } else { "" };
    (kib >= LEAST_KIB).then(|| {
        let need = Direction::BOTH.map(|direction| queue_too_short::needed(model, class, leaf, direction));
        let kib = need.into_iter().flatten().map(|(_, kib)| kib).fold(1 << kib.ilog2(), u64::max);
        let words = format!(
            "write smaller limits, such as `{share}queue: {{ kind: fq_codel, memory: {kib}KiB }}` in class {}: the limit applies to each of its queues",
            ticked(&class.name)
        );
        let now = leaf.queue.up.packet_memory().max(leaf.queue.down.packet_memory());
        (now <= kib << 10, words)
    })
}

/// Smallest useful memory of fq_codel in KiB: with less it holds fewer than a dozen full packets.
const LEAST_KIB: u64 = 32;

#[cfg(test)]
#[path = "queue_memory_tests.rs"]
mod tests;
