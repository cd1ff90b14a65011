//! Working folders. The next run removes those whose program was killed.

use rustix::fs::OFlags;
use std::fs::{File, Metadata, Permissions};
use std::io::Result;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use tempfile::TempDir;

/// File that marks a working folder. The program that made the folder has locked it.
const MARKER: &str = ".qosc-working-folder";
/// Number of random letters and digits at the end of the name.
const RANDOM: usize = 6;
/// Mode of a working folder.
const MODE: u32 = 0o700;

/// A folder that exists as long as this value. If the program is killed, its lock ends.
pub(super) struct Folder {
    dir: TempDir,
    _lock: File,
}

impl Folder {
    /// Makes a folder with this prefix. First removes the folders of programs that are gone.
    ///
    /// # Errors
    /// Returns an error if `base` is not writable.
    pub(super) fn new(base: &Path, prefix: &str) -> Result<Folder> {
        remove_left(base, prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix).rand_bytes(RANDOM).permissions(Permissions::from_mode(MODE));
        let dir = builder.tempdir_in(base)?;
        // The marker gets its name when it is locked, so that no other run finds it unlocked.
        let fresh = dir.path().join("fresh");
        let lock = File::create_new(&fresh)?;
        // A file system without locks keeps its old folders.
        let _unlocked = lock.lock();
        std::fs::rename(&fresh, dir.path().join(MARKER))?;
        Ok(Folder { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes the working folders with this prefix whose program is gone. If one cannot be removed, it stays.
fn remove_left(base: &Path, prefix: &str) {
    for entry in std::fs::read_dir(base).into_iter().flatten().flatten() {
        let generated =
            entry.file_name().to_str().and_then(|name| name.strip_prefix(prefix)).is_some_and(|end| {
                end.len() == RANDOM && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
            });
        // The metadata of an entry is that of a symbolic link itself.
        let private = |there: Metadata| there.is_dir() && own(&there) && there.mode() & 0o7777 == MODE;
        if generated
            && entry.metadata().is_ok_and(private)
            && let Some(marker) = marker(&entry.path())
            && marker.try_lock().is_ok()
        {
            let _stays = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Opens the marker of a folder, or returns `None` if `qosc` did not make the folder.
fn marker(folder: &Path) -> Option<File> {
    // Nothing else with this name is followed or waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = flags.bits().cast_signed();
    let marker = File::options().read(true).custom_flags(flags).open(folder.join(MARKER)).ok()?;
    marker.metadata().is_ok_and(|there| there.is_file() && own(&there)).then_some(marker)
}

/// True if a file belongs to this user.
fn own(there: &Metadata) -> bool {
    there.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
