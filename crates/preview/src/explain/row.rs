//! Elements of an explanation.

use qosc_compiler::diag::Span;
use qosc_compiler::model::{Origin, Val};
use serde::Serialize;
use std::fmt::Display;

/// Id of the row on the size of a full packet on the line.
pub(super) const PACKET: [&str; 1] = ["packet.full"];

/// Rows on one subject, with sentences about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Section")]
pub struct ExplanationSection {
    /// Subject, such as `class voice`.
    pub title: String,
    /// Class that the section is about, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Numbers of the section.
    pub rows: Vec<ExplanationRow>,
    /// Sentences of the section.
    pub words: Vec<String>,
    /// True if another section has the same numbers. The text of the whole file leaves this section out.
    #[serde(skip)]
    pub(super) is_repeated: bool,
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Row")]
pub struct ExplanationRow {
    /// Id, such as `class.voice.up.burst`. It is the same in every version.
    pub id: String,
    /// Name for people, such as `burst up`.
    pub what: String,
    /// Value with its unit, as the file would write it.
    pub value: String,
    /// Origin of the value: `given`, `default` or `derived`.
    #[serde(flatten)]
    pub from: Whence,
    /// Inputs of the computation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// Components of the value, such as the bytes of an overhead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Component>,
    /// Ids of the rows that the value is computed from. They become `inputs` when all rows exist.
    #[serde(skip)]
    pub(super) takes: Vec<String>,
}

/// Origin of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Whence {
    /// Written in the file in this line. Values from a built-in set of classes have no line.
    Given {
        /// Line of the user's file, counted from 1.
        line: Option<u32>,
    },
    /// Default value.
    Default {
        /// Source of the default.
        why: String,
    },
    /// Computed value.
    Derived {
        /// Formula with its inputs.
        formula: String,
    },
}

/// Input of a computed value, and the origin of that input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Input {
    /// Id of the input's row; `None` if the file has it in place of the value itself, such as a share.
    pub id: Option<String>,
    /// Value of the input, with its unit.
    pub value: String,
    /// Origin of the input.
    #[serde(flatten)]
    pub from: Whence,
}

/// A component of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Component {
    /// Size of the component, with its unit.
    pub value: String,
    /// Name of the component.
    pub what: String,
}

impl ExplanationSection {
    pub(super) fn new(title: impl Into<String>, rows: Vec<ExplanationRow>) -> Self {
        Self { title: title.into(), class: None, rows, words: Vec::new(), is_repeated: false }
    }
}

impl ExplanationRow {
    fn new(id: impl Into<String>, what: impl Into<String>, value: impl Into<String>, from: Whence) -> Self {
        Self {
            id: id.into(),
            what: what.into(),
            value: value.into(),
            from,
            inputs: Vec::new(),
            parts: Vec::new(),
            takes: Vec::new(),
        }
    }

    /// Adds inputs to a derived value; other values have none.
    pub(super) fn takes<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        if matches!(self.from, Whence::Derived { .. }) {
            self.takes.extend(ids.into_iter().map(Into::into));
        }
        self
    }

    /// Adds the input of a value that takes over another one unchanged.
    pub(super) fn follows(mut self, id: impl Into<String>) -> Self {
        if !matches!(self.from, Whence::Given { .. }) {
            self.takes.push(id.into());
        }
        self
    }

    /// Adds the text that the file has in place of a derived value.
    pub(super) fn written(mut self, value: impl Display, span: Option<Span>) -> Self {
        if let (Some(span), Whence::Derived { .. }) = (span, &self.from) {
            self.inputs.push(Input { id: None, value: value.to_string(), from: given(span) });
        }
        self
    }

    /// Adds the components of a value.
    pub(super) fn parts(mut self, parts: impl IntoIterator<Item = (String, String)>) -> Self {
        self.parts.extend(parts.into_iter().map(|(value, what)| Component { value, what }));
        self
    }
}

fn given(span: Span) -> Whence {
    Whence::Given { line: span.own_line() }
}

/// Returns a row of a value that prints itself.
pub(super) fn row<T: Display>(
    id: impl Into<String>,
    what: impl Into<String>,
    val: &Val<T>,
) -> ExplanationRow {
    row_as(id, what, val, val.value.to_string())
}

/// Returns a row of a value with this text.
pub(super) fn row_as<T>(
    id: impl Into<String>,
    what: impl Into<String>,
    val: &Val<T>,
    value: impl Into<String>,
) -> ExplanationRow {
    let from = match &val.origin {
        Origin::Given(span) => given(*span),
        Origin::Default { why } => Whence::Default { why: why.to_string() },
        Origin::Derived { formula, .. } => Whence::Derived { formula: formula.to_string() },
    };
    ExplanationRow::new(id, what, value, from)
}

/// Returns a row of a computed value.
pub(super) fn derived(
    id: impl Into<String>,
    what: impl Into<String>,
    value: impl Display,
    formula: impl Into<String>,
) -> ExplanationRow {
    ExplanationRow::new(id, what, value.to_string(), Whence::Derived { formula: formula.into() })
}

/// Returns a row of a value that is the same in every script, and the reason for it.
pub(super) fn fixed(
    id: impl Into<String>,
    what: impl Into<String>,
    value: impl Display,
    why: impl Into<String>,
) -> ExplanationRow {
    ExplanationRow::new(id, what, value.to_string(), Whence::Default { why: why.into() })
}
