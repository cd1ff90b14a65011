//! Reads files within limits.

use super::output;
use super::output_file::FileState;
use std::fs::File;
use std::io::Read as _;
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Reads at most one byte more than `most`, so that an endless file is refused and not read.
pub(super) fn read(path: &Path, stdin: bool, most: usize) -> std::io::Result<Vec<u8>> {
    read_with_state(path, stdin, most).map(|(bytes, _)| bytes)
}

/// Does the same, and returns the state of a regular file just before it was read.
pub(super) fn read_with_state(
    path: &Path,
    stdin: bool,
    most: usize,
) -> std::io::Result<(Vec<u8>, Option<FileState>)> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    if stdin {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
        return Ok((bytes, None));
    }
    let file = opened(path)?;
    let there = file.metadata()?;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok((bytes, there.is_file().then(|| FileState::of(&there))))
}

/// Reads a whole file.
///
/// # Errors
/// Returns a message for standard error if the file cannot be read or has more than `most` bytes.
pub(super) fn whole(path: &Path, stdin: bool, most: usize) -> Result<Vec<u8>, String> {
    let failed = |why: &dyn std::fmt::Display| format!("cannot read `{}`: {why}", output::name(path));
    let bytes = read(path, stdin, most).map_err(|e| failed(&e))?;
    if bytes.len() > most {
        return Err(failed(&format!("it is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Opens a regular file. A pipe or a device is opened only if its name shows that this is meant, such as `/dev/stdin` or
/// the `/dev/fd/63` that a shell writes for `<(...)`. Any other pipe would wait for a writer that may never come.
fn opened(path: &Path) -> std::io::Result<File> {
    let meant = path.parent() == Some(Path::new("/dev"))
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.starts_with(folder));
    if meant {
        return File::open(path);
    }
    let mut options = File::options();
    #[cfg(unix)]
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.read(true).open(path)?;
    let there = file.metadata()?;
    match there.is_file() || there.is_dir() {
        true => Ok(file),
        false => Err(std::io::Error::other(
            "it is not a regular file; `-` reads standard input, as in `qosc check - <pipe`",
        )),
    }
}
