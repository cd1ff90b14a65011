//! Looks up values in trees.

use crate::diag::Span;
use crate::syntax::{Entry, Node, YamlValue};

/// Returns the entry of a mapping with this key.
pub(super) fn entry<'v>(value: &'v YamlValue, key: &str) -> Option<&'v Entry> {
    match &value.node {
        Node::Map(entries) => entries.iter().find(|entry| entry.key.value == key),
        _ => None,
    }
}

/// Does the same, to change it.
pub(super) fn entry_mut<'v>(value: &'v mut YamlValue, key: &str) -> Option<&'v mut Entry> {
    match &mut value.node {
        Node::Map(entries) => entries.iter_mut().find(|entry| entry.key.value == key),
        _ => None,
    }
}

/// Returns a scalar's text.
pub(super) fn text(value: &YamlValue) -> Option<&str> {
    match &value.node {
        Node::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

/// Returns the text that a mapping has for a key, and its place.
pub(super) fn name_at(value: &YamlValue, key: &str) -> Option<(String, Span)> {
    let found = entry(value, key)?;
    Some((text(&found.value)?.to_owned(), found.value.span))
}
