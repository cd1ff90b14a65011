//! Converts nodes to [`Raw`]: knows the keys of every mapping and the values that each key accepts.

mod class;
mod expect;
mod link;
mod matches;
mod rest;

use super::fields::Fields;
use super::findings::Findings;
use super::limits::NAME;
use super::node::{Node, Value};
use super::quote::{is_hidden, quote};
use super::raw::Raw;
use super::sections::FileSections;
use super::values::{self, Field, disputed_text};
use crate::diag::{Code, Diagnostic, Span, Spanned};

pub(super) use class::classes;

/// Reads a whole file.
pub(super) fn file(root: &Value, found: &mut Findings<'_>) -> Option<Raw> {
    let mut fields = document(root, found)?;
    // Keys for anchors that are used elsewhere, as in other YAML formats.
    fields.skip("x-");
    let raw = Raw {
        name: fields.get("name").and_then(|field| values::unit(field, found)),
        link: fields.need("link", super::SMALLEST_FILE_HELP).and_then(|field| link::link(field, found)),
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
            found.push(Diagnostic::new(Code::WrongType, start, message).help(super::SMALLEST_FILE_HELP));
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

/// Returns the entries of a mapping from names to objects, and checks each name.
fn named<'a>(field: Field<'a>, what: &str, found: &mut Findings<'_>) -> Vec<(Spanned<String>, Field<'a>)> {
    let Node::Map(entries) = &field.value.node else {
        field.wrong(what, found);
        return Vec::new();
    };
    let mut things = Vec::with_capacity(entries.len());
    for entry in entries {
        name(&entry.key, entry.quoted, found);
        let field = Field {
            key: &entry.key.value,
            key_span: entry.key.span,
            value: &entry.value,
            required: false,
            item: false,
        };
        things.push((entry.key.clone(), field));
    }
    things
}

/// Checks a name. An invalid name is kept nevertheless, so that references to it are not reported as well.
fn name(name: &Spanned<String>, quoted: bool, found: &mut Findings<'_>) {
    let bad = |message: String| Diagnostic::new(Code::BadName, name.span, message);
    let text = &name.value;
    if let Some(finding) = disputed_text(text, name.span).filter(|_| !quoted) {
        found.push(finding);
    } else if text.is_empty() {
        found.push(bad("this name is empty".to_owned()).help("write a name of 1 to 64 characters"));
    } else if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
        let message = format!(
            "the name `{}` contains the invisible character `{}`",
            quote(text),
            quote(&c.to_string())
        );
        found.push(bad(message).help("write letters, digits, punctuation and spaces only"));
    } else if u32::try_from(text.chars().count()).is_ok_and(|length| !NAME.contains(&length)) {
        let message = format!("the name `{}` has {} characters", quote(text), text.chars().count());
        found.push(bad(message).help(format!("write a name of at most {} characters", NAME.end())));
    }
}
