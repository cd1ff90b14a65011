//! Files inside a folder, which may be a stranger's: no link leads out of it.

use super::output;
use std::path::Path;

/// Checks that a file of a folder is no link that leads out of it. A link to a missing file is left to the reader.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn within(folder: &Path, path: &Path) -> Result<(), String> {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(target), Ok(folder)) if !target.starts_with(&folder) => Err(format!(
            "cannot read `{}`: it is a link to a file outside of the folder\n  help: name the file itself",
            output::name(path)
        )),
        _ => Ok(()),
    }
}

/// Checks that a file to write in a folder is no link that leads out of it, and that no folder on the way is one. A link
/// to a missing file leads out.
///
/// # Errors
/// Returns a message for standard error.
#[cfg(unix)]
pub(super) fn within_to_write(folder: &Path, path: &Path) -> Result<(), String> {
    let below = path.ancestors().take_while(|part| part.starts_with(folder) && *part != folder);
    let is_outside = |part: &Path| match (part.canonicalize(), folder.canonicalize()) {
        (Ok(target), Ok(folder)) => !target.starts_with(folder),
        _ => true,
    };
    let links = below.filter(|part| part.symlink_metadata().is_ok_and(|there| there.is_symlink()));
    match links.into_iter().find(|part| is_outside(part)) {
        None => Ok(()),
        Some(link) => Err(format!(
            "cannot write `{}`: `{}` is a link to a place outside of the folder\n  help: remove the link",
            output::name(path),
            output::name(link)
        )),
    }
}
