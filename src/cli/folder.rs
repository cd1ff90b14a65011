//! Configurations in a folder.

use super::output;
use crate::diag::ticked;
use std::path::{Path, PathBuf};

/// Returns the configurations below a folder, sorted: everything that ends with `.yaml` or `.yml` and is no folder, even
/// a link to a missing file. Its reader then says why it cannot be checked. Names that begin with a point, and folders
/// behind symbolic links, are skipped.
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
