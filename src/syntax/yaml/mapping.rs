//! Mappings: what can be a key, keys given twice, merge keys.

use crate::diag::{Code, Diagnostic, Spanned};
use crate::syntax::findings::Findings;
use crate::syntax::node::{Entry, Node, Value};
use crate::syntax::quote::quote;
use std::collections::HashMap;

/// A key whose value is still to come.
pub(super) enum Key {
    /// A text.
    Usable { key: Spanned<String>, quoted: bool },
    /// Something else; the finding is pushed, and its value is dropped.
    Unusable,
}

impl Key {
    /// What stands where a key should.
    pub(super) fn new(value: Value, found: &mut Findings<'_>) -> Key {
        let (message, help) = match value.node {
            Node::Scalar { text, quoted } => {
                return Key::Usable { key: Spanned::new(text, value.span), quoted };
            }
            Node::Unread => return Key::Unusable,
            Node::Null => ("a `:` without a key before it", "write `key: value`"),
            Node::Seq(_) => ("a list where a key should be", "quote a key that begins with `[`"),
            Node::Map(_) => ("a mapping where a key should be", "quote a key that begins with `{`"),
        };
        found.push(Diagnostic::new(Code::WrongType, value.span, message).help(help));
        Key::Unusable
    }
}

/// The entries of a mapping with each key once: the first of two that are the same stays, and what `<<` names is added
/// unless the mapping has the key itself.
pub(super) fn settle(entries: Vec<Entry>, found: &mut Findings<'_>) -> Vec<Entry> {
    let mut seen = HashMap::with_capacity(entries.len());
    let mut own = Vec::with_capacity(entries.len());
    let mut merge = None;
    for entry in entries {
        if let Some(first) = seen.get(&entry.key.value) {
            let message = format!("the key `{}` is given twice", quote(&entry.key.value));
            found.push(
                Diagnostic::new(Code::DuplicateKey, entry.key.span, message)
                    .label("given again")
                    .also(*first, "first given here")
                    .help("keep one of them"),
            );
            continue;
        }
        seen.insert(entry.key.value.clone(), entry.key.span);
        if entry.key.value == "<<" && !entry.quoted {
            merge = Some(entry.value);
        } else {
            own.push(entry);
        }
    }
    let Some(merge) = merge else { return own };
    let sources = match merge.node {
        Node::Seq(items) => items,
        _ => vec![merge],
    };
    for source in sources {
        let entries = match source.node {
            Node::Map(entries) => entries,
            Node::Unread => continue,
            node => {
                let message = format!("`<<` takes the keys of a mapping, and this is {}", node.kind());
                found.push(
                    Diagnostic::new(Code::WrongType, source.span, message)
                        .help("write `<<: *name` where `&name` stands before a mapping, or a list of such"),
                );
                continue;
            }
        };
        for entry in entries {
            if !seen.contains_key(&entry.key.value) {
                seen.insert(entry.key.value.clone(), entry.key.span);
                own.push(entry);
            }
        }
    }
    own
}
