//! Untyped tree of a YAML text. Every node has its place.

use super::scalar::{Plain, plain};
use crate::diag::{Span, Spanned};

/// A YAML node. Scalars keep their text as written: `0x10` and `010` are not numbers yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// No value (`key:` at the end of a line).
    Null,
    /// A value that another layer of the configuration removed.
    Removed,
    /// A value that could not be read. The reason is already reported, so nothing else is reported about it.
    Unread,
    /// A scalar.
    Scalar {
        /// Text of the scalar, with escapes and folded lines resolved.
        text: String,
        /// `true` if it can only be text: quoted, a block of text, or tagged `!!str`.
        quoted: bool,
    },
    /// A list.
    Seq(Vec<YamlValue>),
    /// A mapping in the order of the text. Keys are unique, and merge keys are merged.
    Map(Vec<Entry>),
}

impl Node {
    /// Returns the kind of the node for messages, such as `a list`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Node::Null | Node::Removed | Node::Unread => "nothing",
            Node::Scalar { .. } => "a single value",
            Node::Seq(_) => "a list",
            Node::Map(_) => "a mapping",
        }
    }

    /// Returns `true` for `null` or `~`, and `false` for an empty value.
    #[must_use]
    pub fn is_null(&self) -> bool {
        // The longest word is `null`, and a text can be long.
        matches!(self, Node::Scalar { text, quoted: false } if text.len() <= 4 && plain(text) == Plain::Null)
    }
}

/// A node and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlValue {
    /// The node.
    pub node: Node,
    /// Place of the node. A block of keys or items extends from the first to the last, and braces and quotes are
    /// included. The place of an alias is its `*name`.
    pub span: Span,
    /// For an alias, the place of its target.
    pub anchored: Option<Box<Span>>,
}

impl YamlValue {
    /// Returns the same tree as a part of this layer.
    #[must_use]
    pub(crate) fn of_layer(mut self, layer: LayerKind) -> Self {
        self.set_layer(layer);
        self
    }

    fn set_layer(&mut self, layer: LayerKind) {
        let Node::Map(entries) = &mut self.node else { return };
        for entry in entries {
            entry.lowest = layer;
            entry.value.set_layer(layer);
        }
    }

    /// Returns the number of keys and values of a tree. A long text counts as several.
    #[must_use]
    pub fn count(&self) -> usize {
        /// Bytes of a text that cost as much as a key or value.
        const BYTES: usize = 64;
        match &self.node {
            Node::Map(entries) => {
                1 + entries
                    .iter()
                    .map(|entry| 1 + entry.key.value.len() / BYTES + entry.value.count())
                    .sum::<usize>()
            }
            Node::Seq(items) => 1 + items.iter().map(YamlValue::count).sum::<usize>(),
            Node::Scalar { text, .. } => 1 + text.len() / BYTES,
            Node::Null | Node::Removed | Node::Unread => 1,
        }
    }
}

/// A key of a mapping and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Spanned<String>,
    /// `true` if the key is in quotes.
    pub quoted: bool,
    /// The value.
    pub value: YamlValue,
    /// Lowest layer that has the entry.
    pub lowest: LayerKind,
    /// `true` if a layer removed the key before. Nothing of lower layers then shows through.
    pub fresh: bool,
}

impl Entry {
    /// Returns an entry as a file has it.
    #[must_use]
    pub const fn new(key: Spanned<String>, quoted: bool, value: YamlValue) -> Self {
        Entry { key, quoted, value, lowest: LayerKind::File, fresh: false }
    }
}

/// Kind of a layer, from the lowest to the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// A file, one that it includes, a preset or a template.
    File,
    /// The chosen link of several.
    Link,
    /// The chosen variant.
    Variant,
}
