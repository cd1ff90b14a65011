//! `variants`: settings for a part of the day.

use super::merge::merge;
use super::tree::entry_mut;
use crate::syntax::{LayerKind, Node, YamlValue};

/// Returns the tree of a file with one of its variants: what it sets lies on top of everything.
pub(super) fn choose(mut root: YamlValue, name: &str) -> YamlValue {
    let set = entry_mut(&mut root, "variants")
        .and_then(|variants| entry_mut(&mut variants.value, name))
        .and_then(|variant| entry_mut(&mut variant.value, "set"));
    let Some(set) = set else { return root };
    // What is read in the sections is not read again as one of `variants`.
    let over = YamlValue { node: std::mem::replace(&mut set.value.node, Node::Unread), ..set.value.clone() };
    match over.node {
        Node::Map(_) => YamlValue { span: root.span, ..merge(root, over.of_layer(LayerKind::Variant)) },
        _ => root,
    }
}

#[cfg(test)]
#[path = "variants_tests.rs"]
mod tests;
