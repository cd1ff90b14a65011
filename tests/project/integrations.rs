//! The files for CI systems and pre-commit: they have the required keys, and their shell code works with a made-up
//! release.

#![cfg(test)]

use crate::tools;
use serde_yaml::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) const VERSION: &str = "9.8.7";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A folder with a release that contains this qosc, the release's checksum, and a repository with a good and a bad
/// file.
pub(crate) struct Release {
    dir: tempfile::TempDir,
    pub(crate) sum: String,
}

impl Release {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let machine = Command::new("uname").arg("-m").output().unwrap().stdout;
        let name =
            format!("qosc-{VERSION}-{}-unknown-linux-musl", String::from_utf8(machine).unwrap().trim());
        let (releases, made) = (dir.path().join("releases"), dir.path().join("made"));
        std::fs::create_dir_all(made.join(&name)).unwrap();
        std::fs::create_dir(&releases).unwrap();
        let program = made.join(&name).join("qosc");
        std::fs::write(&program, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_qosc")))
            .unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let file = releases.join(format!("{name}.tar.gz"));
        let tar = Command::new("tar").arg("-czf").arg(&file).arg("-C").arg(&made).arg(&name).status();
        assert!(tar.unwrap().success());
        let sum = Command::new("sha256sum").arg(&file).output().unwrap().stdout;
        let sum = String::from_utf8(sum).unwrap().split_whitespace().next().unwrap().to_owned();
        std::fs::create_dir(dir.path().join("good")).unwrap();
        std::fs::write(dir.path().join("good/home.yaml"), read("examples/vdsl2-home.yaml")).unwrap();
        std::fs::create_dir(dir.path().join("bad")).unwrap();
        std::fs::write(dir.path().join("bad/home.yaml"), "link: { device: ppp0, up: 6mbit, down: 25mbps }\n")
            .unwrap();
        Release { dir, sum }
    }

    pub(crate) fn releases(&self) -> String {
        self.dir.path().join("releases").display().to_string()
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.dir.path()).env("XDG_CACHE_HOME", self.dir.path().join("cache"));
        command
    }
}

#[test]
fn a_release_is_fetched_only_with_its_checksum() {
    if !tools::found(&["curl"]) {
        return;
    }
    let release = Release::new();
    let fetch = |from: &str, sum: &str, folder: &str| {
        release
            .command(root().join("scripts/fetch-release"))
            .args([from, VERSION, sum, folder])
            .output()
            .unwrap()
    };
    let folder = release.releases();
    let address = format!("file://{folder}");
    for (from, to) in [(&folder, "a"), (&address, "b")] {
        let output = fetch(from, &release.sum, to);
        assert!(output.status.success(), "{from}: {}", said(&output));
        let output =
            release.command(release.dir.path().join(to).join("qosc")).arg("--version").output().unwrap();
        assert!(said(&output).starts_with("qosc "));
    }
    // The archive is there already, so nothing is fetched. The program is not believed.
    let program = release.dir.path().join("a/qosc");
    std::fs::write(&program, "#!/bin/sh\necho other\n").unwrap();
    assert!(fetch("/nowhere", &release.sum, "a").status.success());
    let output = release.command(&program).arg("--version").output().unwrap();
    assert!(said(&output).starts_with("qosc "), "{}", said(&output));
    // Neither is a changed archive.
    std::fs::write(release.dir.path().join("a/qosc.tar.gz"), "other").unwrap();
    assert!(!fetch("/nowhere", &release.sum, "a").status.success());
    let wrong = "0".repeat(64);
    let output = fetch(&folder, &wrong, "c");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("has another sum"), "{}", said(&output));
    assert_eq!(std::fs::read_dir(release.dir.path().join("c")).unwrap().count(), 0, "nothing is left");
    assert!(!fetch("/nowhere", &release.sum, "d").status.success());
    assert_eq!(
        release.command(root().join("scripts/fetch-release")).output().unwrap().status.code(),
        Some(2)
    );
}

#[test]
fn the_hooks_have_all_keys_that_pre_commit_requires() {
    let hooks: Value = serde_yaml::from_str(&read(".pre-commit-hooks.yaml")).unwrap();
    for hook in hooks.as_sequence().unwrap() {
        for key in ["id", "name", "entry", "language", "files"] {
            assert!(hook[key].as_str().is_some_and(|text| !text.is_empty()), "{key} of {hook:?}");
        }
        if hook["language"] == "script" {
            let mode = root().join(hook["entry"].as_str().unwrap()).metadata().unwrap().permissions().mode();
            assert_ne!(mode & 0o111, 0, "it can be run");
        }
    }
}

