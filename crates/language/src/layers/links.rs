//! `links`: several links that share the other sections of a file.

use super::merge::merge;
use super::tree::{entry, entry_mut};
use crate::diag::{Code, Diagnostic, Sink, Spanned};
use crate::syntax::{Entry, LayerKind, Node, YamlValue};
use crate::terms::FileSection;

/// Returns the names of the links of a file, in its order.
pub(super) fn names(root: &YamlValue, sink: &mut Sink) -> Vec<Spanned<String>> {
    let there = |key| entry(root, key).filter(|entry| entry.value.node != Node::Removed);
    let Some(links) = there("links") else { return Vec::new() };
    if let Some(link) = there("link") {
        let message = "`link` cannot stand beside `links`";
        let finding =
            Diagnostic::new(Code::UnknownKey, link.key.span, message).also(links.key.span, "several links");
        sink.push(finding.help("write this link as another one in `links`"));
    }
    match &links.value.node {
        Node::Map(entries) => {
            let there = entries.iter().filter(|entry| entry.value.node != Node::Removed);
            there.map(|entry| entry.key.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the tree of a file with one of its links: the sections of the link lie on top of those of the file, and its
/// other keys are `link`.
pub(super) fn choose(mut root: YamlValue, name: &str) -> YamlValue {
    let links = entry_mut(&mut root, "links").and_then(|links| entry_mut(&mut links.value, name));
    let Some(chosen) = links else { return root };
    let key = chosen.key.clone();
    // What is read as `link` is not read again as one of `links`.
    let value = std::mem::replace(&mut chosen.value.node, Node::Unread);
    let Node::Map(entries) = value else {
        chosen.value.node = value;
        return root;
    };
    let span = chosen.value.span;
    let is_section =
        |entry: &Entry| FileSection::from_key(&entry.key.value).is_some_and(FileSection::is_of_links);
    let (mut over, own): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(is_section);
    let map = |entries| YamlValue { node: Node::Map(entries), span, anchored: None };
    let link = Entry::new(Spanned::new("link".to_owned(), key.span), false, map(own));
    over.push(link);
    let root_span = root.span;
    YamlValue { span: root_span, ..merge(root, map(over).of_layer(LayerKind::Link)) }
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
