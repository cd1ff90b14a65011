//! The weight of the project: no figure of `tests/figures.txt` grows by more than its limit without a decision.

use crate::files::below;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below folders of the project that have one of these endings.
fn with_endings(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = folders.iter().flat_map(|folder| below(&root().join(folder))).collect();
    let ends =
        |path: &PathBuf| path.extension().is_some_and(|end| endings.contains(&end.to_str().unwrap_or("")));
    found.retain(ends);
    found
}

/// Lines of a Rust file that are neither blank, nor a comment, nor in a module of tests at its end.
fn product_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let tests = lines.windows(2).position(|two| {
        two[0].starts_with("#[cfg(test)]") && two[1].starts_with("mod ") && two[1].ends_with('{')
    });
    let code = lines.iter().take(tests.unwrap_or(lines.len()));
    code.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a text")
}

/// Lines of code of all crates, without the tests.
fn source_lines() -> usize {
    let mut sources = with_endings(&["src", "crates"], &["rs"]);
    sources.retain(|path| !["_tests.rs", "tests/"].iter().any(|part| path.to_string_lossy().contains(part)));
    sources.iter().map(|path| product_lines(&read(path))).sum()
}

/// Lines of code in the shell and awk of every script.
fn runtime_lines() -> usize {
    let code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let files = with_endings(&["templates/runtime"], &["sh", "awk"]);
    files.iter().map(|path| read(path).lines().filter(code).count()).sum()
}

/// The test programs: the unit tests of each crate, and each folder of `tests/` with a `main.rs`.
fn test_programs() -> usize {
    let tests = with_endings(&["tests"], &["rs"]);
    let is_program = |path: &&PathBuf| {
        path.ends_with("main.rs") || path.parent().is_some_and(|folder| folder == root().join("tests"))
    };
    let crates = std::fs::read_dir(root().join("crates")).expect("a folder").count();
    1 + crates + tests.iter().filter(is_program).count()
}

#[test]
fn no_recorded_figure_has_grown() {
    let snapshots = with_endings(&["src", "crates", "tests"], &["snap"]);
    let now = BTreeMap::from([
        ("crates", read(&root().join("Cargo.lock")).matches("\nname = ").count()),
        ("snapshot-lines", snapshots.iter().map(|path| read(path).lines().count()).sum()),
        ("source-lines", source_lines()),
        ("runtime-lines", runtime_lines()),
        ("test-programs", test_programs()),
    ]);
    let recorded = read(&root().join("tests/figures.txt"));
    let rows = recorded.lines().filter(|line| !line.starts_with('#'));
    let mut compared = 0;
    for row in rows {
        let words: Vec<&str> = row.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().expect("a number");
        // scripts/test builds this program.
        if words[0] == "dist-bytes" {
            continue;
        }
        let now = now[words[0]];
        let most = number(1) * (100 + number(2)) / 100;
        assert!(
            now <= most,
            "{row} % more at most: it is {now}. Record it in tests/figures.txt with the reason."
        );
        compared += 1;
    }
    assert_eq!(compared, now.len());
}
