//! Reads mappings from names to objects.

use crate::diag::{Code, Diagnostic, Spanned};
use crate::harmless::is_hidden;
use crate::syntax::field::Field;
use crate::syntax::findings::Findings;
use crate::syntax::limits::NAME;
use crate::syntax::node::Node;
use crate::syntax::quote::quote;
use crate::syntax::values::disputed_text;

/// Returns the entries of a mapping from names to objects, and checks each name.
pub(super) fn named<'a>(
    field: Field<'a>,
    what: &str,
    found: &mut Findings<'_>,
) -> Vec<(Spanned<String>, Field<'a>)> {
    let Node::Map(entries) = &field.value.node else {
        field.wrong(what, found);
        return Vec::new();
    };
    let mut things = Vec::with_capacity(entries.len());
    for entry in entries {
        name(&entry.key, entry.quoted, found);
        things.push((entry.key.clone(), Field::of(entry)));
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
