//! `qosc diff` of two folders, and of a folder or a file in two revisions of a real git repository.

#![cfg(test)]

use crate::golden;
use crate::home::{command, ended};
use crate::tools;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

const LINK: &str = "link: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

/// Exit code, standard output and standard error.
fn diff(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = ended(command(dir, &[&["diff"], arguments].concat()));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Writes the old files of a small fleet into a folder.
fn write_old(folder: &Path) {
    for name in ["gone.yaml", "same.yaml", "site/north.yml", "south.yaml"] {
        write(folder, name, LINK);
    }
    write(folder, "notes.txt", "no configuration");
    write(folder, ".hidden/x.yaml", "link: nonsense");
}

/// Turns them into the new files: one changes in place, one is rebuilt, one is new, one is gone.
fn write_new(folder: &Path) {
    write_old(folder);
    std::fs::remove_file(folder.join("gone.yaml")).unwrap();
    write(folder, "same.yaml", &format!("# Only a comment differs.\n{LINK}"));
    write(folder, "south.yaml", &LINK.replace("10mbit", "12mbit"));
    write(folder, "site/north.yml", &LINK.replace("10mbit", "12mbit, engine: cake"));
    write(folder, "west.yaml", LINK);
}

/// Folders `old` and `new`.
fn folders() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write_old(&dir.path().join("old"));
    write_new(&dir.path().join("new"));
    dir
}

/// Runs `git` without the settings of the user who runs the test.
pub fn git(dir: &Path, arguments: &[&str]) -> String {
    let run = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap().trim().to_owned()
}

fn commit(dir: &Path) {
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-q", "-m", "a change"]);
}

/// A repository whose folder `routers` has the old files in tag `base`, and the new ones in `HEAD`.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q"]);
    write_old(&dir.path().join("routers"));
    commit(dir.path());
    git(dir.path(), &["tag", "base"]);
    write_new(&dir.path().join("routers"));
    commit(dir.path());
    dir
}

