//! The file that a result replaces.

use std::fs::Metadata;
use std::io::{Error, Result};
use std::path::Path;

/// Error for a file that was changed after it was read.
pub(in crate::cli) fn changed_meanwhile() -> Error {
    Error::other("it was changed meanwhile")
}

/// Properties of the new file.
#[derive(Clone, Copy)]
pub(super) enum Keep {
    /// This mode.
    Mode(u32),
    /// All those of the old file.
    All,
}

/// Returns the properties of a file to write, or `None` if it is missing.
///
/// # Errors
/// Returns an error if the name leads nowhere: through links that form a loop, or to a missing file. As with cp(1), such
/// a link is neither replaced nor followed.
pub(super) fn there(path: &Path) -> Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        Ok(there) => Ok(Some(there)),
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
        Err(_) if path.is_symlink() => Err(Error::other("it is a symbolic link to a missing file")),
        Err(_) => Ok(None),
    }
}
