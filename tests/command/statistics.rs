//! `qosc check --statistics`: a line for each code instead of the findings.

#![cfg(test)]

use crate::home::{GOOD, command, ended, qosc};
use std::path::Path;

const LINK: &str = "link: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

/// A folder with two unknown keys in two files, the same wrong rate in two files, and a file without findings.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("a.yaml", "link: { device: eth0, profile: docsis, up: 10, down: 100mbit, one: 1 }\n");
    write("b.yaml", "link: { device: eth0, profile: docsis, up: 10, down: 100mbit, two: 2, three: 3 }\n");
    write("good.yaml", GOOD);
    dir
}

fn check(dir: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    qosc(dir, &[&["check", "--statistics"], arguments].concat())
}

#[test]
fn findings_are_counted_by_code() {
    let dir = folder();
    let (code, err) = check(dir.path(), &["."]);
    let expected = "findings  files\n       \
        3      2  error[Q0102]: a key that does not exist\n       \
        2      2  error[Q0201]: the rate `10` has no unit\n\
        for more about a code: qosc rule Q0102\n\
        3 files: 1 without errors, 2 with errors\n";
    assert_eq!((code, err.as_str()), (Some(1), expected));
    let output = ended(command(dir.path(), &["check", "--statistics", "."]));
    assert!(output.stdout.is_empty());
    let (code, err) = check(dir.path(), &["good.yaml"]);
    assert_eq!((code, err.as_str()), (Some(0), "no findings\n"));
    // The numbers are those of the findings.
    let (_, all) = qosc(dir.path(), &["check", "."]);
    assert_eq!((all.matches("error[Q0102]").count(), all.matches("error[Q0201]").count()), (3, 2));
}

#[test]
fn levels_and_comments_apply() {
    let dir = tempfile::tempdir().unwrap();
    let bare = LINK.replace("profile: docsis, ", "");
    std::fs::write(dir.path().join("a.yaml"), &bare).unwrap();
    let (code, err) = check(dir.path(), &["a.yaml"]);
    assert!(code == Some(0) && err.contains("       1      1  warning[Q0601]: no link profile: "), "{err}");
    let (code, err) = check(dir.path(), &["a.yaml", "--deny", "warnings"]);
    assert!(code == Some(1) && err.contains("       1      1  error[Q0601]: no link profile: "), "{err}");
    std::fs::write(dir.path().join("a.yaml"), format!("# qosc: allow(Q0601)\n{bare}")).unwrap();
    assert_eq!(check(dir.path(), &["a.yaml"]), (Some(0), "no findings\n".to_owned()));
}

#[test]
fn files_that_cannot_be_read_are_still_named() {
    let dir = folder();
    let (code, err) = check(dir.path(), &["a.yaml", "none.yaml"]);
    assert_eq!(code, Some(2));
    assert!(
        err.starts_with("error: cannot read `none.yaml`: ")
            && err.contains("\n       1      1  error[Q0102]: "),
        "{err}"
    );
}

#[test]
fn other_formats_have_no_statistics() {
    let dir = folder();
    for format in ["short", "json", "sarif", "github", "junit"] {
        let (code, err) = check(dir.path(), &["--format", format, "."]);
        let expected = "error: `--statistics` prints a table for people, so `--format` must be `human`\n";
        assert_eq!((code, err.as_str()), (Some(2), expected), "{format}");
    }
}
