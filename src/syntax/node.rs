//! The tree of a YAML text: plain, without types, every node with its place.

use crate::diag::{Span, Spanned};

/// A YAML node. Scalars keep their text as written: `0x10` and `010` are not numbers yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Nothing where a value could stand (`key:` at the end of a line).
    Null,
    /// Something that could not be read. The finding that says so is pushed, and nothing more is to be said.
    Unread,
    /// A scalar.
    Scalar {
        /// Its text, escapes and folded lines resolved.
        text: String,
        /// Whether it can only be text: quoted, a block of text, or tagged `!!str`.
        quoted: bool,
    },
    /// A list.
    Seq(Vec<Value>),
    /// A mapping in the order of the text; keys are unique, merge keys are merged.
    Map(Vec<Entry>),
}

impl Node {
    /// What it is, for messages: `a list`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Node::Null | Node::Unread => "nothing",
            Node::Scalar { .. } => "a single value",
            Node::Seq(_) => "a list",
            Node::Map(_) => "a mapping",
        }
    }
}

/// A node and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The node.
    pub node: Node,
    /// Its place: a block of keys or items from the first to the last, braces and quotes included. Of an alias, the
    /// `*name` that stands for it.
    pub span: Span,
    /// Of an alias, the place of what it stands for.
    pub anchored: Option<Box<Span>>,
}

/// A key of a mapping and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Spanned<String>,
    /// Whether the key is in quotes.
    pub quoted: bool,
    /// The value.
    pub value: Value,
}