#[test]
fn the_hook_checks_files_with_a_fetched_release() {
    let release = Release::new();
    let hook =
        |arguments: &[&str]| release.command(root().join("scripts/hook")).args(arguments).output().unwrap();
    let (releases, sum) = (release.releases(), release.sum.clone());
    let output = hook(&[&releases, VERSION, &sum, "good/home.yaml"]);
    assert!(output.status.success(), "{}", said(&output));
    let output = hook(&[&releases, VERSION, &sum, "good/home.yaml", "bad/home.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("bad/home.yaml:1:"), "{}", said(&output));
    assert!(said(&hook(&["good/home.yaml"])).contains("docs/ci.md"));
}

/// The steps of the action: the commands and the environment of each.
fn steps() -> Vec<(String, Value)> {
    let action: Value = serde_yaml::from_str(&read("action.yml")).unwrap();
    assert_eq!(action["runs"]["using"], "composite");
    for input in ["files", "version", "sha256"] {
        assert_eq!(action["inputs"][input]["required"], true, "{input}");
    }
    let steps = action["runs"]["steps"].as_sequence().unwrap();
    steps
        .iter()
        .inspect(|step| assert_eq!(step["shell"], "sh"))
        .map(|step| (step["run"].as_str().unwrap().to_owned(), step["env"].clone()))
        .collect()
}

#[test]
fn the_action_checks_files_with_a_fetched_release() {
    let release = Release::new();
    std::fs::write(release.dir.path().join("-h.qosc.yaml"), read("examples/vdsl2-home.yaml")).unwrap();
    // The last ones name no file, and a file that could be an option.
    for (files, code) in
        [("good", 0), ("good bad", 1), ("", 2), (" ", 2), ("-h.qosc.yaml", 0), ("-h.qosc.yaml bad", 1)]
    {
        let mut last = None;
        for (run, env) in steps() {
            let mut sh = release.command("sh");
            sh.args(["-e", "-c", &run]);
            sh.env("GITHUB_ACTION_PATH", root()).env("RUNNER_TEMP", release.dir.path().join("runner"));
            for (name, value) in env.as_mapping().unwrap() {
                // Fills in the values as the GitHub runner does.
                let value = match value.as_str().unwrap() {
                    "${{ inputs.files }}" => files.to_owned(),
                    "${{ inputs.version }}" => VERSION.to_owned(),
                    "${{ inputs.sha256 }}" => release.sum.clone(),
                    "${{ inputs.releases }}" => release.releases(),
                    "${{ github.server_url }}/${{ github.action_repository }}" => String::new(),
                    other => panic!("{other}"),
                };
                sh.env(name.as_str().unwrap(), value);
            }
            last = Some(sh.output().unwrap());
        }
        let last = last.unwrap();
        assert_eq!(last.status.code(), Some(code), "{}", said(&last));
        assert_eq!(said(&last).contains("::error file=bad/home.yaml,line=1,"), code == 1, "{}", said(&last));
    }
}

#[test]
fn examples_in_ci_md_are_valid_yaml_and_shell() {
    if !tools::found(&["shellcheck"]) {
        return;
    }
    let text = read("docs/ci.md");
    let blocks: Vec<&str> =
        text.split("```yaml\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    assert_eq!(blocks.len(), 6);
    let mut scripts: Vec<String> = steps().into_iter().map(|(run, _)| run).collect();
    for block in blocks {
        let value: Value = serde_yaml::from_str(block).unwrap();
        let job = &value["qosc"];
        for key in ["before_script", "script"] {
            let lines = job[key].as_sequence().into_iter().flatten().map(|line| line.as_str().unwrap());
            scripts.extend(lines.map(str::to_owned));
        }
        let steps = value["jobs"]["qosc"]["steps"].as_sequence().into_iter().flatten();
        scripts.extend(steps.filter_map(|step| Some(step["run"].as_str()?.to_owned())));
    }
    assert!(scripts.len() >= 6, "{scripts:?}");
    let dir = tempfile::tempdir().unwrap();
    let mut files: Vec<PathBuf> = vec![root().join("scripts/fetch-release"), root().join("scripts/hook")];
    for (n, script) in scripts.iter().enumerate() {
        let file = dir.path().join(format!("{n}.sh"));
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        files.push(file);
    }
    for file in &files {
        assert!(Command::new("sh").arg("-n").arg(file).status().unwrap().success(), "{}", file.display());
    }
    let output = Command::new("shellcheck").args(&files).output().expect("shellcheck is installed");
    assert!(output.status.success(), "{}", said(&output));
}
