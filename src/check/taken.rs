#![doc = include_str!("../rules/Q0510.md")]

use super::Rule;
use super::cover::{Taken, taken};
use crate::diag::{Code, Diagnostic, FileId, Sink, and_ticked, ticked};
use crate::model::Model;

pub(super) const RULE: Rule = Rule { name: "taken", codes: &[Code::TakenBefore], run };

fn run(model: &Model, sink: &mut Sink) {
    for taken in taken(model).iter().filter(|taken| taken.values.is_empty() && !is_same_leaf(taken)) {
        if taken.own.span.file == FileId::OWN {
            let message =
                format!("class {} never gets {}", ticked(&taken.leaf.name), ticked(&taken.own.text));
            let finding =
                Diagnostic::new(Code::TakenBefore, taken.own.span, message).label("nothing is left of it");
            let first = takers(taken);
            sink.push(by(finding, taken).help(format!(
                "put class {} before class {first}, or take out of that what this one is to have",
                ticked(&taken.leaf.name)
            )));
        }
    }
}

/// Whether all that takes it is for the same leaf: then nothing goes astray.
pub(super) fn is_same_leaf(taken: &Taken<'_>) -> bool {
    taken.by.iter().all(|(class, _)| class.id.value == taken.leaf.id.value)
}

/// The other classes that take something, as a sentence has them.
pub(super) fn takers(taken: &Taken<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (class, _) in &taken.by {
        if class.id.value != taken.leaf.id.value && !names.contains(&class.name.as_str()) {
            names.push(&class.name);
        }
    }
    and_ticked(names)
}

/// As many places as a finding points at.
const POINTED_AT: usize = 4;

/// The finding, with the places that take it.
pub(super) fn by(finding: Diagnostic, taken: &Taken<'_>) -> Diagnostic {
    taken.by.iter().filter(|(_, alternative)| alternative.span.file == FileId::OWN).take(POINTED_AT).fold(
        finding,
        |finding, (class, alternative)| {
            finding.also(alternative.span, format!("class {} takes it", ticked(&class.name)))
        },
    )
}
