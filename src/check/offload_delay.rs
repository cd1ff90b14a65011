#![doc = include_str!("../rules/Q0619.md")]
#![doc = include_str!("../rules/Q0620.md")]

use super::{MUCH_MEMORY, Rule};
use crate::derive::{self, BEARABLE, CAKE_MEMORY, Packet};
use crate::diag::{Code, Diagnostic, FileId, Sink, Span, ticked};
use crate::model::{Direction, Engine, FileSection, Model, Offloads, Val, WholeQueue, whole_queues};
use crate::units::{Micros, Rate};

pub(super) const RULE: Rule = Rule {
    name: "offload-delay",
    codes: &[Code::OffloadDelay, Code::OffloadDelayInClass],
    sections: &[
        FileSection::Link,
        FileSection::Hosts,
        FileSection::Classes,
        FileSection::Police,
        FileSection::Tuning,
    ],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    let offloads = &model.tuning.offloads;
    match (offloads.given_at(), offloads.value) {
        (Some(kept), Offloads::Keep) => {
            sink.extend(line(model, kept).or_else(|| class(model, Some(kept))));
        }
        (None, _) => sink.extend(class(model, None)),
        // `auto` in the file means that the processor is fast enough
        (Some(_), Offloads::Auto) => {}
    }
}

/// Returns the finding on offloads that stay on, although an aggregated packet blocks the line.
fn line(model: &Model, place: Span) -> Option<Diagnostic> {
    let slow = Direction::BOTH.into_iter().filter(|direction| reaches_line(model, *direction));
    let held = slow.map(|direction| {
        (direction, derive::aggregate_time(Packet::of(&model.link), rate(model, direction)))
    });
    let held: Vec<(Direction, Micros)> =
        held.filter(|(direction, held)| *held > BEARABLE && auto_splits(model, *direction)).collect();
    let (slowest, longest) = held.iter().max_by_key(|(_, held)| *held)?;
    let message =
        format!("one aggregate of 64 KiB blocks the {} for {}", load(*slowest), longest.for_people());
    let of = |(direction, held): &(Direction, Micros)| {
        format!("{} at {} {}", held.for_people(), rate(model, *direction).rounded(4), direction.as_str())
    };
    let label = held.iter().map(of).collect::<Vec<_>>().join(", ");
    let places = held
        .iter()
        .filter_map(|(direction, _)| Some((model.link.line.get(*direction).given_at()?, "a slow direction")));
    Some(
        Diagnostic::new(Code::OffloadDelay, place, message)
            .label(label)
            .also_at(places)
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
    let held = derive::aggregate_time(packet, ceiling).for_people();
    let (finding, cure) = match kept {
        Some(kept) => (
            Diagnostic::new(
                Code::OffloadDelay,
                kept,
                format!("one aggregate of 64 KiB blocks class {name} for {held}"),
            )
            .also(*place, format!("a slow class, at {}", ceiling.rounded(4))),
            "or write `offloads: auto`: the shaper then gets single packets",
        ),
        None => (
            Diagnostic::new(
                Code::OffloadDelayInClass,
                *place,
                format!("offloads are turned off because of class {name}"),
            )
            .label(format!("one aggregate of 64 KiB blocks it for {held} at {}", ceiling.rounded(4))),
            "or write `tuning: { offloads: auto }` to leave them off: single packets cost the router more processor time",
        ),
    };
    let fits = CAKE_MEMORY.saturating_mul(slow.len() as u64) <= MUCH_MEMORY.get();
    let cake = fits.then(|| {
        format!("write `queue: cake` in class {}: CAKE splits aggregates", ticked(&slowest.leaf.name))
    });
    Some(cake.into_iter().fold(finding, Diagnostic::help).help(if fits {
        cure
    } else {
        cure.trim_start_matches("or ")
    }))
}

/// Returns the place of the ceiling, or of the class, in the user's file.
fn own_place(queue: WholeQueue<'_>) -> Option<Span> {
    [queue.ceiling.span(), Some(queue.leaf.span)].into_iter().flatten().find(|span| span.file == FileId::OWN)
}

/// True if aggregated packets leave the shaper unsplit: HTB shapes the direction, and some leaf is not a CAKE, which
/// would split them.
fn reaches_line(model: &Model, direction: Direction) -> bool {
    let link = &model.link;
    let shaped = link.shapes(direction);
    shaped
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

const fn load(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "upload",
        Direction::Down => "download",
    }
}

#[cfg(test)]
#[path = "offload_delay_tests.rs"]
mod tests;
