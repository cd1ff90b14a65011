//! `docs/guide.md` holds what it promises: every command that needs no router works, in an empty folder and in order, and
//! there are few of them. `tests/kernel/guide.rs` also runs the others.

#![cfg(test)]

use crate::guide_steps::{Step, steps, write};
use crate::tools;
use std::path::Path;
use std::process::{Command, Output};

fn page() -> Vec<Step> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide.md");
    steps(&std::fs::read_to_string(file).unwrap())
}

fn commands() -> Vec<String> {
    let run = |step| if let Step::Run(command) = step { Some(command) } else { None };
    page().into_iter().filter_map(run).collect()
}

/// True if a command needs a router, a line or a kernel.
fn is_left_out(command: &str) -> bool {
    ["qosc ping ", "qosc plot ", "qosc lab "].iter().any(|start| command.starts_with(start))
        || command.contains("ssh root@router ")
}

/// Runs a command line as a user does, with the built `qosc` and an identity for git.
fn shell(command: &str, folder: &Path) -> Output {
    let qosc = Path::new(env!("CARGO_BIN_EXE_qosc")).parent().unwrap();
    let path = format!("{}:{}", qosc.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path);
    for who in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{who}_NAME"), "A User").env(format!("GIT_{who}_EMAIL"), "user@example.org");
    }
    shell.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    shell.output().unwrap()
}

#[test]
fn from_init_to_a_commit_it_takes_less_than_ten_commands() {
    let commands = commands();
    let first = commands.iter().position(|command| command.starts_with("qosc init ")).unwrap();
    let last = commands.iter().position(|command| command.starts_with("git commit ")).unwrap();
    let part = &commands[first..=last];
    assert_eq!(part.len(), 9, "the page says nine: {part:#?}");
    for needed in ["qosc check ", "home.sh try ", "home.sh confirm"] {
        assert!(part.iter().any(|command| command.contains(needed)), "{needed}");
    }
}

#[test]
fn every_command_that_needs_no_router_works() {
    if !tools::found(&["git"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut left_out = 0;
    for step in page() {
        write(&step, folder.path());
        let Step::Run(command) = step else { continue };
        if is_left_out(&command) {
            left_out += 1;
            continue;
        }
        let output = shell(&command, folder.path());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{command}\n{said}");
        if command.starts_with("qosc check ") {
            assert!(output.stdout.is_empty() && said == "no findings\n", "{command}\n{said}");
        }
    }
    assert_eq!(left_out, 7);
    let clean = shell("git status --porcelain", folder.path());
    let left = String::from_utf8(clean.stdout).unwrap();
    assert_eq!(left, "?? files/\n");
    let check = shell("qosc check home.yaml", folder.path());
    assert!(
        check.status.success() && check.stderr == b"no findings\n",
        "{}",
        String::from_utf8_lossy(&check.stderr)
    );
}

/// The workflow runs the commands of the page, and it is YAML.
#[test]
fn the_workflow_runs_the_same_commands() {
    let save = |step| if let Step::Save { text, .. } = step { Some(text) } else { None };
    let workflow: String = page().into_iter().filter_map(save).collect();
    let read: serde_yaml::Value = serde_yaml::from_str(&workflow).unwrap();
    let steps = read["jobs"]["line"]["steps"].as_sequence().unwrap();
    let runs: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    let commands = commands();
    for command in ["qosc check home.yaml", "qosc lab home.yaml --only expect"] {
        assert!(runs.contains(&command), "{runs:?}");
        assert!(commands.iter().any(|there| there == command), "{command}");
    }
}
