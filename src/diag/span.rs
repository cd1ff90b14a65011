//! Where a value stands in the text.

use serde::Serialize;

/// Which file of a [`Sources`]: 0 is the user's, the others are built-in class sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FileId(pub u16);

impl FileId {
    /// The user's own file.
    pub const OWN: FileId = FileId(0);
}

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte, from 0.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
}

impl Span {
    /// The line of a place in the user's own file; a built-in class set has none that could be looked up.
    #[must_use]
    pub fn own_line(self) -> Option<u32> {
        (self.file == FileId::OWN).then_some(self.line)
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value at a place.
    pub const fn new(value: T, span: Span) -> Self {
        Spanned { value, span }
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name as the user gave it, for messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether it is part of this program, so that no tool can open it.
    pub built_in: bool,
}

/// The files that the spans of one run point into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Takes a file and gives the id that its spans carry.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.push(Source { name: name.into(), text: text.into(), built_in: false })
    }

    /// Takes a file that is part of this program.
    pub fn add_built_in(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.push(Source { name: name.into(), text: text.into(), built_in: true })
    }

    fn push(&mut self, source: Source) -> FileId {
        let id = FileId(u16::try_from(self.0.len()).unwrap_or(u16::MAX));
        self.0.push(source);
        id
    }

    /// The file with this id.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.0.get(usize::from(id.0))
    }
}
