//! Another program and signals, just before the temporary file gets its name.

use super::{Keep, PLAIN, replace_after};
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_file_that_changes_while_it_is_fixed_stays() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("file");
    std::fs::write(&file, "old").expect("a file");
    let there = std::fs::metadata(&file).expect("a file");
    let save = || std::fs::write(&file, "saved").expect("a file");
    let error = replace_after(&file, b"new", Some(&there), Keep::All, save).expect_err("an error");
    assert_eq!(error.to_string(), "it was changed meanwhile");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "saved");
    // A result replaces any file.
    replace_after(&file, b"new", Some(&there), Keep::Mode(PLAIN), save).expect("a file");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "new");
    assert_eq!(names(dir.path()), ["file"]);
}
