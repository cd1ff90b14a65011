//! Helpers of several rules.

pub(super) mod cover;
pub(super) mod devices;
pub(super) mod numbers;

use crate::diag::{Diagnostic, FileId, Sink, and_ticked, ticked};
use crate::model::{Alternative, Class, Leaf, Model, Shape};
use crate::units::Bytes;

/// The most findings of one rule about single things. If there are more, one finding covers them all: nobody reads
/// thousands.
pub(super) const EACH: usize = 8;

/// The most names in one message.
const NAMED: usize = 4;

/// Reports one finding for each element, or if there are more than [`EACH`], one for all.
pub(super) fn each_or_all<T>(found: &[T], sink: &mut Sink, finding: impl Fn(&[T]) -> Option<Diagnostic>) {
    let at_once = if found.len() > EACH { found.len() } else { 1 };
    sink.extend(found.chunks(at_once).filter_map(finding));
}

/// The first names, and how many more there are.
pub(super) fn some_of(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named: Vec<String> = names.iter().take(NAMED).map(|name| ticked(name)).collect();
    match more {
        0 => and_ticked(names.iter().copied()),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Half of the memory of a router with 128 MB.
pub(super) const MUCH_MEMORY: Bytes = Bytes::new(64_000_000);

/// The leaf classes that the user's file writes. Those of a built-in set are left out.
pub(super) fn own_leaves(model: &Model) -> impl Iterator<Item = (&Class, &Leaf)> {
    let own = model.leaves().into_iter().filter(|class| class.span.file == FileId::OWN);
    own.filter_map(|class| Some((class, class.leaf()?)))
}

/// The alternatives of all classes, depth first.
pub(super) fn of_classes(model: &Model) -> Vec<&Alternative> {
    fn walk<'a>(classes: &'a [Class], out: &mut Vec<&'a Alternative>) {
        for class in classes {
            out.extend(class.matches.iter().flatten());
            if let Shape::Inner(children) = &class.shape {
                walk(children, out);
            }
        }
    }
    let mut all = Vec::new();
    walk(&model.classes, &mut all);
    all
}
