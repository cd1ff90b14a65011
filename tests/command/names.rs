//! Names of files that could be options, or control the terminal.

#![cfg(test)]

use std::path::Path;
use std::process::{Command, Output};

const GOOD: &str = "link: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

fn qosc(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(dir).output().unwrap()
}

#[test]
fn a_file_that_could_be_an_option_is_named_unambiguously() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["-h.yaml", "--help", "-V", "--fix", "--yes", "-Awarnings", "-o"] {
        let file = dir.path().join(name);
        std::fs::write(&file, "link: {}\n").unwrap();
        std::fs::write(dir.path().join("good.yaml"), GOOD).unwrap();
        for command in ["check", "compile", "plan", "explain", "graph"] {
            let output = qosc(dir.path(), &[command, name, "good.yaml"]);
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{command} {name}: {said}");
            let words = format!(
                "error: `{name}` can be an option, and a file has this name\n  help: to name the file, write `./{name}`, or `--` before all file names\n"
            );
            assert_eq!(said, words);
        }
        assert_eq!(qosc(dir.path(), &["check", "--", name]).status.code(), Some(1), "{name}");
        assert_eq!(qosc(dir.path(), &["check", &format!("./{name}")]).status.code(), Some(1), "{name}");
        std::fs::remove_file(&file).unwrap();
    }
    assert_eq!(qosc(dir.path(), &["check", "--help"]).status.code(), Some(0));
    assert_eq!(qosc(dir.path(), &["check", "--"]).status.code(), Some(2), "no file at all");
}

/// Two names that look the same would be a trap for readers.
#[test]
fn a_name_has_no_invisible_characters() {
    let singles = "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{200b}\u{200e}\u{200f}\u{3164}\u{feff}\u{ffa0}";
    let singles = singles.chars().chain("\u{e0000}\u{e007f}\u{e0100}\u{e0fff}".chars());
    let ranges = [
        '\u{180b}'..='\u{180f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{fe00}'..='\u{fe0f}',
        '\u{fff0}'..='\u{fffb}',
        '\u{1bca0}'..='\u{1bca3}',
        '\u{1d173}'..='\u{1d17a}',
    ];
    let all: Vec<char> = singles.chain(ranges.into_iter().flatten()).collect();
    let dir = tempfile::tempdir().unwrap();
    // Each file has a folder of its own, so that equal names of links do not matter.
    let file = |c: char| format!("{:08x}/home.yaml", u32::from(c));
    for c in all.iter().copied() {
        // YAML has escapes for all of them, and takes U+FEFF for a mark of the byte order elsewhere.
        let text = format!("{GOOD}hosts: {{ \"nas\\U{:08x}\": {{ address: 192.168.1.2 }} }}\n", u32::from(c));
        let path = dir.path().join(file(c));
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let files: Vec<String> = all.iter().copied().map(file).collect();
    let mut arguments = vec!["check", "--format", "short"];
    arguments.extend(files.iter().map(String::as_str));
    let output = qosc(dir.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    for c in all {
        let words = format!(
            "error[Q0210]: the name `nas{0}` contains the invisible character `{0}`",
            c.escape_unicode()
        );
        let mut lines = said.lines().filter(|line| line.starts_with(&file(c)));
        assert!(lines.any(|line| line.contains(&words)), "{c:?}: {said}");
    }
}
