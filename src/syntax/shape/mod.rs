//! Converts nodes to [`Raw`]: knows the keys of every mapping and the values that each key accepts.

mod class;
mod expect;
mod link;
mod matches;
mod names;
mod rest;

use super::field::Field;
use super::fields::Fields;
use super::findings::Findings;
use super::limits::SMALLEST_FILE_HELP;
use super::node::{Node, Value};
use super::raw::Raw;
use super::sections::FileSections;
use super::values;
use crate::diag::{Code, Diagnostic, Span};

pub(super) use class::classes;

/// Reads a whole file.
pub(super) fn file(root: &Value, found: &mut Findings<'_>) -> Option<Raw> {
    let mut fields = document(root, found)?;
    // Keys for anchors that are used elsewhere, as in other YAML formats.
    fields.skip("x-");
    let raw = Raw {
        name: fields.get("name").and_then(|field| values::unit(field, found)),
        link: fields.need("link", SMALLEST_FILE_HELP).and_then(|field| link::link(field, found)),
        lan: fields.get("lan").and_then(|field| link::lan(field, found)),
        hosts: fields.get("hosts").map_or_else(Vec::new, |field| rest::hosts(field, found)),
        tunnels: fields.get("tunnels").map_or_else(Vec::new, |field| rest::tunnels(field, found)),
        classes: fields.get("classes").and_then(|field| class::classes_or_preset(field, found)),
        police: fields.get("police").map_or_else(Vec::new, |field| rest::police(field, found)),
        tuning: fields.get("tuning").and_then(|field| rest::tuning(field, found)),
        expect: fields.get("expect").map_or_else(Vec::new, |field| expect::expect(field, found)),
        sections: FileSections::of(root),
    };
    fields.finish(found);
    Some(raw)
}

/// Returns the keys of a whole document; reports a document that has none.
pub(super) fn document<'a>(root: &'a Value, found: &mut Findings<'_>) -> Option<Fields<'a>> {
    // Place of the first key, for findings about missing keys at the top.
    let start = match &root.node {
        Node::Map(entries) => entries.first().map_or(root.span, |entry| entry.key.span),
        node => {
            if *node == Node::Unread {
                return None;
            }
            let message = format!("the file is {}, not a mapping of keys to values", node.kind());
            let start = Span { end: root.span.start, ..root.span };
            found.push(Diagnostic::new(Code::WrongType, start, message).help(SMALLEST_FILE_HELP));
            return None;
        }
    };
    Fields::new(
        Field { key: "the file", key_span: start, value: root, required: true, item: false },
        "the file",
        "keys",
        found,
    )
}
