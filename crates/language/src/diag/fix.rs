//! Certain cures as edits of the user's text.
//!
//! Other modules state the new text for a place. Only this module knows how the text fits in, with quotes, commas and
//! whole lines. If it does not fit in without changing anything else, such as a comment, there is no edit.
//!
//! A cure is certain only if nothing else can be meant:
//!
//! - a misspelt word is one typing error away from exactly one word of a closed set,
//! - a value is the same quantity in our notation, or lacks only a space or quotes of YAML,
//! - the removed text has no effect where it is.
//!
//! A missing value, one of two equal names, or one of several numbers that do not fit together has no certain cure. The
//! page of a code mentions `qosc check --fix` if its findings can have one (`tests/file/fix.rs`).

mod layout;

use super::{FileId, Sources, Span, ticked};
use serde::Serialize;

/// A certain cure: nothing else can be meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// Description of the cure in a few words: ``write `true` ``.
    pub title: String,
    span: Span,
    to: To,
}

/// Replacement for the text at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
enum To {
    /// Exactly this text.
    Text(String),
    /// A scalar with this value: in quotes if the old one was, or if YAML needs them.
    Scalar(String),
    /// Nothing: an item of a list, or a key with its value, is removed together with its separator.
    Nothing,
}

/// New text for a piece of the user's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Piece of the file; empty for an insertion.
    pub span: Span,
    /// New text of the piece.
    pub text: String,
}

impl Fix {
    /// Returns a fix that writes exactly this text, which may be empty.
    pub fn text(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Fix::new(title, span, To::Text(text.into()))
    }

    /// Returns a fix that writes a scalar with the value `text`.
    pub fn scalar(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Fix::new(title, span, To::Scalar(text.into()))
    }

    /// Returns a fix that writes the meant name.
    pub fn name(meant: &str, span: Span) -> Self {
        Fix::scalar(format!("write {}", ticked(meant)), span, meant)
    }

    /// Returns a fix that removes an item of a list, or a key with its value.
    pub fn take_out(title: impl Into<String>, span: Span) -> Self {
        Fix::new(title, span, To::Nothing)
    }

    fn new(title: impl Into<String>, span: Span, to: To) -> Self {
        Fix { title: title.into(), span, to }
    }

    /// Returns the edit, or `None` if the place is not in the user's own text or the fix does not fit into it.
    #[must_use]
    pub fn edit(&self, sources: &Sources) -> Option<Edit> {
        let text = &sources.get(FileId::OWN)?.text;
        let Span { file, start, end, .. } = self.span;
        let old = text.get(start..end).filter(|_| file == FileId::OWN)?;
        // The value of an alias is elsewhere, and others may use it, too.
        if old.starts_with('*') {
            return None;
        }
        Some(match &self.to {
            To::Text(new) => Edit { span: self.span, text: new.clone() },
            To::Scalar(new) => Edit { span: self.span, text: layout::scalar(old, new)? },
            To::Nothing => {
                let (start, end) = layout::item(text, start, end)?;
                Edit { span: place(text, start, end, self.span), text: String::new() }
            }
        })
    }
}

/// Place of these bytes in the user's text. They begin at `known` or shortly before it, so that a text with many edits
/// is not read again for each.
fn place(text: &str, start: usize, end: usize, known: Span) -> Span {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let between = text.get(start..known.start).unwrap_or_default();
    let breaks = between.bytes().filter(|byte| *byte == b'\n').count();
    let column = if breaks == 0 {
        known.column.saturating_sub(number(between.chars().count()))
    } else {
        let before = text.get(..start).unwrap_or_default();
        let after_break = before.rfind('\n').map_or(0, |at| at + 1);
        number(before.get(after_break..).unwrap_or_default().chars().count() + 1)
    };
    Span { file: FileId::OWN, start, end, line: known.line.saturating_sub(number(breaks)), column }
}

/// Returns the text with all of these edits. They may be in any order but must not overlap.
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
