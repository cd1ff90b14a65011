//! Files in the memory of a page, the only ones that a program in a browser has. No other program changes them.

use super::old_file::Keep;
use std::fs::Metadata;
use std::io::Result;
use std::path::Path;

/// State of a file, always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct FileState;

impl FileState {
    pub(in crate::cli) const fn of(_there: &Metadata) -> FileState {
        FileState
    }

    pub(in crate::cli) const fn now(_path: &Path) -> Result<FileState> {
        Ok(FileState)
    }
}

/// False: the page gives each file a name of its own.
pub(super) const fn is_input(_there: &Metadata, _input: &Path) -> bool {
    false
}

/// Replaces a user's file.
pub(in crate::cli) fn again(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text)
}

/// Writes a file. It has no owner or mode.
pub(super) fn replace(path: &Path, bytes: &[u8], _there: Option<&Metadata>, _keep: Keep) -> Result<()> {
    std::fs::write(path, bytes)
}
