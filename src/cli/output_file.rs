//! Files that commands write.

use super::args::Output;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::signals::Postponed;
use rustix::fs::XattrFlags;
use rustix::io::Errno;
use std::fs::{File, Metadata, Permissions};
use std::io::{Error, Result, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Mode of a script.
pub(super) const EXECUTABLE: u32 = 0o755;
/// Mode of any other result.
pub(super) const PLAIN: u32 = 0o644;

/// A file for a result. It is none of the files that the command reads.
pub(super) struct OutputFile<'a> {
    path: &'a Path,
}

impl<'a> OutputFile<'a> {
    /// Returns the file with this name. `inputs` are the names of all files that the command reads; `-` is standard
    /// input.
    ///
    /// # Errors
    /// Returns a message if the file is one of `inputs`, even by another name, or if its name cannot be written to.
    pub(super) fn new<'i>(
        path: &'a Path,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> std::result::Result<OutputFile<'a>, String> {
        let shown = output::name(path);
        let there = there(path).map_err(|e| format!("cannot write `{shown}`: {e}"))?;
        for input in inputs {
            let same =
                |there: &Metadata| identity(input).is_some_and(|read| read == (there.dev(), there.ino()));
            if there.as_ref().is_some_and(|there| there.is_file() && same(there)) {
                let input = if is_dash(input) {
                    "standard input".to_owned()
                } else {
                    format!("`{}`", output::name(input))
                };
                return Err(format!(
                    "`{shown}` is the same file as {input}, which this command reads\n  help: write the result to another file"
                ));
            }
        }
        Ok(OutputFile { path })
    }

    /// Name of the file for a message.
    pub(super) fn shown(&self) -> impl std::fmt::Display {
        output::name(self.path)
    }

    /// Writes a result: into a temporary file in the same folder, which is synced and renamed. Until then the old file
    /// is unchanged. A link is followed. A pipe, a terminal or another special file such as `/dev/null` is written to,
    /// never replaced.
    pub(super) fn write(&self, bytes: &[u8], mode: u32) -> Done {
        there(self.path)
            .and_then(|there| replace(self.path, bytes, there.as_ref(), Keep::Mode(mode)))
            .map(|()| Outcome::Fine)
            .map_err(|e| cannot(self.path, &e))
    }
}

/// Place of a result: standard output, or a file.
pub(super) struct Target<'a>(Option<OutputFile<'a>>);

impl<'a> Target<'a> {
    /// Returns the place that the arguments name. `inputs` are as for [`OutputFile::new`].
    ///
    /// # Errors
    /// As for [`OutputFile::new`].
    pub(super) fn new<'i>(
        to: &'a Output,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> std::result::Result<Target<'a>, String> {
        let path = to.output.as_deref().filter(|path| !is_dash(path));
        path.map(|path| OutputFile::new(path, inputs)).transpose().map(Target)
    }

    /// True if the result goes to a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.0.is_none() && output::is_terminal()
    }

    /// True if the result may have colours.
    pub(super) fn colours(&self) -> bool {
        self.0.is_none() && output::result_colours()
    }

    /// Writes a result to the file, or prints it with this function.
    pub(super) fn put(&self, text: &str, print: fn(&str) -> Done) -> Done {
        self.put_as(text, print, PLAIN)
    }

    /// Does the same. A new file gets this mode.
    pub(super) fn put_as(&self, text: &str, print: fn(&str) -> Done, mode: u32) -> Done {
        match &self.0 {
            None => print(text),
            Some(file) => file.write(text.as_bytes(), mode),
        }
    }
}

/// Message for a file that cannot be written.
pub(super) fn cannot(path: &Path, error: &Error) -> String {
    format!("cannot write `{}`: {error}", output::name(path))
}

/// Returns `true` for a regular file with another text.
pub(super) fn differs(path: &Path, text: &[u8]) -> bool {
    path.is_file() && std::fs::read(path).ok().as_deref() != Some(text)
}

/// Keeps files that would be overwritten.
///
/// # Errors
/// Returns a message if there is such a file.
pub(super) fn kept<'a>(files: impl Iterator<Item = &'a Path>) -> std::result::Result<(), String> {
    let names: Vec<String> = files.map(|path| format!("`{}`", output::name(path))).collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = names.join(", ");
    Err(format!(
        "these files exist with other content, so nothing was written: {names}\n  help: `--force` overwrites them"
    ))
}

/// State of a regular file. While it is the same, the file has the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    /// Device and inode.
    file: (u64, u64),
    size: u64,
    /// Time of the last change, in seconds and nanoseconds.
    modified: (i64, i64),
}

impl FileState {
    /// Returns the state of a file with these properties.
    pub(super) fn of(there: &Metadata) -> FileState {
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
    pub(super) fn now(path: &Path) -> Result<FileState> {
        Ok(FileState::of(&std::fs::metadata(path)?))
    }
}

/// Error for a file that was changed after it was read.
pub(super) fn changed_meanwhile() -> Error {
    Error::other("it was changed meanwhile")
}

/// Replaces a user's file in the same way, with its present owner, mode and access control list.
///
/// # Errors
/// Returns an error if the file is not a regular file, is read-only, belongs to another user or has several names. The
/// new file would have only one of these names. It also fails if the folder is not writable, or if another program
/// changes the file at the same time. The old file never changes then.
pub(super) fn again(path: &Path, text: &str) -> Result<()> {
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

/// Properties of the new file.
#[derive(Clone, Copy)]
enum Keep {
    /// This mode.
    Mode(u32),
    /// All those of the old file.
    All,
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

/// Returns the properties of a file to write, or `None` if it is missing.
///
/// # Errors
/// Returns an error if the name leads nowhere: through links that form a loop, or to a missing file. As with cp(1), such
/// a link is neither replaced nor followed.
fn there(path: &Path) -> Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        Ok(there) => Ok(Some(there)),
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
        Err(_) if path.is_symlink() => Err(Error::other("it is a symbolic link to a missing file")),
        Err(_) => Ok(None),
    }
}

fn replace(path: &Path, bytes: &[u8], there: Option<&Metadata>, keep: Keep) -> Result<()> {
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
        (Keep::All, Some(there)) => like(aside.as_file(), &path, there)?,
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

/// Gives a new file the owner, mode and access control list of the old one. Without its list, the mode would grant the
/// group of the file what the list grants to others. With a list that the folder gave it, the new file would grant more.
fn like(new: &File, old: &Path, there: &Metadata) -> Result<()> {
    const LIST: &str = "system.posix_acl_access";
    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (there.uid(), there.gid()) {
        let failed = |e: Error| Error::new(e.kind(), format!("cannot keep its owner and group: {e}"));
        std::os::unix::fs::fchown(new, Some(there.uid()), Some(there.gid())).map_err(failed)?;
    }
    let mut list = vec![0; 1 << 16];
    // The file is private until it has the right list.
    match rustix::fs::getxattr(old, LIST, &mut list) {
        Ok(length) => {
            list.truncate(length);
            rustix::fs::fsetxattr(new, LIST, &list, XattrFlags::empty())?;
        }
        Err(Errno::NODATA) => match rustix::fs::fremovexattr(new, LIST) {
            Ok(()) | Err(Errno::NODATA) => {}
            Err(e) => return Err(e.into()),
        },
        Err(Errno::OPNOTSUPP) => {}
        Err(e) => return Err(e.into()),
    }
    new.set_permissions(there.permissions())
}

#[cfg(test)]
#[path = "output_file_tests.rs"]
mod tests;
