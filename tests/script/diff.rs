//! `qosc diff`: snapshots of the report for each pair in `tests/diff/`, and the sources of the two sides. The report
//! must mention every change of a kernel object.

#![cfg(test)]

use crate::golden;
use crate::tools;
use qosc_compiler::compile::Options;
use qosc_compiler::model::Model;
use qosc_compiler::tc::{Filter, Program, Why};
use qosc_preview::compare::compare;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use test_each_file::test_each_path;

fn qosc(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(dir).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Compares the report on a pair with its snapshots. The exit code is the same if the two sides are swapped.
fn pair([new]: [&Path; 1]) {
    let dir = new.parent().unwrap();
    if !new.ends_with("new.yaml") {
        return;
    }
    let name = dir.file_name().unwrap().to_string_lossy();
    let human = qosc(dir, &["diff", "old.yaml", "new.yaml"]);
    assert_eq!(err(&human), "");
    let json = qosc(dir, &["diff", "old.yaml", "new.yaml", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let code = i32::from(value["differs"].as_bool().unwrap());
    assert_eq!((human.status.code(), json.status.code()), (Some(code), Some(code)));
    golden::assert_golden!(format!("{name}"), out(&human));
    assert_eq!(out(&json), format!("{}\n", serde_json::to_string_pretty(&value).unwrap()));
    golden::assert_golden!(format!("{name}-json"), golden::json_lines(&value));
    let back = qosc(dir, &["diff", "new.yaml", "old.yaml"]);
    assert_eq!(back.status.code(), Some(code), "{}", out(&back));
    assert_eq!(qosc(dir, &["diff", "new.yaml", "new.yaml"]).status.code(), Some(0));
}

test_each_path! { for ["yaml"] in "./tests/diff" as pairs => pair }

#[test]
fn verbose_diff_lists_every_derived_change() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff/margin");
    golden::assert_golden!(out(&qosc(&dir, &["diff", "-v", "old.yaml", "new.yaml"])));
}

const OLD: &str = "name: home\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let new = OLD.replace("10mbit", "12mbit");
    for (name, text) in [("old.yaml", OLD), ("new.yaml", new.as_str()), ("bad.yaml", "link: { up: 10 }\n")] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

#[test]
fn exit_codes_tell_equal_from_changed() {
    let dir = folder();
    let code = |arguments: &[&str]| {
        let all: Vec<&str> = ["diff"].iter().chain(arguments).copied().collect();
        qosc(dir.path(), &all).status.code()
    };
    assert_eq!(code(&["old.yaml", "old.yaml"]), Some(0));
    assert_eq!(code(&["old.yaml", "new.yaml"]), Some(1));
    assert_eq!(code(&["--format", "script", "old.yaml", "old.yaml"]), Some(0));
    assert_eq!(code(&["--format", "script", "old.yaml", "new.yaml"]), Some(1));
    assert_eq!(code(&["old.yaml", "bad.yaml"]), Some(2));
    assert_eq!(code(&["none.yaml", "old.yaml"]), Some(2));
    assert_eq!(code(&["old.yaml"]), Some(2));
    assert_eq!(code(&["-", "-"]), Some(2));
    let both = err(&qosc(dir.path(), &["diff", "bad.yaml", "none.yaml"]));
    assert!(both.contains("has no unit") && both.contains("cannot read `none.yaml`"), "{both}");
    let run = qosc(dir.path(), &["diff", "old.yaml", "bad.yaml"]);
    assert!(run.stdout.is_empty());
}

#[test]
fn a_script_is_compared_by_the_yaml_it_carries() {
    let dir = folder();
    let script = qosc(dir.path(), &["compile", "old.yaml", "-o", "old.sh"]);
    assert!(script.status.success());
    std::fs::remove_file(dir.path().join("old.yaml")).unwrap();
    let run = qosc(dir.path(), &["diff", "old.sh", "new.yaml"]);
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(err(&run), "");
    assert!(out(&run).contains("~ up 10mbit -> 12mbit"), "{}", out(&run));

    // A file without a name gives the link the file's own name. The script remembers that name.
    let unnamed = OLD.replace("name: home\n", "");
    std::fs::write(dir.path().join("away.yaml"), &unnamed).unwrap();
    assert!(qosc(dir.path(), &["compile", "away.yaml", "-o", "here.sh"]).status.success());
    let run = qosc(dir.path(), &["diff", "here.sh", "away.yaml"]);
    assert_eq!((run.status.code(), err(&run).as_str()), (Some(0), ""));
    assert_eq!(out(&run), "nothing differs in effect\n");

    let run = qosc(dir.path(), &["diff", "here.sh", "new.yaml"]);
    assert!(out(&run).contains("~ name away -> home"), "{}", out(&run));
    std::fs::write(dir.path().join("draft.yaml"), &unnamed).unwrap();
    let run = qosc(dir.path(), &["diff", "here.sh", "draft.yaml"]);
    assert_eq!(out(&run), "nothing differs in effect\n");

    // After an edit by hand, the script no longer does what its YAML says.
    let text = std::fs::read_to_string(dir.path().join("here.sh")).unwrap();
    std::fs::write(dir.path().join("edited.sh"), text.replace(" htb rate ", " htb rate 1")).unwrap();
    let run = qosc(dir.path(), &["diff", "edited.sh", "away.yaml"]);
    assert_eq!(run.status.code(), Some(0));
    assert!(
        err(&run).starts_with("warning: `edited.sh` does not match the YAML that it carries"),
        "{}",
        err(&run)
    );
    let older = text.replace(": made by qosc ", ": made by qosc 0.0.").replace(" htb rate ", " htb rate 1");
    std::fs::write(dir.path().join("older.sh"), older).unwrap();
    let run = qosc(dir.path(), &["diff", "older.sh", "away.yaml"]);
    assert!(err(&run).contains("qosc 0.0."), "{}", err(&run));
    // With `--format script`, the edit itself is the difference.
    let run = qosc(dir.path(), &["diff", "--format", "script", "here.sh", "edited.sh"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(out(&run).starts_with("--- here.sh\n+++ edited.sh\n@@ "), "{}", out(&run));

    let cut = text.split("# --- the YAML").next().unwrap();
    std::fs::write(dir.path().join("cut.sh"), cut).unwrap();
    let run = qosc(dir.path(), &["diff", "cut.sh", "away.yaml"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(err(&run).contains("without its YAML"), "{}", err(&run));
}

#[test]
fn standard_input_can_be_one_side() {
    use std::io::Write as _;
    let dir = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(["diff", "-", "new.yaml"])
        .current_dir(dir.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(OLD.as_bytes()).unwrap();
    let run = child.wait_with_output().unwrap();
    assert!(out(&run).contains("~ up 10mbit -> 12mbit"), "{}", out(&run));
}

/// Runs `git` without the settings of the user who runs the test.
fn git(dir: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", err(&run));
}

#[test]
fn a_git_revision_can_be_one_side() {
    if !tools::found(&["git"]) {
        return;
    }
    let dir = folder();
    git(dir.path(), &["init", "-q"]);
    git(dir.path(), &["add", "old.yaml"]);
    git(dir.path(), &["commit", "-q", "-m", "first"]);
    std::fs::write(dir.path().join("old.yaml"), OLD.replace("100mbit", "90mbit")).unwrap();
    let run = qosc(dir.path(), &["diff", "HEAD:old.yaml", "old.yaml"]);
    assert_eq!((run.status.code(), err(&run).as_str()), (Some(1), ""));
    assert!(out(&run).contains("~ down 100mbit -> 90mbit"), "{}", out(&run));

    let none = qosc(dir.path(), &["diff", "HEAD:none.yaml", "old.yaml"]);
    assert_eq!(none.status.code(), Some(2));
    let said = err(&none);
    assert!(said.contains("cannot read `HEAD:none.yaml`") && said.contains("git says: fatal: "), "{said}");

    // A file with this name has priority over the revision. After `--`, a name that begins with dashes is not an
    // option.
    std::fs::write(dir.path().join("HEAD:old.yaml"), OLD).unwrap();
    assert_eq!(qosc(dir.path(), &["diff", "HEAD:old.yaml", "new.yaml"]).status.code(), Some(1));
    let option = qosc(dir.path(), &["diff", "--", "--output=x:old.yaml", "old.yaml"]);
    assert_eq!(option.status.code(), Some(2));
    assert!(!dir.path().join("x:old.yaml").exists());
}

/// A repository may belong to a stranger, and its configuration can name programs.
#[test]
fn a_git_revision_runs_no_program_of_the_repository() {
    if !tools::found(&["git"]) {
        return;
    }
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    let (trap, trace) = (path("trap"), path("trace"));
    std::fs::write(&trap, format!("#!/bin/sh\necho trapped >> '{}'\ncat \"$1\"\n", trace.display())).unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(path(".gitattributes"), "*.yaml diff=trap filter=trap\n").unwrap();
    std::fs::write(path("gone.yaml"), OLD.replace("100mbit", "80mbit")).unwrap();
    git(dir.path(), &["init", "-q"]);
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "first"]);
    // Git wants to fetch this object from the remote repository.
    let gone =
        Command::new("git").args(["rev-parse", "HEAD:gone.yaml"]).current_dir(dir.path()).output().unwrap();
    let gone = String::from_utf8(gone.stdout).unwrap();
    let (folder, file) = gone.trim().split_at(2);
    std::fs::remove_file(path(".git/objects").join(folder).join(file)).unwrap();
    let trap = trap.to_str().unwrap();
    let ext = format!("ext::{trap}");
    for (key, value) in [
        ("diff.external", trap),
        ("diff.trap.command", trap),
        ("diff.trap.textconv", trap),
        ("filter.trap.smudge", trap),
        ("core.fsmonitor", trap),
        ("core.pager", trap),
        ("pager.cat-file", trap),
        ("alias.cat-file", &format!("!{trap}")),
        ("core.sshCommand", trap),
        ("gpg.program", trap),
        ("log.showSignature", "true"),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &ext),
        ("protocol.allow", "always"),
        ("protocol.ext.allow", "always"),
    ] {
        git(dir.path(), &["config", key, value]);
    }
    let is_trapped = || std::fs::remove_file(&trace).is_ok();
    // Git itself runs the programs.
    for arguments in [&["show", "HEAD"][..], &["cat-file", "blob", "HEAD:gone.yaml"]] {
        let run = Command::new("git").args(arguments).current_dir(dir.path()).output().unwrap();
        assert!(is_trapped(), "{arguments:?}: {}", err(&run));
    }
    for (revision, code) in
        [("HEAD:old.yaml", 1), (":old.yaml", 1), ("HEAD:gone.yaml", 2), (":/first", 2), ("HEAD:", 2)]
    {
        let run = qosc(dir.path(), &["diff", revision, "new.yaml"]);
        assert_eq!(run.status.code(), Some(code), "{revision}: {}", err(&run));
        assert!(!is_trapped(), "{revision}");
    }
}

/// The model and program of a text; `None` if the text has errors.
fn compiled(yaml: &str) -> Option<(Model, Program)> {
    qosc_compiler::compile(yaml, &Options::of("home.yaml")).into_finished()
}

/// A program without the origins of its objects and without filter preferences, with the filters sorted.
fn bare(program: &Program) -> Program {
    let mut bare = program.clone();
    bare.classes.iter_mut().for_each(|class| class.why = Why::default());
    bare.qdiscs.iter_mut().for_each(|qdisc| qdisc.why = Why::default());
    if let Some(marks) = &mut bare.marks {
        marks.why = Why::default();
        marks
            .lookups
            .iter_mut()
            .flat_map(|lookup| &mut lookup.elements)
            .for_each(|own| own.why = Why::default());
    }
    bare.decrypted.iter_mut().for_each(|tunnel| tunnel.why = Why::default());
    let filters =
        program.filters.iter().map(|filter| Filter { why: Why::default(), pref: 0, ..filter.clone() });
    bare.filters = filters.collect();
    bare.filters.sort_unstable();
    bare
}

/// Variants of a text: each adds one to the last digit of one number.
fn with_one_more(yaml: &str) -> Vec<String> {
    let digit = |at: usize| yaml.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let last = (0..yaml.len()).filter(|at| digit(*at) && !digit(at + 1));
    let changed = |at: usize| {
        let mut bytes = yaml.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'9' { b'8' } else { bytes[at] + 1 };
        String::from_utf8(bytes).unwrap()
    };
    last.map(changed).collect()
}

/// Variants of a text: each lacks one line.
fn with_one_line_less(yaml: &str) -> Vec<String> {
    let lines: Vec<&str> = yaml.lines().collect();
    let without = |gone: usize| {
        let rest: Vec<&str> =
            lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line).collect();
        rest.join("\n") + "\n"
    };
    (0..lines.len()).map(without).collect()
}

/// Changes every number of a file and removes every line, one at a time. The report must mention each change of a
/// kernel object, and name the field that caused it.
fn every_small_change([file]: [&Path; 1]) {
    let yaml = std::fs::read_to_string(file).unwrap();
    let Some((model, program)) = compiled(&yaml) else { return };
    assert!(!compare((&model, &program), (&model, &program)).differs());
    for other in with_one_more(&yaml).into_iter().chain(with_one_line_less(&yaml)) {
        let Some((new, after)) = compiled(&other) else { continue };
        let found = compare((&model, &program), (&new, &after));
        let said = || format!("{}\n{other}\n{found:?}", file.display());
        assert!(found.changes.iter().all(|change| change.field != "kernel objects"), "{}", said());
        assert!(found.differs() || bare(&program) == bare(&after), "{}", said());
        assert!(found.follows.is_empty() || !found.changes.is_empty(), "follows from nothing: {}", said());
    }
}

test_each_path! { for ["yaml"] in "./examples" as changes_of_examples => every_small_change }
test_each_path! { for ["yaml"] in "./tests/cases" as changes_of_cases => every_small_change }
