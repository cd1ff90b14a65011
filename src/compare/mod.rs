//! Compares two configurations by their meaning and names the cost of each change on a router that is in service.
//!
//! Written changes are kept apart from derived ones. For example, another line rate is one written change, and the
//! guarantees in percent follow from it.

mod change;
mod classes;
mod hosts;
mod human;
mod link;
mod matches;
mod names;
mod objects;
mod order;
mod queue;
mod rest;
mod shared;
mod written;

pub use change::{Change, ChangeKind, Comparison, Follow, Group};
pub use human::human;

use crate::model::Model;
use crate::tc::Program;
use classes::Trees;
use matches::Pair;

/// Returns the differences between two configurations, each given with the kernel objects that it is lowered to. The
/// result is empty if both have the same effect.
#[must_use]
pub fn compare(old: (&Model, &Program), new: (&Model, &Program)) -> Comparison {
    let ((old, old_program), (new, new_program)) = (old, new);
    let (renamed_hosts, tunnels) = (names::hosts(old, new), names::tunnels(old, new));
    let pair = Pair { old, new, hosts: &renamed_hosts, tunnels: &tunnels };
    let trees = Trees::of(pair);

    let mut found = Comparison::default();
    link::link(&mut found, old, new);
    link::lan(&mut found, old, new);
    hosts::hosts(&mut found, pair);
    rest::tunnels(&mut found, pair);
    trees.compare(&mut found, pair);
    rest::police(&mut found, pair, &trees.renamed);
    link::tuning(&mut found, &old.tuning, &new.tuning);
    rest::expect(&mut found, old, new);
    order::compare(&mut found, (old_program, new_program), &trees.renamed);

    found.changes = written::merge_directions(found.changes);
    found.changes.sort_by_key(|change| change.area);
    objects::hold(&mut found, old_program, new_program);
    found
}
