//! Cures that are certain, as edits of the user's text.
//!
//! A room says what is to be written instead of what; how that fits into the text around it, quotes, commas and whole lines, is
//! known here alone. Where it does not fit without touching anything else, a comment above all, there is no edit.

mod layout;

use super::{FileId, Sources, Span, ticked};
use serde::Serialize;

/// A cure that is certain: nothing else can have been meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// What is done, in a few words: ``write `true` ``.
    pub title: String,
    span: Span,
    to: To,
}

/// What stands in a place afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
enum To {
    /// Exactly this.
    Text(String),
    /// A scalar that reads as this: in quotes where the old one was, or where YAML asks for them.
    Scalar(String),
    /// No item of a list, or no key with its value: what parts it from its neighbours goes, too.
    Nothing,
}

/// New text for a piece of the user's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The piece; empty where something is put in between.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

impl Fix {
    /// Exactly this text in this place, which may be empty.
    pub fn text(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Fix::new(title, span, To::Text(text.into()))
    }

    /// A scalar that reads as `text` for that in this place.
    pub fn scalar(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Fix::new(title, span, To::Scalar(text.into()))
    }

    /// The name that was meant, for the one in this place.
    pub fn name(meant: &str, span: Span) -> Self {
        Fix::scalar(format!("write {}", ticked(meant)), span, meant)
    }

    /// Takes out an item of a list, or a key with its value.
    pub fn take_out(title: impl Into<String>, span: Span) -> Self {
        Fix::new(title, span, To::Nothing)
    }

    fn new(title: impl Into<String>, span: Span, to: To) -> Self {
        Fix { title: title.into(), span, to }
    }

    /// As an edit. `None` where it is not the user's own text, or does not fit into it.
    #[must_use]
    pub fn edit(&self, sources: &Sources) -> Option<Edit> {
        let text = &sources.get(FileId::OWN)?.text;
        let Span { file, start, end, .. } = self.span;
        let old = text.get(start..end).filter(|_| file == FileId::OWN)?;
        // What an alias stands for is written elsewhere, perhaps for others, too.
        if old.starts_with('*') {
            return None;
        }
        Some(match &self.to {
            To::Text(new) => Edit { span: self.span, text: new.clone() },
            To::Scalar(new) => Edit { span: self.span, text: layout::scalar(old, new)? },
            To::Nothing => {
                let (start, end) = layout::item(text, start, end)?;
                Edit { span: place(text, start, end), text: String::new() }
            }
        })
    }
}

/// The place of these bytes of the user's text.
fn place(text: &str, start: usize, end: usize) -> Span {
    let before = text.get(..start).unwrap_or_default();
    let after_break = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.get(after_break..).unwrap_or_default().chars().count() + 1;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Span { file: FileId::OWN, start, end, line: number(line), column: number(column) }
}

/// The text with all of these edits, which neither overlap nor need be in order.
#[must_use]
pub fn edited<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Edit { span, text: new } in edits {
        out.push_str(text.get(at..span.start).unwrap_or_default());
        out.push_str(new);
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
