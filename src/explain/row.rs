//! What an explanation is made of.

use crate::diag::Span;
use crate::model::{Origin, Val};
use serde::Serialize;
use std::fmt::Display;

/// Numbers that belong together, and words on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// What they are of, such as `class voice`.
    pub title: String,
    /// The class that they are of, where they are of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The numbers.
    pub rows: Vec<Row>,
    /// What is to be said in sentences.
    pub words: Vec<String>,
    /// What the short form makes of it.
    #[serde(skip)]
    pub(super) short: Short,
}

/// What the short form makes of a section that is of no class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Short {
    /// A line for each number.
    Lines,
    /// The table of packets.
    Packets,
    /// It is left to `--verbose`, but for what the tables of classes have of it.
    Nothing,
}

/// A value, how it came about, and where the kernel is told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its name among all, such as `class.voice.up.burst`: the same in every version.
    pub id: String,
    /// Its name for people, such as `burst up`.
    pub what: String,
    /// The value as the file would have it, with its unit.
    pub value: String,
    /// How it came about: one of `given`, `default`, `derived`.
    #[serde(flatten)]
    pub from: Whence,
    /// What it was computed from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// What it is made of, such as the bytes of an overhead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Component>,
    /// Where it stands in what the kernel is told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Told>,
    /// The ids of rows that it was computed from: they become inputs when all rows are there.
    #[serde(skip)]
    pub(super) takes: Vec<String>,
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

/// Something that a value was computed from, and where that came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Input {
    /// The id of its row; `None` where it is written in the file in the place of the value itself, as a share is.
    pub id: Option<String>,
    /// Its value.
    pub value: String,
    /// How that came about.
    #[serde(flatten)]
    pub from: Whence,
}

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Component {
    /// Its size.
    pub value: String,
    /// What it is.
    pub what: String,
}

/// Where the kernel is told a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Told {
    /// The object as tc names it, such as `class dev ppp0 classid c05:ceca`.
    pub object: String,
    /// The option, such as `burst`.
    pub word: String,
    /// What stands behind it, such as `6272000bit`.
    pub value: String,
    /// On which routers, where it is not the same on all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<&'static str>,
}

impl Section {
    pub(super) fn new(title: impl Into<String>, rows: Vec<Row>) -> Section {
        Section { title: title.into(), class: None, rows, words: Vec::new(), short: Short::Lines }
    }

    pub(super) fn short(self, short: Short) -> Section {
        Section { short, ..self }
    }
}

impl Row {
    fn new(id: impl Into<String>, what: impl Into<String>, value: impl Into<String>, from: Whence) -> Row {
        Row {
            id: id.into(),
            what: what.into(),
            value: value.into(),
            from,
            inputs: Vec::new(),
            parts: Vec::new(),
            told: Vec::new(),
            takes: Vec::new(),
        }
    }

    /// What it was computed from; nothing of a value that is given or a default.
    pub(super) fn takes<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Row {
        if matches!(self.from, Whence::Derived { .. }) {
            self.takes.extend(ids.into_iter().map(Into::into));
        }
        self
    }

    /// The same of a value that is the other's, unchanged.
    pub(super) fn follows(mut self, id: impl Into<String>) -> Row {
        if !matches!(self.from, Whence::Given { .. }) {
            self.takes.push(id.into());
        }
        self
    }

    /// What is written in the file in its place.
    pub(super) fn written(mut self, value: impl Display, span: Option<Span>) -> Row {
        if let (Some(span), Whence::Derived { .. }) = (span, &self.from) {
            self.inputs.push(Input { id: None, value: value.to_string(), from: given(span) });
        }
        self
    }

    /// What it is made of.
    pub(super) fn parts(mut self, parts: impl IntoIterator<Item = (String, String)>) -> Row {
        self.parts.extend(parts.into_iter().map(|(value, what)| Component { value, what }));
        self
    }
}

fn given(span: Span) -> Whence {
    Whence::Given { line: span.own_line() }
}

/// A row of a value that prints itself.
pub(super) fn row<T: Display>(id: impl Into<String>, what: impl Into<String>, val: &Val<T>) -> Row {
    row_as(id, what, val, val.value.to_string())
}

/// A row of a value that is printed so.
pub(super) fn row_as<T>(
    id: impl Into<String>,
    what: impl Into<String>,
    val: &Val<T>,
    value: impl Into<String>,
) -> Row {
    let from = match &val.origin {
        Origin::Given(span) => given(*span),
        Origin::Default { why } => Whence::Default { why: why.clone() },
        Origin::Derived { formula, .. } => Whence::Derived { formula: formula.clone() },
    };
    Row::new(id, what, value, from)
}

/// A computed row.
pub(super) fn derived(
    id: impl Into<String>,
    what: impl Into<String>,
    value: impl Display,
    formula: impl Into<String>,
) -> Row {
    Row::new(id, what, value.to_string(), Whence::Derived { formula: formula.into() })
}

/// A row of what is the same in every script, and why.
pub(super) fn fixed(
    id: impl Into<String>,
    what: impl Into<String>,
    value: impl Display,
    why: impl Into<String>,
) -> Row {
    Row::new(id, what, value.to_string(), Whence::Default { why: why.into() })
}
