//! `check --fix --yes` for files with many findings.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const LINK: &str = "name: home\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

fn qosc(dir: &Path, words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(words.split(' ')).current_dir(dir).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file in a folder of its own.
fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("home.yaml");
    std::fs::write(&file, text).unwrap();
    (dir, file)
}

/// A file with this number of equal mistakes, each with the same message.
fn mistakes(number: usize) -> String {
    let port = |n: usize| n % 60_000 + 1;
    let classes: String = (0..number)
        .map(|n| {
            format!("  c{n}: {{ prioritty: 3, match: {{ protocol: tcp, remote_port: {} }} }}\n", port(n))
        })
        .collect();
    format!("{LINK}classes:\n{classes}  rest: {{ default: true }}\n")
}

#[test]
fn one_run_fixes_any_number_of_equal_findings() {
    for number in [200, 201, 1000] {
        let text = mistakes(number);
        let (dir, file) = file(&text);
        let output = qosc(dir.path(), "check --fix --yes home.yaml");
        assert!(said(&output).contains(&format!("fixed: {number} findings in 1 file")), "{}", said(&output));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text.replace("prioritty", "priority"));
    }
}

/// Classes whose fix alone is an error: a guarantee of 90% does not fit beside the others.
fn conflicts(number: usize) -> String {
    let classes: String = (0..number)
        .map(|n| format!("  c{n}: {{ guarante: 90%, match: {{ protocol: tcp, remote_port: {} }} }}\n", n + 1))
        .collect();
    format!("{LINK}classes:\n{classes}  a: {{ guarantee: 20% }}\n  rest: {{ default: true }}\n")
}

/// The time grows with the size of the file, not with its square. The times leave room for a busy machine.
#[test]
fn a_file_with_many_findings_is_fixed_in_seconds() {
    for (text, seconds) in [(mistakes(1300), 20), (mistakes(2600), 40), (conflicts(1300), 40)] {
        assert!(text.len() > 90_000);
        let (dir, _file) = file(&text);
        let start = Instant::now();
        let output = qosc(dir.path(), "check --fix --yes home.yaml");
        let took = start.elapsed();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(took < Duration::from_secs(seconds), "{} bytes took {took:?}", text.len());
    }
}

#[test]
fn fixes_that_cause_errors_take_a_limited_time() {
    // A large file gets few attempts.
    let text = conflicts(30) + &"# a long comment\n".repeat(200_000);
    let (dir, file) = file(&text);
    let output = qosc(dir.path(), "check --fix --yes home.yaml");
    let said = said(&output);
    assert!(said.contains("is left to you: it would be an error, Q0401"), "{said}");
    assert!(said.contains(" more fixes were not tried, because "), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}
