//! Files of a Unix system.

use super::old_file::{Keep, changed_meanwhile, there};
use crate::cli::outcome::is_dash;
use crate::cli::signals::Postponed;
use std::fs::{File, Metadata, Permissions};
use std::io::{Error, Result, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// State of a regular file. While it is the same, the file has the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct FileState {
    /// Device and inode.
    file: (u64, u64),
    size: u64,
    /// Time of the last change, in seconds and nanoseconds.
    modified: (i64, i64),
}

impl FileState {
    /// Returns the state of a file with these properties.
    pub(in crate::cli) fn of(there: &Metadata) -> FileState {
        FileState {
            file: (there.dev(), there.ino()),
            size: there.size(),
            modified: (there.mtime(), there.mtime_nsec()),
        }
    }

    /// Returns the present state of a file.
    ///
    /// # Errors
    /// Returns an error if the file is missing.
    pub(in crate::cli) fn now(path: &Path) -> Result<FileState> {
        Ok(FileState::of(&std::fs::metadata(path)?))
    }
}

/// Replaces a user's file in the same way, with its present owner and mode.
///
/// # Errors
/// Returns an error if the file is not a regular file, is read-only, belongs to another user or has several names. The
/// new file would have only one of these names. It also fails if the folder is not writable, or if another program
/// changes the file at the same time. The old file never changes then.
pub(in crate::cli) fn again(path: &Path, text: &str) -> Result<()> {
    let there = there(path)?.ok_or_else(|| Error::from(std::io::ErrorKind::NotFound))?;
    let user = rustix::process::geteuid();
    // A pipe would give the new text to the next reader of the old one.
    if !there.is_file() {
        return Err(Error::other("it is not a regular file; use `-`"));
    }
    if there.mode() & 0o222 == 0 {
        return Err(Error::other("it is read-only"));
    }
    if there.uid() != user.as_raw() && !user.is_root() {
        return Err(Error::other("it belongs to another user"));
    }
    if there.nlink() > 1 {
        let names = there.nlink();
        return Err(Error::other(format!(
            "it has {names} names (hard links), and only one of them would get the new text"
        )));
    }
    // The old text stays. This finds files that cannot be written for other reasons.
    File::options().write(true).open(path)?;
    replace(path, text.as_bytes(), Some(&there), Keep::All)
}

/// True if a file to write is this file, which the command reads.
pub(super) fn is_input(there: &Metadata, input: &Path) -> bool {
    identity(input).is_some_and(|read| read == (there.dev(), there.ino()))
}

/// Device and inode of a file to read, if it is a regular file.
fn identity(input: &Path) -> Option<(u64, u64)> {
    let found = if is_dash(input) {
        File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?).metadata().ok()?
    } else {
        std::fs::metadata(input).ok()?
    };
    found.is_file().then(|| (found.dev(), found.ino()))
}

/// Replaces a file, as `OutputFile::write` does.
pub(super) fn replace(path: &Path, bytes: &[u8], there: Option<&Metadata>, keep: Keep) -> Result<()> {
    replace_after(path, bytes, there, keep, || ())
}

/// Replaces a file. `last` is called when the temporary file is complete, so that a test can interfere.
fn replace_after(
    path: &Path,
    bytes: &[u8],
    there: Option<&Metadata>,
    keep: Keep,
    last: impl FnOnce(),
) -> Result<()> {
    let path: PathBuf = match there {
        None => path.to_owned(),
        Some(there) if there.is_file() => std::fs::canonicalize(path)?,
        Some(_) => return File::options().write(true).open(path)?.write_all(bytes),
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let signals = Postponed::begin();
    let mut aside = tempfile::Builder::new().prefix(".qosc-").tempfile_in(folder)?;
    aside.write_all(bytes)?;
    match (keep, there) {
        (Keep::All, Some(there)) => like(aside.as_file(), there)?,
        (Keep::Mode(mode), _) => aside.as_file().set_permissions(Permissions::from_mode(mode))?,
        (Keep::All, None) => {}
    }
    aside.as_file().sync_all()?;
    last();
    if let (Keep::All, Some(there)) = (keep, there)
        && FileState::now(&path)? != FileState::of(there)
    {
        return Err(changed_meanwhile());
    }
    if signals.came() {
        return Err(Error::from(std::io::ErrorKind::Interrupted));
    }
    aside.persist(&path).map_err(|e| e.error)?;
    Ok(())
}

/// Gives a new file the owner and mode of the old one.
fn like(new: &File, there: &Metadata) -> Result<()> {
    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (there.uid(), there.gid()) {
        let failed = |e: Error| Error::new(e.kind(), format!("cannot keep its owner and group: {e}"));
        std::os::unix::fs::fchown(new, Some(there.uid()), Some(there.gid())).map_err(failed)?;
    }
    new.set_permissions(there.permissions())
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
