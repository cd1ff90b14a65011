//! Places of values in the text.

use serde::Serialize;
use std::sync::Arc;

/// Number of a file in [`Sources`]: 0 is the user's file, and the files that it includes follow. Files inside this program
/// count from a number that no included file reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FileId(pub u16);

impl FileId {
    /// The user's own file.
    pub const OWN: FileId = FileId(0);

    /// True for the user's file and those that it includes; false for a file inside this program.
    #[must_use]
    pub const fn is_own(self) -> bool {
        self.0 < BUILT_IN
    }
}

/// Number of the first file inside this program. So no number depends on what a file includes.
const BUILT_IN: u16 = 1 << 15;

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// File of the piece.
    pub file: FileId,
    /// First byte, from 0.
    pub start: usize,
    /// Byte after the last one.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
}

impl Span {
    /// True for a place in a text of the user.
    #[must_use]
    pub const fn is_own(self) -> bool {
        self.file.is_own()
    }

    /// Returns the line of a place in the user's own file. A built-in class set has no lines for the user.
    #[must_use]
    pub fn own_line(self) -> Option<u32> {
        (self.file == FileId::OWN).then_some(self.line)
    }
}

/// The beginning of the user's file.
impl Default for Span {
    fn default() -> Self {
        Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 }
    }
}

/// A value and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Place of the value.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Returns a value with its place.
    pub const fn new(value: T, span: Span) -> Self {
        Spanned { value, span }
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Name for messages, as the user gave it.
    pub name: String,
    /// Text of the file.
    pub text: String,
    /// True for a file inside this program, which no tool can open.
    pub built_in: bool,
}

/// Files that the spans of one run point into. Copies share their texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    own: Vec<Arc<Source>>,
    built_in: Vec<Arc<Source>>,
}

impl Sources {
    /// Adds a file of the user and returns its number. A file that is there already keeps its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        add(&mut self.own, 0, Source { name: name.into(), text: text.into(), built_in: false })
    }

    /// Adds a file inside this program and returns its number.
    pub fn add_built_in(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        add(&mut self.built_in, BUILT_IN, Source { name: name.into(), text: text.into(), built_in: true })
    }

    /// Returns the file with this number.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        let (list, first) = if id.is_own() { (&self.own, 0) } else { (&self.built_in, BUILT_IN) };
        list.get(usize::from(id.0 - first)).map(Arc::as_ref)
    }
}

fn add(list: &mut Vec<Arc<Source>>, first: u16, source: Source) -> FileId {
    let index = list.iter().position(|known| **known == source).unwrap_or_else(|| {
        list.push(Arc::new(source));
        list.len() - 1
    });
    FileId(u16::try_from(index).unwrap_or(u16::MAX).saturating_add(first))
}
