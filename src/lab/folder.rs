//! Working folders. The next run removes those whose program was killed.

use std::fs::File;
use std::io::Result;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use tempfile::TempDir;

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
        loop {
            let dir = tempfile::Builder::new().prefix(prefix).tempdir_in(base)?;
            let lock = File::open(dir.path())?;
            // A file system without locks keeps its old folders.
            let _unlocked = lock.lock();
            // Another run may have removed the folder just before.
            let same = |now: std::fs::Metadata| Ok(now.ino() == lock.metadata()?.ino());
            if dir.path().metadata().and_then(same).unwrap_or(false) {
                return Ok(Folder { dir, _lock: lock });
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes this user's folders with this prefix that nobody has locked. If one cannot be removed, it stays.
fn remove_left(base: &Path, prefix: &str) {
    let own = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(base).into_iter().flatten().flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(prefix);
        // The metadata of an entry is that of a symbolic link itself.
        let ours = || entry.metadata().is_ok_and(|there| there.is_dir() && there.uid() == own);
        if named
            && ours()
            && let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
        {
            let _stays = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
