//! The end of merging: removed values go, and `before` moves classes.

use super::tree::{entry, text};
use crate::diag::{Code, Diagnostic, Sink, Span, did_you_mean, ticked};
use crate::syntax::{Entry, Node, YamlValue};
use std::collections::HashMap;

/// Removes what a layer removed, and puts classes where `before` says.
pub(super) fn finish(root: &mut YamlValue, sink: &mut Sink) {
    let Node::Map(entries) = &mut root.node else { return };
    entries.retain(|entry| entry.value.node != Node::Removed);
    for section in entries {
        prune(&mut section.value);
        if section.key.value == "classes" {
            order(&mut section.value, sink);
        }
    }
}

fn prune(value: &mut YamlValue) {
    match &mut value.node {
        Node::Map(entries) => {
            entries.retain(|entry| entry.value.node != Node::Removed);
            entries.iter_mut().for_each(|entry| prune(&mut entry.value));
        }
        Node::Seq(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// Puts each class with `before` in front of the sibling that it names, in the order of the classes.
fn order(classes: &mut YamlValue, sink: &mut Sink) {
    let Node::Map(entries) = &mut classes.node else { return };
    if let Some(order) = moved(entries, sink) {
        let mut all: Vec<Option<Entry>> = std::mem::take(entries).into_iter().map(Some).collect();
        entries.extend(order.into_iter().filter_map(|place| all.get_mut(place)?.take()));
    }
    for class in entries {
        if let Node::Map(keys) = &mut class.value.node {
            keys.iter_mut()
                .filter(|key| key.key.value == "classes")
                .for_each(|inner| order(&mut inner.value, sink));
        }
    }
}

/// Places of classes in a ring. One more place is between the last class and the first one.
struct Ring {
    next: Vec<usize>,
    before: Vec<usize>,
}

impl Ring {
    fn join(&mut self, first: usize, second: usize) {
        if let (Some(next), Some(before)) = (self.next.get_mut(first), self.before.get_mut(second)) {
            (*next, *before) = (second, first);
        }
    }

    fn at(list: &[usize], place: usize) -> usize {
        list.get(place).copied().unwrap_or(place)
    }
}

/// Returns the new order of the classes. `None` if no class moves.
fn moved(entries: &[Entry], sink: &mut Sink) -> Option<Vec<usize>> {
    let befores =
        || entries.iter().enumerate().filter_map(|(at, class)| Some((at, entry(&class.value, "before")?)));
    befores().next()?;
    let end = entries.len();
    let mut ring =
        Ring { next: (1..=end).chain([0]).collect(), before: [end].into_iter().chain(0..end).collect() };
    let places: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(at, class)| (class.key.value.as_str(), at)).collect();
    for (class, before) in befores() {
        let Some(sibling) = text(&before.value) else { continue };
        let Some(to) = places.get(sibling).copied().filter(|to| *to != class) else {
            unknown(sibling, class, before.value.span, entries, sink);
            continue;
        };
        ring.join(Ring::at(&ring.before, class), Ring::at(&ring.next, class));
        ring.join(Ring::at(&ring.before, to), class);
        ring.join(class, to);
    }
    let walk =
        std::iter::successors(Some(Ring::at(&ring.next, end)), |place| Some(Ring::at(&ring.next, *place)));
    Some(walk.take(end).collect())
}

fn unknown(sibling: &str, class: usize, at: Span, entries: &[Entry], sink: &mut Sink) {
    let Some(class) = entries.get(class).map(|class| class.key.value.as_str()) else { return };
    let names = entries.iter().map(|class| class.key.value.as_str()).filter(|name| *name != class);
    let may_suggest = sink.may_suggest(entries.len() * sibling.len());
    let help = match may_suggest.then(|| did_you_mean(sibling, names)).flatten() {
        Some(near) => format!("did you mean {}?", ticked(near)),
        None => "write the name of a class beside this one".to_owned(),
    };
    let message = format!("there is no class {} beside {}", ticked(sibling), ticked(class));
    sink.push(Diagnostic::new(Code::UndefinedName, at, message).help(help));
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
