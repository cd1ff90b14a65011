//! Guarantees at the lowest rates of a line that varies.

use super::classes::{Builder, Set};
use crate::derive;
use crate::diag::{Code, Sink};
use crate::model::{Direction, Link, PerDirection, Val};

/// Reports guarantees that do not fit the lower bounds, if the file has a higher rate for the time without `follow`.
pub(super) fn check(builder: &Builder<'_>, set: Set<'_>, link: &Link, sink: &mut Sink) {
    let Some(vary) = &link.vary else { return };
    if sink.iter().any(|finding| finding.code == Code::GuaranteeAboveParent) {
        return;
    }
    let lowest =
        |d: Direction| vary.bounds.get(d).as_ref().filter(|own| link.line.get(d).value > own.value[0]);
    if Direction::BOTH.into_iter().all(|d| lowest(d).is_none()) {
        return;
    }
    let tree = PerDirection::from_fn(|d| match lowest(d) {
        None => *builder.tree.get(d),
        Some(own) => {
            let line = Val::default(own.value[0], "");
            derive::shaped(&line, link.layer.value, link.margin.get(d).value).value
        }
    });
    let words = PerDirection::from_fn(|d| {
        format!("{} {} is the lower bound of `vary` less the margin", tree.get(d), d.as_str())
    });
    let mut there = Sink::default();
    Builder { tree, ..*builder }.build(set, words, &mut there);
    there
        .iter()
        .filter(|finding| finding.code == Code::GuaranteeAboveParent)
        .for_each(|finding| sink.push(finding.clone()));
}
