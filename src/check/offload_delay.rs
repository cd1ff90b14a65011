#![doc = include_str!("../rules/Q0619.md")]

use super::Rule;
use crate::derive::{self, Packet};
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Direction, Engine, FileSection, Model, Offloads, Queue, Val};
use crate::units::{Micros, Rate};

pub(super) const RULE: Rule = Rule {
    name: "offload-delay",
    codes: &[Code::OffloadDelay],
    sections: &[FileSection::Link, FileSection::Classes, FileSection::Police, FileSection::Tuning],
    run: Some(run),
};

/// Longest acceptable time that an aggregated packet occupies the line: four CoDel targets (RFC 8289). A call sends one
/// packet in this interval (RFC 3551, section 4.2).
const BEARABLE: Micros = Micros::from_ms(20);

fn run(model: &Model, sink: &mut Sink) {
    let offloads = &model.tuning.offloads;
    let Some(place) = offloads.given_at().filter(|_| offloads.value == Offloads::Keep) else { return };
    let slow = Direction::BOTH.into_iter().filter(|direction| reaches_line(model, *direction));
    let held = slow.map(|direction| {
        (direction, derive::aggregate_time(Packet::of(&model.link), rate(model, direction)))
    });
    let held: Vec<(Direction, Micros)> =
        held.filter(|(direction, held)| *held > BEARABLE && auto_splits(model, *direction)).collect();
    let Some((slowest, longest)) = held.iter().max_by_key(|(_, held)| *held) else { return };
    let message =
        format!("one aggregate of 64 KiB blocks the {} for {}", load(*slowest), longest.for_people());
    let of = |(direction, held): &(Direction, Micros)| {
        format!("{} at {} {}", held.for_people(), rate(model, *direction).rounded(4), direction.as_str())
    };
    let label = held.iter().map(of).collect::<Vec<_>>().join(", ");
    let places = held
        .iter()
        .filter_map(|(direction, _)| Some((model.link.line.get(*direction).given_at()?, "a slow direction")));
    sink.push(
        Diagnostic::new(Code::OffloadDelay, place, message)
            .label(label)
            .also_at(places)
            .help("write `offloads: auto`, or leave `offloads` out: the shaper then gets single packets"),
    );
}

/// True if aggregated packets leave the shaper unsplit: HTB shapes the direction, and some leaf is not a CAKE, which
/// would split them.
fn reaches_line(model: &Model, direction: Direction) -> bool {
    let link = &model.link;
    let shaped = link.shapes(direction);
    let mut leaves = model.leaves().into_iter().filter_map(|class| class.leaf());
    shaped
        && link.engine.get(direction).value == Engine::Htb
        && leaves.any(|leaf| !matches!(leaf.queue.get(direction), Queue::Cake { .. }))
}

/// True if `offloads: auto` would split aggregated packets before the shaper.
fn auto_splits(model: &Model, direction: Direction) -> bool {
    let link = &model.link;
    let auto = Val::default(Offloads::Auto, "");
    let margin = link.margin.get(direction).value;
    derive::split(Packet::of(link), link.frames.value, rate(model, direction), margin, &auto).value
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
