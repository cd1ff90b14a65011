#![doc = include_str!("../../../../docs/rules/Q0409.md")]

use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Class, ClassId, Exceed, Model, Origin, Shape};
use std::collections::BTreeSet;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut reached: BTreeSet<ClassId> = BTreeSet::new();
    for police in &model.police {
        if let Exceed::Reclassify(class) = police.exceed {
            reached.insert(class);
        }
    }
    for host in &model.hosts {
        if let Origin::Given(_) = host.home.origin {
            reached.insert(host.home.value);
        }
    }
    // Without a default class, the class without a match is probably meant as the default.
    if model.default_leaf().is_some() {
        walk(&model.classes, false, &reached, sink);
    }
}

fn walk(classes: &[Class], matched: bool, reached: &BTreeSet<ClassId>, sink: &mut Sink) {
    for class in classes {
        let matched = matched || class.matches.is_some();
        match &class.shape {
            Shape::Inner(children) => walk(children, matched, reached, sink),
            Shape::Leaf(leaf) if !leaf.default && !matched && !reached.contains(&class.id.value) => {
                let message = format!("no packet goes to class {}", ticked(&class.name));
                let beside =
                    classes.iter().map(|other| other.name.as_str()).filter(|name| *name != class.name);
                // Other short names are near by chance.
                let near = sink.near(&class.name, beside).filter(|_| class.name.len() > 2);
                let help = near.map(|near| format!("did you mean {}?", ticked(near)));
                sink.push(
                    Diagnostic::new(Code::NothingMatches, class.span, message)
                        .label("has no `match` and is not the default class")
                        .help(help.unwrap_or_else(|| "add a `match`, or remove the class".to_owned())),
                );
            }
            Shape::Leaf(_) => {}
        }
    }
}
