#![doc = include_str!("../rules/Q0512.md")]

use super::Rule;
use super::cover::taken;
use super::taken::{by, is_same_leaf};
use crate::diag::{Code, Diagnostic, FileId, Sink, ticked};
use crate::model::Model;

pub(super) const RULE: Rule = Rule { name: "said-twice", codes: &[Code::SaidTwice], run };

fn run(model: &Model, sink: &mut Sink) {
    for taken in taken(model).iter().filter(|taken| taken.values.is_empty() && is_same_leaf(taken)) {
        if taken.own.span.file == FileId::OWN {
            let message =
                format!("{} says nothing new in class {}", ticked(&taken.own.text), ticked(&taken.leaf.name));
            let finding = Diagnostic::new(Code::SaidTwice, taken.own.span, message);
            sink.push(by(finding, taken).help("leave it out"));
        }
    }
}