#[test]
fn folders_are_compared_by_relative_path() {
    let dir = folders();
    let (code, out, err) = diff(dir.path(), &["old", "new"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    golden::assert_golden!(out);
    let (code, out, _) = diff(dir.path(), &["old", "./old/"]);
    assert_eq!((code, out.as_str()), (Some(0), "4 files: 4 unchanged\n"));
    // Each file has its changes as between two files.
    let (_, pair, _) = diff(dir.path(), &["old/south.yaml", "new/south.yaml"]);
    let (_, out, _) = diff(dir.path(), &["old", "new"]);
    assert!(out.contains(pair.split("\n  loses no packet (").next().unwrap()), "{out}");
    let (_, verbose, _) = diff(dir.path(), &["-v", "old", "new"]);
    assert!(verbose.len() > out.len() && !verbose.contains("--verbose"), "{verbose}");
}

#[test]
fn files_with_errors_are_named_and_the_others_compared() {
    let dir = folders();
    write(dir.path(), "old/broken.yaml", "link: { device: eth0, up: 10, down: 5mbit }\n");
    write(dir.path(), "new/broken.yaml", "link: { device: eth0, up: 10mbit, downn: 5mbit }\n");
    write(dir.path(), "new/bad-new.yaml", "link: 5\n");
    write(dir.path(), "old/bad-gone.yaml", "link: 5\n");
    symlink("missing", dir.path().join("new/dangling.yaml")).unwrap();
    symlink("../old/same.yaml", dir.path().join("new/outside.yaml")).unwrap();
    let (code, out, err) = diff(dir.path(), &["old", "new"]);
    assert_eq!(code, Some(2));
    for line in [
        "bad-gone.yaml: deleted",
        "bad-new.yaml: unusable",
        "broken.yaml: unusable",
        "dangling.yaml: unusable",
        "outside.yaml: unusable",
        "south.yaml: changed",
        "  ~ up 10mbit -> 12mbit",
        "10 files: 1 new, 2 deleted, 2 changed, 1 unchanged, 4 unusable; worst cost on a live router:",
    ] {
        assert!(out.lines().any(|own| own.starts_with(line)), "{line}: {out}");
    }
    for words in [
        " --> old/broken.yaml:1:",
        " --> new/broken.yaml:1:",
        " --> new/bad-new.yaml:1:",
        "cannot read `new/dangling.yaml`",
        "`new/outside.yaml`: it is a link to a file outside of the folder",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert!(!err.contains("bad-gone"), "{err}");
    let (code, out, err) = diff(dir.path(), &["old", "new", "--format", "json"]);
    assert!(code == Some(2) && err.contains("new/bad-new.yaml"), "{err}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = |name: &str| json.as_array().unwrap().iter().find(|file| file["file"] == name).unwrap().clone();
    assert_eq!(of("broken.yaml")["findings"].as_array().unwrap().len(), 2);
    assert!(
        of("dangling.yaml")["errors"][0].as_str().unwrap().starts_with("cannot read `new/dangling.yaml`")
    );
}

#[test]
fn json_lists_each_file_with_its_report() {
    let dir = folders();
    let (code, out, err) = diff(dir.path(), &["old", "new", "--format", "json"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let results: Vec<(&str, &str)> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["file"].as_str().unwrap(), file["result"].as_str().unwrap()))
        .collect();
    let expected = [
        ("gone.yaml", "deleted"),
        ("same.yaml", "unchanged"),
        ("site/north.yml", "changed"),
        ("south.yaml", "changed"),
        ("west.yaml", "new"),
    ];
    assert_eq!(results, expected);
    // A report is that of the two files alone.
    let (_, pair, _) = diff(dir.path(), &["old/south.yaml", "new/south.yaml", "--format", "json"]);
    assert_eq!(json[3]["report"], serde_json::from_str::<serde_json::Value>(&pair).unwrap());
    assert_eq!(json[0].as_object().unwrap().len(), 2, "{}", json[0]);
}

#[test]
fn wrong_pairs_are_refused() {
    let dir = folders();
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    for (arguments, words) in [
        (
            &["old", "new/same.yaml"][..],
            "error: `old` is a folder: compare two files, two folders, or `BASE..HEAD FOLDER`",
        ),
        (&["old/same.yaml", "new"], "error: `new` is a folder: "),
        (&["old", "none"], "error: `old` is a folder: "),
        (&["old", "-"], "error: `old` is a folder: "),
        (&["old", "empty"], "there is no configuration (`*.yaml` or `*.yml`) below `empty`"),
        (&["old", "new", "--format", "script"], "`--format script` compares two files"),
        (&["old", "new", "-o", "new/same.yaml"], "`new/same.yaml` is the same file as `new/same.yaml`"),
    ] {
        let (code, out, err) = diff(dir.path(), arguments);
        assert!(code == Some(2) && out.is_empty() && err.contains(words), "{arguments:?}: {out}{err}");
    }
    assert_eq!(diff(dir.path(), &["old", "new", "-o", "report"]).0, Some(1));
    let report = std::fs::read_to_string(dir.path().join("report")).unwrap();
    assert_eq!(report, diff(dir.path(), &["old", "new"]).1);
}

#[test]
fn a_folder_is_compared_in_two_revisions() {
    if !tools::found(&["git"]) {
        return;
    }
    let (dir, on_disk) = (repository(), folders());
    let expected = diff(on_disk.path(), &["old", "new"]);
    // The working tree has no influence.
    std::fs::remove_dir_all(dir.path().join("routers")).unwrap();
    for range in ["base..HEAD", "base..", "HEAD~..HEAD", "HEAD^..", "base...HEAD"] {
        assert_eq!(diff(dir.path(), &[range, "routers"]), expected, "{range}");
    }
    assert_eq!(diff(dir.path(), &["base..HEAD", "./routers/"]), expected);
    let below = dir.path().join("below");
    std::fs::create_dir(&below).unwrap();
    assert_eq!(diff(&below, &["base..HEAD", "../routers"]), expected);
    let (code, out, _) = diff(dir.path(), &["HEAD..base", "."]);
    assert!(code == Some(1) && out.contains("routers/gone.yaml: new"), "{out}");
    let (code, out, _) = diff(dir.path(), &["..HEAD", "routers"]);
    assert_eq!((code, out.as_str()), (Some(0), "4 files: 4 unchanged\n"));
    // A folder that only one revision has is new.
    write(dir.path(), "more/a.yaml", LINK);
    commit(dir.path());
    let (code, out, _) = diff(dir.path(), &["base..HEAD", "more"]);
    assert_eq!((code, out.as_str()), (Some(1), "a.yaml: new\n\n1 file: 1 new\n"));
}

#[test]
fn a_file_is_compared_in_two_revisions() {
    if !tools::found(&["git"]) {
        return;
    }
    let (dir, on_disk) = (repository(), folders());
    let expected = diff(on_disk.path(), &["old/south.yaml", "new/south.yaml"]);
    assert_eq!(diff(dir.path(), &["base..HEAD", "routers/south.yaml"]), expected);
    assert_eq!(diff(&dir.path().join("routers/site"), &["base..HEAD", "../south.yaml"]), expected);
    let (code, out, _) = diff(dir.path(), &["base..", "routers/south.yaml", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["new"]), (Some(1), &"HEAD:routers/south.yaml".into()));
    let (code, out, _) = diff(dir.path(), &["base..", "routers/south.yaml", "--format", "script"]);
    assert!(code == Some(1) && out.starts_with("--- base:routers/south.yaml\n+++ HEAD:"), "{out}");
    let (code, _, err) = diff(dir.path(), &["base..HEAD", "routers/west.yaml"]);
    let words = "error: there is no `routers/west.yaml` in the git revision `base`\n";
    assert_eq!((code, err.as_str()), (Some(2), words));
}

/// A comparison with the common ancestor leaves out what the other branch changed since then.
#[test]
fn three_points_compare_with_the_common_ancestor() {
    if !tools::found(&["git"]) {
        return;
    }
    let dir = repository();
    git(dir.path(), &["branch", "-q", "other", "base"]);
    git(dir.path(), &["checkout", "-q", "other"]);
    write(dir.path(), "routers/same.yaml", &LINK.replace("100mbit", "90mbit"));
    commit(dir.path());
    let (_, out, err) = diff(dir.path(), &["HEAD~1...other", "routers"]);
    assert!(out.ends_with("loses no packet (changes without a remark): packets in the queues stay, and flows that keep their\n    class stay in order\n") && err.is_empty(), "{out}{err}");
    assert!(
        out.contains(
            "4 files: 1 changed, 3 unchanged; worst cost on a live router: loses no packet (same.yaml)"
        ),
        "{out}"
    );
    git(dir.path(), &["checkout", "-q", "--orphan", "root"]);
    git(dir.path(), &["commit", "-q", "-m", "unrelated"]);
    let (code, _, err) = diff(dir.path(), &["other...root", "routers"]);
    assert!(code == Some(2) && err.contains("the two revisions have no common ancestor"), "{err}");
}

#[test]
fn bad_revisions_and_missing_folders_are_named() {
    if !tools::found(&["git"]) {
        return;
    }
    let dir = repository();
    let absolute = dir.path().join("routers");
    for (arguments, words) in [
        (
            &["none..HEAD", "routers"][..],
            "cannot read the git revision `none`: git says: fatal: Not a valid object name none\n  help: a shallow clone",
        ),
        (&["base..none", "routers"], "cannot read the git revision `none`: "),
        (&["none...HEAD", "routers"], "cannot compare `none...HEAD`: git says: fatal: "),
        (&["base..HEAD", "none"], "there is no `none` in the git revision `base`, and none in `HEAD`"),
        (&["base..HEAD", "routers/notes"], "there is no `routers/notes` in the git revision `base`"),
        (&["base..HEAD", "../.."], "is outside repository"),
        (&["base..HEAD", absolute.to_str().unwrap()], "must be a path from the current folder"),
        (
            &["--", "--output=x..HEAD", "routers"],
            "cannot compare `--output=x..HEAD`: a git revision does not begin with `-`",
        ),
        (&["--", "-x...HEAD", "routers"], "a git revision does not begin with `-`"),
        (&["base..HEAD", "routers", "--format", "script"], "`--format script` compares two files"),
    ] {
        let (code, out, err) = diff(dir.path(), arguments);
        assert!(code == Some(2) && out.is_empty() && err.contains(words), "{arguments:?}: {out}{err}");
    }
    let outside = tempfile::tempdir().unwrap();
    let (code, _, err) = diff(outside.path(), &["base..HEAD", "routers"]);
    assert!(code == Some(2) && err.contains("not a git repository") && !err.contains("shallow"), "{err}");
    // A stranger's file cannot take the place of the revisions.
    write(dir.path(), "base..HEAD", &format!("name: home\n{LINK}"));
    let (code, _, err) = diff(dir.path(), &["base..HEAD", "routers"]);
    assert!(code == Some(2) && err.contains("can be two git revisions, and a file has this name\n  help: to name the file, write `./base..HEAD`"), "{err}");
    assert_eq!(diff(dir.path(), &["./base..HEAD", "./base..HEAD"]).0, Some(0));
}

/// A file whose text and includes are the same needs no compilation, so its errors do not matter.
#[test]
fn unchanged_files_cost_nearly_nothing() {
    if !tools::found(&["git"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q"]);
    for number in 0..5_000 {
        let text = format!("name: r{number}\ninclude: common.yaml\n{LINK}");
        write(dir.path(), &format!("routers/r{number}.yaml"), &text);
    }
    write(dir.path(), "routers/common.yaml", "classes: { rest: { default: true } }\n");
    write(dir.path(), "routers/broken.yaml", "link: 5\n");
    write(dir.path(), "routers/a/escaped.yaml", &format!("\"incl\\u0075de\": more.txt\n{LINK}"));
    write(dir.path(), "routers/a/more.txt", "classes: { rest: { default: true } }\n");
    commit(dir.path());
    write(dir.path(), "routers/r7.yaml", &LINK.replace("10mbit", "12mbit"));
    write(dir.path(), "routers/a/more.txt", "classes: { rest: { default: true, share: per-host } }\n");
    commit(dir.path());
    let (code, out, err) = diff(dir.path(), &["HEAD~..", "routers"]);
    assert_eq!((code, err.as_str()), (Some(1), ""), "{out}");
    for line in
        ["a/escaped.yaml: changed\n", "r7.yaml: changed\n", "\n5002 files: 2 changed, 5000 unchanged; "]
    {
        assert!(out.contains(line), "{line}: {out}");
    }
}

/// Links are followed within the folder of the revision, never on disk.
#[test]
fn links_of_a_revision_do_not_lead_out_of_the_folder() {
    if !tools::found(&["git"]) {
        return;
    }
    let dir = repository();
    let link = |target: &str, name: &str| symlink(target, dir.path().join("routers").join(name)).unwrap();
    write(dir.path(), "secret.yaml", "link: { overhed: secret }\n");
    link("../south.yaml", "site/inside.yaml");
    link("site/inside.yaml", "twice.yaml");
    link("../secret.yaml", "outside.yaml");
    link("/etc/hostname", "absolute.yaml");
    link("loop.yaml", "loop.yaml");
    commit(dir.path());
    let (code, out, err) = diff(dir.path(), &["HEAD~..HEAD", "routers"]);
    assert_eq!(code, Some(2));
    assert!(out.contains("site/inside.yaml: new\ntwice.yaml: new\n"), "{out}");
    for (name, words) in [
        ("outside.yaml", "it is a link to a file outside of the folder"),
        ("absolute.yaml", "it is a link to a file outside of the folder"),
        ("loop.yaml", "it is a link to itself"),
    ] {
        assert!(err.contains(&format!("cannot read `HEAD:routers/{name}`: {words}")), "{name}: {err}");
    }
    assert!(!err.contains("overhed"), "{err}");
}

/// A repository may belong to a stranger, and its configuration can name programs.
#[test]
fn revisions_run_no_program_of_the_repository() {
    if !tools::found(&["git"]) {
        return;
    }
    let dir = repository();
    let path = |name: &str| dir.path().join(name);
    let (trap, trace) = (path("trap"), path("trace"));
    std::fs::write(&trap, format!("#!/bin/sh\necho trapped >>'{}'\n", trace.display())).unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(path(".git/info/attributes"), "* diff=trap filter=trap\n").unwrap();
    let gone = git(dir.path(), &["rev-parse", "HEAD:routers/south.yaml"]);
    let (folder, file) = gone.split_at(2);
    std::fs::remove_file(path(".git/objects").join(folder).join(file)).unwrap();
    let trap = trap.to_str().unwrap();
    let ext = format!("ext::{trap}");
    for (key, value) in [
        ("diff.external", trap),
        ("diff.trap.textconv", trap),
        ("filter.trap.smudge", trap),
        ("core.fsmonitor", trap),
        ("core.pager", trap),
        ("pager.ls-tree", trap),
        ("alias.ls-tree", &format!("!{trap}")),
        ("core.sshCommand", trap),
        ("core.alternateRefsCommand", trap),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &ext),
        ("protocol.allow", "always"),
        ("protocol.ext.allow", "always"),
    ] {
        git(dir.path(), &["config", key, value]);
    }
    // Git itself runs the programs.
    let run = Command::new("git").args(["show", "HEAD"]).current_dir(dir.path()).output().unwrap();
    assert!(std::fs::remove_file(&trace).is_ok(), "{run:?}");
    for range in ["base..HEAD", "base...HEAD"] {
        let (code, out, err) = diff(dir.path(), &[range, "routers"]);
        assert!(code == Some(2) && out.contains("south.yaml: unusable"), "{out}{err}");
        assert!(out.contains("site/north.yml: changed") && !trace.exists(), "{out}{err}");
    }
}

/// The lines of a Markdown text outside of fenced code. A fence ends at a line that has only as many backticks.
fn outside_of_code(markdown: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        match fence {
            Some(ticks) if line.trim().starts_with(ticks) && line.trim().chars().all(|c| c == '`') => {
                fence = None
            }
            Some(_) => {}
            None if line.starts_with("```") => fence = Some(line.strip_suffix("text").unwrap()),
            None => lines.push(line),
        }
    }
    assert_eq!(fence, None, "{markdown}");
    lines
}

#[test]
fn markdown_has_a_table_and_details() {
    let dir = folders();
    write(dir.path(), "new/broken.yaml", "link: { device: eth0, up: 10, down: 5mbit }\n");
    let (code, out, err) = diff(dir.path(), &["old", "new", "--format", "markdown"]);
    assert!(code == Some(2) && err.contains("the rate `10` has no unit"), "{err}");
    golden::assert_golden!(out);
    let (code, out, _) = diff(dir.path(), &["old", "old", "--format", "markdown"]);
    assert_eq!((code, out.as_str()), (Some(0), "4 files: 4 unchanged\n"));
}

#[test]
fn markdown_of_two_files_has_one_row() {
    let dir = folders();
    let (code, out, err) = diff(dir.path(), &["old/south.yaml", "new/south.yaml", "--format", "markdown"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let start = "1 file: 1 changed; worst cost on a live router: loses no packet (`new/south.yaml`)\n\n\
        | file | result | changes | cost on a live router |\n|---|---|---|---|\n\
        | `new/south.yaml` | changed | 1 | loses no packet |\n\n\
        <details><summary><code>new/south.yaml</code>: changed</summary>\n\n```text\nlink\n  ~ up 10mbit -> 12mbit\n";
    assert!(out.starts_with(start), "{out}");
    let (code, out, _) = diff(dir.path(), &["old/same.yaml", "new/same.yaml", "--format", "markdown"]);
    assert_eq!((code, out.as_str()), (Some(0), "1 file: 1 unchanged\n"));
}

/// Names that would be mentions, links, HTML, rows or headings.
#[test]
fn names_are_only_code_in_markdown() {
    let dir = tempfile::tempdir().unwrap();
    let hostile = [
        "@user.yaml",
        "<img src=x>.yaml",
        "a`|`@b.yaml",
        "a\\`@b.yaml",
        "a\\|@b.yaml",
        "www.evil.example.yaml",
        "[x](https:evil.example).yaml",
        "\n\n# big\n@user.yaml",
        "<code><b>.yaml",
        "##[error]x.yaml",
        "::error::x.yaml",
        "<!-- .yaml",
        "\u{1b}[2J\u{202e}.yaml",
    ];
    let host =
        "hosts: { '`````</details><img src=x>@user https://evil.example ```': { address: 192.168.1.5 } }\n";
    for (number, name) in hostile.iter().enumerate() {
        let text = format!("name: x\n{LINK}lan: {{ device: br0, networks: [192.168.1.0/24] }}\n{host}");
        write(dir.path(), &format!("old/{name}"), &text);
        let new = match number % 3 {
            0 => text.replace("10mbit", "12mbit").replace("1.5 }", "1.6, guarantee: { up: 1mbit } }"),
            1 => text.replace("link:", "\"```\\n</details>@user\": 5\nlink:"),
            _ => continue,
        };
        write(dir.path(), &format!("new/{name}"), &new);
    }
    let (code, out, _) = diff(dir.path(), &["old", "new", "--format", "markdown"]);
    assert_eq!(code, Some(2), "{out}");
    let lines = outside_of_code(&out);
    let mut lines = lines.into_iter().filter(|line| !line.is_empty());
    let first = lines.next().unwrap();
    assert!(first.starts_with("13 files: ") && first.matches('`').count() == 2, "{first}");
    assert_eq!(lines.next(), Some("| file | result | changes | cost on a live router |"));
    let (mut rows, mut details) = (0, 0);
    for line in lines.skip(1) {
        if let Some(row) = line.strip_prefix("| `") {
            let (name, rest) = row.split_once('`').unwrap();
            assert!(!name.contains(['|', '\\']) && rest.matches('|').count() == 4, "{line}");
            assert!(!rest.contains(['`', '<', '@']), "{line}");
            rows += 1;
        } else if let Some(summary) = line.strip_prefix("<details><summary><code>") {
            let (name, rest) = summary.split_once("</code>: ").unwrap();
            assert!(!name.contains(['<', '>', '"']), "{line}");
            assert!(["changed</summary>", "unusable</summary>"].contains(&rest), "{line}");
            details += 1;
        } else {
            assert_eq!(line, "</details>");
        }
    }
    assert_eq!((rows, details), (13, 9), "{out}");
    // The values stand within the fences.
    assert!(out.contains("https://evil.example") && out.contains("\n``````text\n"), "{out}");
    assert!(!out.contains(['\u{1b}', '\u{202e}']) && !out.contains("##[") && !out.contains("\n::"), "{out}");
}
