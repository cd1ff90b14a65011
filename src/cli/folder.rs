//! Configurations of a folder.

use crate::diag::ticked;
use std::path::{Path, PathBuf};

/// The configurations below a folder: everything that ends with `.yaml` or `.yml`, sorted. What begins with a point, and
/// folders behind symbolic links, are passed over.
///
/// # Errors
/// When a folder cannot be read, or there is none: the words for standard error.
pub(super) fn configurations(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    below(folder, &mut found)?;
    if found.is_empty() {
        return Err(format!(
            "there is no configuration (`*.yaml` or `*.yml`) below {}",
            ticked(&folder.display().to_string())
        ));
    }
    found.sort();
    Ok(found)
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot read `{}`: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type().map_err(failed)?.is_dir() {
            below(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "yaml" || end == "yml") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
