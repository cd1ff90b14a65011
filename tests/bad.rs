//! What people read when their file is wrong: one file per fault under `tests/bad/`, its snapshot beside it.
//!
//! A new fault is a new file there; `INSTA_UPDATE=always cargo test --test bad` writes its snapshot. Read it as its
//! user would before it is committed.

#![cfg(test)]

use qosc::diag::{Format, Sink, Sources, render};
use qosc::syntax;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The names of the files with this extension, without it.
fn names(folder: &Path, extension: &str) -> BTreeSet<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

/// All findings about a file, as people see them.
fn findings(name: &str, bytes: &[u8]) -> String {
    let mut sources = Sources::default();
    let mut sink = Sink::default();
    if let Some(file) = syntax::load(&mut sources, name, bytes, &mut sink) {
        let _ = syntax::read(&sources, file, &mut sink);
    }
    assert!(sink.has_errors(), "{name} is accepted");
    render(&sink.into_sorted(), &sources, Format::Human { colour: false })
}

#[test]
fn every_fault_is_told_as_people_need_it() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let faults = names(&folder, "yaml");
    let mut wrong = Vec::new();
    for name in &faults {
        let file = format!("{name}.yaml");
        let bytes = std::fs::read(folder.join(&file)).unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("bad");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_input_file(Path::new("tests/bad").join(&file));
        let told = catch_unwind(AssertUnwindSafe(|| {
            settings.bind(|| insta::assert_snapshot!(name.as_str(), findings(&file, &bytes)))
        }));
        wrong.extend(told.is_err().then_some(name));
    }
    assert!(wrong.is_empty(), "changed: {wrong:?}");
    assert_eq!(names(&folder, "snap"), faults, "a snapshot without its file");
}
