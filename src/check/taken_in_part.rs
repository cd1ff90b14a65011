#![doc = include_str!("../rules/Q0511.md")]

use super::Rule;
use super::cover::taken;
use super::taken::{by, is_same_leaf, takers};
use crate::diag::{Code, Diagnostic, FileId, Sink, and_ticked, ticked};
use crate::model::Model;

pub(super) const RULE: Rule = Rule { name: "taken-in-part", codes: &[Code::TakenInPart], run };

fn run(model: &Model, sink: &mut Sink) {
    for taken in taken(model).iter().filter(|taken| !taken.values.is_empty() && !is_same_leaf(taken)) {
        if taken.own.span.file == FileId::OWN {
            let values = and_ticked(taken.values.iter().map(String::as_str));
            let message = format!("class {} never gets {values}", ticked(&taken.leaf.name));
            let finding = Diagnostic::new(Code::TakenInPart, taken.own.span, message);
            sink.push(by(finding, taken).help(format!(
                "take it out here, or put class {} before class {}",
                ticked(&taken.leaf.name),
                takers(taken)
            )));
        }
    }
}
