#![doc = include_str!("../../../../docs/rules/Q0619.md")]
#![doc = include_str!("../../../../docs/rules/Q0620.md")]

use super::MUCH_MEMORY;
use crate::derive::{self, BEARABLE, CAKE_MEMORY, Packet};
use crate::diag::{Code, Diagnostic, Span, ticked};
use crate::model::{Direction, Engine, Model, Offloads, Val, WholeQueue, whole_queues};
use crate::units::Rate;

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let offloads = &model.tuning.offloads;
    match offloads.given_at() {
        None => class(model, None),
        Some(kept) if offloads.value == Offloads::Keep => {
            slow_line(model, kept).or_else(|| class(model, Some(kept)))
        }
        // `auto` in the file means that the processor is fast enough
        Some(_) => None,
    }
}

/// Returns the finding on offloads that stay on, although an aggregated packet blocks the line.
fn slow_line(model: &Model, place: Span) -> Option<Diagnostic> {
    let packet = Packet::of(&model.link);
    let blocked = |direction: Direction| derive::aggregate_time(packet, rate(model, direction));
    let slow: Vec<Direction> = Direction::BOTH
        .into_iter()
        .filter(|direction| reaches_line(model, *direction) && blocked(*direction) > BEARABLE)
        .filter(|direction| auto_splits(model, *direction))
        .collect();
    let slowest = slow.iter().copied().max_by_key(|direction| blocked(*direction))?;
    let load = if slowest == Direction::Up { "upload" } else { "download" };
    let time = |direction: Direction| blocked(direction).for_people();
    let label = slow.iter().map(|direction| {
        format!("{} at {} {}", time(*direction), rate(model, *direction).rounded(4), direction.as_str())
    });
    let places = slow.iter().filter_map(|direction| model.link.shaped.get(*direction).span());
    let message = format!("one aggregate of 64 KiB blocks the {load} for {}", time(slowest));
    Some(
        Diagnostic::new(Code::OffloadDelay, place, message)
            .label(label.collect::<Vec<_>>().join(", "))
            .also_at(places.map(|place| (place, "a slow direction")))
            .help("write `offloads: auto`, or leave `offloads` out: the shaper then gets single packets"),
    )
}

/// Returns the finding on the slowest class that an aggregated packet blocks: with offloads that are `kept`, or that
/// are turned off only because of such classes.
fn class(model: &Model, kept: Option<Span>) -> Option<Diagnostic> {
    let packet = Packet::of(&model.link);
    let directions = model.link.shaped_directions().filter(|direction| {
        reaches_line(model, *direction) && (kept.is_some() || !auto_splits(model, *direction))
    });
    let queues = directions.flat_map(|direction| whole_queues(&model.classes, direction));
    let slow: Vec<(WholeQueue<'_>, Span)> = queues
        .filter(|queue| derive::is_slow(packet, queue.ceiling.value))
        .filter_map(|queue| Some((queue, own_place(queue)?)))
        .collect();
    let (slowest, place) = slow.iter().min_by_key(|(queue, _)| queue.ceiling.value)?;
    let (name, ceiling) = (ticked(slowest.name), slowest.ceiling.value);
    let time = derive::aggregate_time(packet, ceiling).for_people();
    let ceiling = ceiling.rounded(4);
    let fits = CAKE_MEMORY.saturating_mul(slow.len() as u64) <= MUCH_MEMORY.get();
    let cake = fits.then(|| {
        format!("write `queue: cake` in class {}: CAKE splits aggregates", ticked(&slowest.leaf.name))
    });
    let (finding, cure) = match kept {
        Some(kept) => {
            let message = format!("one aggregate of 64 KiB blocks class {name} for {time}");
            let finding = Diagnostic::new(Code::OffloadDelay, kept, message)
                .also(*place, format!("a slow class, at {ceiling}"));
            (finding, "write `offloads: auto`: the shaper then gets single packets")
        }
        None => {
            let message = format!("offloads are turned off because of class {name}");
            let finding = Diagnostic::new(Code::OffloadDelayInClass, *place, message)
                .label(format!("one aggregate of 64 KiB blocks it for {time} at {ceiling}"));
            (
                finding,
                "write `tuning: { offloads: auto }` to leave them off: single packets cost the router more processor time",
            )
        }
    };
    let or = if fits { "or " } else { "" };
    Some(cake.into_iter().fold(finding, Diagnostic::help).help(format!("{or}{cure}")))
}

/// Returns the place of the ceiling, or of the class, in the user's file.
fn own_place(queue: WholeQueue<'_>) -> Option<Span> {
    [queue.ceiling.span(), Some(queue.leaf.span)].into_iter().flatten().find(|span| span.is_own())
}

/// True if aggregated packets leave the shaper unsplit: HTB shapes the direction, and some leaf is not a CAKE, which
/// would split them.
fn reaches_line(model: &Model, direction: Direction) -> bool {
    let link = &model.link;
    link.shapes(direction)
        && link.engine.get(direction).value == Engine::Htb
        && whole_queues(&model.classes, direction).next().is_some()
}

/// True if `offloads: auto` would split aggregated packets before the shaper because of the line.
fn auto_splits(model: &Model, direction: Direction) -> bool {
    let link = &model.link;
    let auto = Val::default(Offloads::Auto, "");
    let margin = link.margin.get(direction).value;
    derive::split(Packet::of(link), link.frames.value, (rate(model, direction), None), margin, &auto).value
}

const fn rate(model: &Model, direction: Direction) -> Rate {
    model.link.tree.get(direction).value
}

#[cfg(test)]
#[path = "offload_delay_tests.rs"]
mod tests;
