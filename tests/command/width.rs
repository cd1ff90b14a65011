//! Texts for people fit into 100 columns, and results go to a file with `-o`.

use std::path::Path;
use std::process::{Command, Output};

fn qosc(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(root).output().unwrap()
}

/// Files in this folder with this end.
fn files(folder: &str, end: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let names =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> =
        names.filter(|name| name.ends_with(end)).map(|name| format!("{folder}/{name}")).collect();
    files.sort();
    files
}

/// True for a line of the user's file in an excerpt, and for the marks below it.
fn is_excerpt(line: &str) -> bool {
    line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|')
}

fn assert_fits(arguments: &[&str]) {
    let output = qosc(arguments);
    for text in [output.stdout, output.stderr] {
        let text = String::from_utf8(text).unwrap();
        let wide = text.lines().find(|line| line.chars().count() > 100 && !is_excerpt(line));
        // The words of an error message stay on one line for programs.
        let wide = wide.filter(|line| !line.starts_with("error: ") && !line.starts_with("warning: "));
        assert_eq!(wide, None, "{arguments:?}");
    }
}

#[test]
fn texts_for_people_fit_into_100_columns() {
    let examples = files("examples", ".yaml");
    for pair in examples.windows(2) {
        let [old, new] = pair else { continue };
        assert_fits(&["explain", old]);
        assert_fits(&["check", old]);
        assert_fits(&["diff", old, new]);
    }
    for bad in files("tests/bad", ".yaml").iter().chain(&files("tests/poor", ".yaml")) {
        assert_fits(&["check", bad]);
    }
    for dump in files("tests/plan", ".dump") {
        assert_fits(&["plan", &dump.replace(".dump", ".yaml"), "--dump", &dump]);
    }
    for command in ["profiles", "rule", "help"] {
        assert_fits(&[command]);
    }
}

#[test]
fn results_go_to_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("result");
    let home = "examples/vdsl2-home.yaml";
    let plan = ["plan", "tests/plan/class.yaml", "--dump", "tests/plan/class.dump"];
    for arguments in [
        &["schema"][..],
        &["explain", home],
        &["explain", "-v", home],
        &["explain", "--format", "json", home],
        &["explain", "--packet", "up udp 192.168.1.5:5060 > 198.51.100.9:5060", home],
        &["graph", home],
        &["diff", home, "examples/cable.yaml"],
        &["diff", "--format", "script", home, "examples/cable.yaml"],
        &plan,
    ] {
        let printed = qosc(arguments);
        let written = qosc(&[arguments, &["-o", file.to_str().unwrap()]].concat());
        assert_eq!((written.status, written.stdout.as_slice()), (printed.status, &b""[..]), "{arguments:?}");
        assert!(!printed.stdout.is_empty(), "{arguments:?}");
        assert_eq!(std::fs::read(&file).unwrap(), printed.stdout, "{arguments:?}");
    }
    let refused = qosc(&["graph", home, "-o", home]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("is the same file as"));
}
