//! Where every number of a result comes from, and which way was taken where there are several: what `explain` says.

mod classes;
mod human;
mod line;
mod ways;

pub use human::human;

use crate::diag::FileId;
use crate::model::{Model, Origin, Val};
use serde::Serialize;
use std::fmt::Display;

/// All that there is to say of a configuration, in the order in which it is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The link's name.
    pub link: String,
    /// What belongs together.
    pub sections: Vec<Section>,
}

/// Numbers that belong together, and words on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// What they are of, such as `class voice`.
    pub title: String,
    /// The numbers.
    pub rows: Vec<Row>,
    /// What is to be said in sentences.
    pub words: Vec<String>,
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its name, such as `burst up`.
    pub what: String,
    /// The value as the file would have it, with its unit.
    pub value: String,
    /// How it came about: one of `given`, `default`, `derived`.
    #[serde(flatten)]
    pub from: Whence,
    /// What it is made of, such as the bytes of an overhead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// How a value came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Whence {
    /// Written in the file, in this line; in no line of it where a built-in set of classes has it.
    Given {
        /// The line of the user's file, from 1.
        line: Option<u32>,
    },
    /// Nobody wrote it.
    Default {
        /// What gave it.
        why: String,
    },
    /// Computed.
    Derived {
        /// The formula with its inputs.
        formula: String,
    },
}

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its size.
    pub value: String,
    /// What it is.
    pub what: String,
}

/// Explains a model without errors.
#[must_use]
pub fn explain(model: &Model) -> Explanation {
    let mut sections = vec![line::link(model), line::packets(model)];
    sections.extend(classes::classes(model));
    let rows = vec![row("queues", &model.memory.queues), row("packets, at most", &model.memory.packets)];
    sections.push(Section { title: "memory".to_owned(), rows, words: Vec::new() });
    sections.push(ways::ways(model));
    Explanation { link: model.name.value.as_str().to_owned(), sections }
}

/// A row of a value that prints itself.
fn row<T: Display>(what: impl Into<String>, val: &Val<T>) -> Row {
    row_as(what, val, val.value.to_string())
}

/// A row of a value that is printed so.
fn row_as<T>(what: impl Into<String>, val: &Val<T>, value: String) -> Row {
    let from = match &val.origin {
        Origin::Given(span) => Whence::Given { line: (span.file == FileId::OWN).then_some(span.line) },
        Origin::Default { why } => Whence::Default { why: why.clone() },
        Origin::Derived { formula, .. } => Whence::Derived { formula: formula.clone() },
    };
    Row { what: what.into(), value, from, parts: Vec::new() }
}

/// A computed row.
fn derived(what: impl Into<String>, value: impl Into<String>, formula: impl Into<String>) -> Row {
    let from = Whence::Derived { formula: formula.into() };
    Row { what: what.into(), value: value.into(), from, parts: Vec::new() }
}

/// A choice as the file writes it.
fn name_of<T: Serialize>(choice: &T) -> String {
    serde_json::to_value(choice).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
