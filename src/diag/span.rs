//! Places of values in the text.

use serde::Serialize;

/// Index of a file in [`Sources`]: 0 is the user's file, the others are built-in class sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FileId(pub u16);

impl FileId {
    /// The user's own file.
    pub const OWN: FileId = FileId(0);
}

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
    /// Returns the line of a place in the user's own file. A built-in class set has no lines for the user.
    #[must_use]
    pub fn own_line(self) -> Option<u32> {
        (self.file == FileId::OWN).then_some(self.line)
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

/// Files that the spans of one run point into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.push(Source { name: name.into(), text: text.into(), built_in: false })
    }

    /// Adds a file inside this program and returns its id.
    pub fn add_built_in(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.push(Source { name: name.into(), text: text.into(), built_in: true })
    }

    fn push(&mut self, source: Source) -> FileId {
        let id = FileId(u16::try_from(self.0.len()).unwrap_or(u16::MAX));
        self.0.push(source);
        id
    }

    /// Returns the file with this id.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.0.get(usize::from(id.0))
    }
}
