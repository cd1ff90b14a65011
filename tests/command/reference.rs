//! The output of `completions` and `man` is valid for shells and for man.

#![cfg(test)]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn qosc(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = qosc(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The output of a program for a text; `None` if it is not installed.
fn asked(program: &str, arguments: &[&str], text: &str) -> Option<Output> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.ok()?;
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Some(child.wait_with_output().unwrap())
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn completions_of_every_shell_name_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        assert!(script.contains("take-over"), "{shell}: options");
        if let Some(said) =
            asked(shell, &["-n"], &script).filter(|_| shell != "powershell" && shell != "elvish")
        {
            assert!(said.status.success(), "{shell}: {}", String::from_utf8_lossy(&said.stderr));
        }
    }
    assert_eq!(qosc(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn bash_completes_option_values() {
    let script = printed(&["completions", "bash"])
        + "COMP_WORDS=(qosc check --format sa); COMP_CWORD=3; _qosc qosc sa --format; echo \"<${COMPREPLY[*]}>\"\n";
    let said = asked("bash", &["--norc"], &script).expect("bash");
    assert_eq!(
        String::from_utf8_lossy(&said.stdout),
        "<sarif>\n",
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(printed(&["man", "--all", folder.path().to_str().unwrap()]), "");
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected: Vec<String> = commands().iter().map(|name| format!("qosc-{name}.1")).collect();
    expected.push("qosc.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    for name in names {
        let page = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        let command = name.trim_end_matches(".1").trim_start_matches("qosc").trim_start_matches('-');
        let alone = if command.is_empty() { printed(&["man"]) } else { printed(&["man", command]) };
        assert_eq!(page, alone);
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
            assert!(page.contains(&format!(".SH {heading}\n")), "{name}: {heading}");
        }
        assert!(page.contains(&format!(".TH {} 1", name.trim_end_matches(".1"))), "{name}: {page}");
        // groff warns of unknown macros, and of fonts that are left open.
        if let Some(said) = asked("groff", &["-man", "-Tutf8", "-ww", "-z"], &page) {
            assert!(
                said.status.success() && said.stderr.is_empty(),
                "{name}: {}",
                String::from_utf8_lossy(&said.stderr)
            );
        }
    }
}

#[test]
fn an_unknown_command_gets_a_suggestion() {
    let output = qosc(&["man", "chek"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: there is no command `chek`; did you mean `check`?\n");
    assert_eq!(qosc(&["man", "--all", "/nowhere/at/all"]).status.code(), Some(2));
}
