//! The hooks in the real pre-commit, with file names that could be options.
//!
//! `scripts/pre-commit` puts pre-commit into `target/pre-commit`.

#![cfg(test)]

use crate::integrations::{Release, VERSION};
use crate::tools;
use serde_yaml::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const GOOD: &str = "link: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";
const FINE: &str = "name: fine\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns the program, or `None` if it is missing.
fn pre_commit() -> Option<PathBuf> {
    tools::found(&["pre-commit", "git"]).then(|| tools::kept("pre-commit/bin/pre-commit"))
}

/// A git repository with configurations and hooks that pre-commit runs.
struct Repository {
    dir: tempfile::TempDir,
    program: PathBuf,
}

impl Repository {
    /// Each hook is one of ours, with `more` in addition or instead. Its program is the qosc that is tested.
    fn new(program: &Path, id: &str, more: &[(&str, Value)]) -> Repository {
        let dir = tempfile::tempdir().unwrap();
        let hooks = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
        let hooks: Value = serde_yaml::from_str(&hooks).unwrap();
        let hook = hooks.as_sequence().unwrap().iter().find(|hook| hook["id"] == id);
        let mut hook = hook.unwrap().as_mapping().unwrap().clone();
        if hook["language"] == "script" {
            // In another repository, pre-commit makes the path absolute.
            let script = root().join(hook["entry"].as_str().unwrap());
            hook.insert("entry".into(), script.to_str().unwrap().into());
        }
        hook.insert("language".into(), "system".into());
        for (key, value) in more {
            hook.insert((*key).into(), value.clone());
        }
        let config = serde_json::json!({ "repos": [{ "repo": "local", "hooks": [hook] }] }).to_string();
        std::fs::write(dir.path().join(".pre-commit-config.yaml"), config).unwrap();
        let bin = dir.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_qosc"), bin.join("qosc")).unwrap();
        Repository { dir, program: program.to_owned() }
    }

    fn run(&self, command: &mut Command) -> Output {
        let home = self.dir.path();
        let path = std::env::var("PATH").unwrap();
        command.current_dir(home).env("HOME", home).env("PRE_COMMIT_HOME", home.join("cache"));
        command.env("XDG_CACHE_HOME", home.join("cache"));
        command.env("PATH", format!("{}:{path}", home.join("bin").display()));
        // A git that runs this test has its own repository in these.
        command
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .output()
            .unwrap()
    }

    fn git(&self, arguments: &[&str]) {
        let output = self.run(Command::new("git").args(arguments));
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    }

    /// Runs the hook on these files.
    fn check(&self, files: &[(&str, &str)]) -> Output {
        for (name, text) in files {
            std::fs::write(self.dir.path().join(name), text).unwrap();
        }
        self.git(&["init", "-q", "."]);
        for (name, _) in files {
            self.git(&["add", "--", name]);
        }
        self.git(&["add", ".pre-commit-config.yaml"]);
        let output = self.run(Command::new(&self.program).args(["run", "--all-files", "--verbose"]));
        for (name, _) in files {
            std::fs::remove_file(self.dir.path().join(name)).unwrap();
        }
        std::fs::remove_dir_all(self.dir.path().join(".git")).unwrap();
        output
    }
}

/// Names that could turn `qosc check` into another command, or into none.
const NAMES: &[&str] = &[
    "-h.qosc.yaml",
    "-V.qosc.yaml",
    "--help.qosc.yaml",
    "--version.qosc.yml",
    "-A all.qosc.yaml",
    "--allow=warnings.qosc.yaml",
    "@names.qosc.yaml",
    "two words.qosc.yaml",
    "two\nlines.qosc.yaml",
    "$(touch made).qosc.yaml",
];

fn list(words: &[&str]) -> Value {
    Value::Sequence(words.iter().map(|word| (*word).into()).collect())
}

#[test]
fn every_file_name_is_checked_in_both_hooks() {
    let Some(program) = pre_commit() else { return };
    let release = Release::new();
    let cases = [
        ("qosc", vec![("args", list(&[&release.releases(), VERSION, &release.sum]))]),
        ("qosc-system", vec![]),
        // Arguments of the user replace ours, and with them the `--`.
        ("qosc-system", vec![("args", list(&["--deny", "warnings"]))]),
    ];
    for (id, more) in cases {
        let repository = Repository::new(&program, id, &more);
        let own = !more.is_empty() && id == "qosc-system";
        // Each name alone, as it could hide the others; then all that are left in one run.
        let single: &[&str] = if own { &NAMES[..1] } else { &NAMES[..2] };
        let names = || NAMES.iter().copied().filter(|name| !(own && name.starts_with('-')));
        for names in single.iter().map(|name| vec![*name]).chain([names().collect()]) {
            let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "link: {}\n")).collect();
            let bad = repository.check(&files);
            let words = said(&bad);
            assert_eq!(bad.status.code(), Some(1), "{id}, {names:?}: {words}");
            for name in names {
                let place = match own && name.starts_with('-') {
                    true => format!("`{name}` can be an option, and a file has this name"),
                    false => format!("{}:1:1: error[", name.replace('\n', "\u{240a}")),
                };
                assert!(words.contains(&place), "{id}, {place}: {words}");
            }
            assert!(!repository.dir.path().join("made").exists());
        }
        let texts: Vec<String> = (0..NAMES.len()).map(|n| format!("name: n{n}\n{GOOD}")).collect();
        let fine: Vec<(&str, &str)> = names().zip(&texts).map(|(name, text)| (name, text.as_str())).collect();
        let good = repository.check(&fine);
        assert!(good.status.success(), "{id}: {}", said(&good));
    }
}

#[test]
fn a_hook_that_gets_no_file_fails() {
    let Some(program) = pre_commit() else { return };
    let none = ("pass_filenames", Value::Bool(false));
    let release = Release::new();
    let args = list(&[&release.releases(), VERSION, &release.sum]);
    for (id, args) in [("qosc", args), ("qosc-system", list(&["--"]))] {
        let repository = Repository::new(&program, id, &[("args", args), none.clone()]);
        let output = repository.check(&[("fine.qosc.yaml", FINE)]);
        let words = said(&output);
        assert!(!output.status.success() && words.contains("exit code: 2"), "{id}: {words}");
    }
}
