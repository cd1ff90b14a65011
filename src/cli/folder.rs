//! Configurations in a folder.

use super::output;
use crate::diag::ticked;
use std::path::{Path, PathBuf};

/// Returns the configurations below a folder, sorted: everything that ends with `.yaml` or `.yml` and is no folder, even
/// a link that cannot be followed. Its reader then says why it cannot be checked, see also [`within`]. Names that begin
/// with a point, and folders behind symbolic links, are skipped.
///
/// # Errors
/// Returns a message for standard error if a folder cannot be read or has no configuration.
pub(super) fn configurations(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    below(folder, &mut found)?;
    if found.is_empty() {
        return Err(format!(
            "there is no configuration (`*.yaml` or `*.yml`) below {}",
            ticked(&output::name(folder))
        ));
    }
    found.sort();
    Ok(found)
}

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

fn below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot read `{}`: {e}", output::name(folder));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type().map_err(failed)?.is_dir() {
            below(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "yaml" || end == "yml") && !path.is_dir() {
            found.push(path);
        }
    }
    Ok(())
}
