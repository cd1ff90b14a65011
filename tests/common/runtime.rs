//! Shell code of the runtime, as a script contains it.

use std::path::{Path, PathBuf};

/// Returns the folder of the runtime.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/runtime")
}

/// Returns a file of the runtime with its awk programs.
pub fn source(file: &str) -> String {
    let read = |name: &str| std::fs::read_to_string(folder().join(name)).expect("readable");
    let included = |line: &str| line.strip_prefix("@include ").map(read);
    read(file).lines().map(|line| included(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}
