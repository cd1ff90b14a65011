//! Compares two configurations by their meaning and names the cost of each change on a router that is in service.
//!
//! Written changes are kept apart from derived ones. For example, another line rate is one written change, and the
//! guarantees in percent follow from it.

mod change;
mod class;
mod directions;
mod fact;
mod fields;
mod host;
mod human;
mod link;
mod matches;
mod objects;
mod order;
mod others;
mod price;
mod section;
mod side;

pub use change::{Change, ChangeKind, Comparison, Follow, Group};
pub use human::{changes, human};

use qosc_compiler::model::Model;
use qosc_compiler::tc::Program;
use section::{Pair, renamed};
use side::{Renamed, Side};

/// Returns the differences between two configurations, each given with the kernel objects that it is lowered to. The
/// result is empty if both have the same effect.
#[must_use]
pub fn compare(old: (&Model, &Program), new: (&Model, &Program)) -> Comparison {
    let ((old, old_program), (new, new_program)) = (old, new);
    let classes = (old.classes(), new.classes());
    let [old_hosts, new_hosts] =
        [old, new].map(|model| model.hosts.iter().filter(|host| host.of.is_none()).collect::<Vec<_>>());
    let mut pair = Pair { old: Side::of(old), new: Side::of(new) };
    pair.old.hosts = renamed((&pair.old, &old_hosts), (&pair.new, &new_hosts));
    pair.old.tunnels = renamed((&pair.old, &old.tunnels), (&pair.new, &new.tunnels));
    pair.old.classes = renamed((&pair.old, &classes.0), (&pair.new, &classes.1));
    let (pair, renamed) = (&pair, &pair.old);

    let mut found = Comparison::default();
    link::link(&mut found, old, new);
    link::lan(&mut found, old, new);
    section::compare(&mut found, pair, (&old_hosts, &new_hosts), &renamed.hosts);
    section::compare(&mut found, pair, (&old.tunnels, &new.tunnels), &renamed.tunnels);
    section::compare(&mut found, pair, (&classes.0, &classes.1), &renamed.classes);
    link::default(&mut found, pair);
    section::compare(&mut found, pair, (&old.police, &new.police), &Renamed::new());
    link::tuning(&mut found, old, new);
    others::expect(&mut found, pair);
    order::compare(&mut found, (old_program, new_program), &renamed.classes);

    found.changes = directions::merge(found.changes);
    found.changes.sort_by_key(|change| change.area);
    objects::hold(&mut found, old_program, new_program);
    found
}
