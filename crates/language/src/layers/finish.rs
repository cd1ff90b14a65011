//! The end of merging: removed values go, and `before` moves classes.

use super::tree::{entry, text};
use crate::budget;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::syntax::{Entry, Node, YamlValue};

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
    let moves: Vec<(String, String)> = entries
        .iter()
        .filter_map(|class| {
            let before = entry(&class.value, "before")?;
            Some((class.key.value.clone(), text(&before.value)?.to_owned()))
        })
        .collect();
    for (name, sibling) in moves {
        // All classes are searched, and those behind a place move by one.
        if !sink.charge(entries.len() / 2, budget::COMPARISON) {
            return;
        }
        let at = |name: &str, entries: &[Entry]| entries.iter().position(|class| class.key.value == name);
        let Some(from) = at(&name, entries) else { continue };
        if name == sibling || at(&sibling, entries).is_none() {
            unknown(&sibling, from, entries, sink);
            continue;
        }
        let class = entries.remove(from);
        let to = at(&sibling, entries).unwrap_or(from);
        entries.insert(to, class);
    }
    for class in entries {
        if let Node::Map(keys) = &mut class.value.node {
            keys.iter_mut()
                .filter(|key| key.key.value == "classes")
                .for_each(|inner| order(&mut inner.value, sink));
        }
    }
}

fn unknown(sibling: &str, class: usize, entries: &[Entry], sink: &mut Sink) {
    let Some(class) = entries.get(class) else { return };
    let Some(before) = entry(&class.value, "before") else { return };
    let names = entries.iter().map(|class| class.key.value.as_str()).filter(|name| *name != class.key.value);
    let help = match sink.near(sibling, names) {
        Some(near) => format!("did you mean {}?", ticked(near)),
        None => "write the name of a class beside this one".to_owned(),
    };
    let message = format!("there is no class {} beside {}", ticked(sibling), ticked(&class.key.value));
    sink.push(Diagnostic::new(Code::UndefinedName, before.value.span, message).help(help));
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
