//! Helpers of several rules.

pub(super) mod cover;
pub(super) mod devices;
pub(super) mod rates;
pub(super) mod rule;

use crate::diag::{Diagnostic, Sink, some_ticked};
use crate::model::{Alternative, Class, Leaf, Model, Shape};
use crate::units::Bytes;

/// Largest number of findings of one rule on single objects. If there are more, one finding covers them all, because
/// nobody reads thousands.
pub(super) const EACH: usize = 8;

/// Largest number of names in one message.
const NAMED: usize = 4;

/// Adds one finding for each element, or a single one for all if there are more than [`EACH`].
pub(super) fn each_or_all<T>(found: &[T], sink: &mut Sink, finding: impl Fn(&[T]) -> Option<Diagnostic>) {
    let at_once = if found.len() > EACH { found.len() } else { 1 };
    sink.extend(found.chunks(at_once).filter_map(finding));
}

/// Lists the first names, and the number of further ones.
pub(super) fn some_of(names: &[&str]) -> String {
    some_ticked(names, NAMED)
}

/// Half of the memory of a router with 128 MB.
pub(super) const MUCH_MEMORY: Bytes = Bytes::new(64 << 20);

/// Returns the leaf classes in the user's file, without those of a built-in set.
pub(super) fn own_leaves(model: &Model) -> impl Iterator<Item = (&Class, &Leaf)> {
    let own = model.leaves().into_iter().filter(|class| class.span.is_own());
    own.filter_map(|class| Some((class, class.leaf()?)))
}

/// Returns every list of siblings with their parent, parents first.
pub(super) fn siblings(model: &Model) -> Vec<(Option<&Class>, &[Class])> {
    let mut found = vec![(None, model.classes.as_slice())];
    for class in model.classes() {
        if let Shape::Inner(children) = &class.shape {
            found.push((Some(class), children));
        }
    }
    found
}

/// Returns the alternatives of all classes, depth first.
pub(super) fn of_classes(model: &Model) -> Vec<&Alternative> {
    model.classes().into_iter().flat_map(|class| class.matches.iter().flatten()).collect()
}
