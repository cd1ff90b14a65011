//! `--link`, `--include-dir`, and files with several links or included sections.

use std::path::Path;
use std::process::{Command, Output};

const COMMON: &str = "lan: { device: br-lan }\nhosts: { nas: { address: 192.168.1.3 } }\n";
const TWO: &str = "\
include: [common.yaml]
links:
  dsl: { device: ppp0, profile: vdsl2-pppoe, up: 40mbit, down: 100mbit }
  lte: { device: wwan0, profile: wireless, up: 8mbit, down: 30mbit, classes: { backup: null } }
classes:
  backup: { guarantee: 5%, match: [{ host: nas }] }
  normal: { guarantee: 60%, share: per-host, default: true }
";

fn qosc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(folder).output().unwrap()
}

/// Returns the exit code, and both outputs together.
fn said(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = qosc(folder, arguments);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), text)
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

#[test]
fn a_folder_gets_the_script_of_each_link() {
    let dir = folder(&[("home.yaml", TWO), ("common.yaml", COMMON)]);
    let (code, words) = said(dir.path(), &["compile", "home.yaml", "-o", "."]);
    assert_eq!((code, words.as_str()), (0, "wrote `./home-dsl.sh`\nwrote `./home-lte.sh`\n"));
    for (link, device, backup) in [("dsl", "ppp0", true), ("lte", "wwan0", false)] {
        let text = std::fs::read_to_string(dir.path().join(format!("home-{link}.sh"))).unwrap();
        assert!(text.starts_with(&format!("#!/bin/sh\n# home-{link}: made by qosc ")));
        assert!(
            text.contains(&format!("\nlink='home-{link}'\n"))
                && text.contains(&format!("\ndefault_dev='{device}' "))
        );
        assert_eq!(text.contains("\n# backup"), backup);
        // The script is the same as with `--link`.
        let alone = qosc(dir.path(), &["compile", "home.yaml", "--link", link]);
        assert_eq!(String::from_utf8(alone.stdout).unwrap(), text);
        // It carries both files and its link, so it needs neither to be compared.
        let (code, words) =
            said(dir.path(), &["diff", &format!("home-{link}.sh"), "home.yaml", "--link", link]);
        assert_eq!((code, words.contains("nothing differs in effect")), (0, true), "{words}");
    }
    let (code, words) = said(dir.path(), &["diff", "home-dsl.sh", "home-lte.sh"]);
    assert!(
        code == 1 && words.contains("name home-dsl -> home-lte") && words.contains("- backup"),
        "{words}"
    );
}

#[test]
fn no_script_is_written_if_one_link_has_an_error() {
    let wrong = TWO.replace("8mbit", "8mbps");
    let dir = folder(&[("home.yaml", &wrong), ("common.yaml", COMMON)]);
    let (code, words) = said(dir.path(), &["compile", "home.yaml", "-o", "."]);
    assert!(code == 1 && words.contains("home.yaml:4:"), "{words}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    let (code, words) = said(dir.path(), &["compile", "home.yaml", "-o", ".", "--emit", "ir"]);
    assert!(code == 2 && words.contains("only scripts can be written to a folder"), "{words}");
}

#[test]
fn other_commands_need_the_name_of_a_link() {
    let dir = folder(&[("home.yaml", TWO), ("common.yaml", COMMON)]);
    for command in ["compile", "explain", "graph"] {
        let (code, words) = said(dir.path(), &[command, "home.yaml"]);
        let expected =
            "error: `home.yaml` describes 2 links: `dsl` and `lte`\n  help: choose one with `--link NAME`\n";
        assert_eq!((code, words.as_str()), (2, expected), "{command}");
        let (code, words) = said(dir.path(), &[command, "home.yaml", "--link", "ltee"]);
        assert!(code == 2 && words.contains("no link `ltee`"), "{words}");
        let (code, _) = said(dir.path(), &[command, "home.yaml", "--link", "lte"]);
        assert_eq!(code, 0, "{command}");
    }
    let one =
        folder(&[("home.yaml", "link: { device: ppp0, profile: vdsl2-pppoe, up: 4mbit, down: 9mbit }\n")]);
    let (code, words) = said(one.path(), &["explain", "home.yaml", "--link", "dsl"]);
    assert!(code == 2 && words.contains("leave out `--link dsl`"), "{words}");
}

#[test]
fn check_reads_all_links_and_compares_them() {
    let dir = folder(&[("home.yaml", TWO), ("common.yaml", COMMON)]);
    assert_eq!(said(dir.path(), &["check", "home.yaml"]), (0, "no findings\n".to_owned()));
    // Both links have this error, so it is reported once; the other one is of one link.
    let wrong = TWO.replace("5%", "5mb").replace("backup: null", "backup: null, normal: { priority: 9 }");
    std::fs::write(dir.path().join("home.yaml"), wrong).unwrap();
    let (code, words) = said(dir.path(), &["check", "--format", "short", "home.yaml"]);
    assert_eq!((code, words.lines().count()), (1, 2), "{words}");
    assert!(
        words.contains("this is about link `dsl`") && words.contains("this is about link `lte`"),
        "{words}"
    );
    let same = TWO.replace("wwan0", "ppp0");
    std::fs::write(dir.path().join("home.yaml"), same).unwrap();
    let (code, words) = said(dir.path(), &["check", "home.yaml"]);
    assert!(code == 1 && words.contains("Q1101"), "{words}");
}

#[test]
fn fixes_of_all_links_are_made() {
    let wrong = TWO
        .replace("profile: vdsl2-pppoe", "profile: vdsl2-ppoe")
        .replace("profile: wireless", "profile: wireles");
    let dir = folder(&[("home.yaml", &wrong), ("common.yaml", COMMON)]);
    let (code, words) = said(dir.path(), &["check", "--fix", "--yes", "home.yaml"]);
    assert!(code == 0 && words.contains("fixed: 2 findings in 1 file"), "{words}");
    assert_eq!(std::fs::read_to_string(dir.path().join("home.yaml")).unwrap(), TWO);
}

#[test]
fn findings_point_into_the_included_file() {
    let common = COMMON.replace("192.168.1.3", "192.168.1.333");
    let dir = folder(&[("sites/home.yaml", TWO), ("sites/common.yaml", &common)]);
    let (code, words) = said(dir.path(), &["check", "--format", "short", "sites/home.yaml"]);
    assert!(code == 1 && words.starts_with("sites/common.yaml:2:26: error[Q0205]"), "{words}");
    let (_, words) = said(dir.path(), &["check", "--format", "github", "sites/home.yaml"]);
    assert!(words.contains("file=sites/common.yaml,line=2"), "{words}");
    let (_, words) = said(dir.path(), &["check", "--format", "sarif", "sites/home.yaml"]);
    assert!(words.contains("sites/common.yaml"), "{words}");
    let (_, words) = said(dir.path(), &["check", "--format", "junit", "sites/home.yaml"]);
    assert!(words.contains("in sites/common.yaml:2:26"), "{words}");
}

#[test]
fn included_files_are_found_in_allowed_folders_only() {
    let dir = folder(&[("sites/home.yaml", TWO), ("shared/common.yaml", COMMON), ("secret.yaml", COMMON)]);
    let (code, words) = said(dir.path(), &["check", "sites/home.yaml"]);
    assert!(code == 1 && words.contains("cannot read `common.yaml`: there is no such file"), "{words}");
    assert_eq!(said(dir.path(), &["check", "--include-dir", "shared", "sites/home.yaml"]).0, 0);
    std::os::unix::fs::symlink("../secret.yaml", dir.path().join("sites/common.yaml")).unwrap();
    let (code, words) = said(dir.path(), &["check", "sites/home.yaml"]);
    assert!(code == 1 && words.contains("it is a link to a file outside of the folder"), "{words}");
    std::fs::remove_file(dir.path().join("sites/common.yaml")).unwrap();
    std::fs::create_dir(dir.path().join("sites/common.yaml")).unwrap();
    let (code, words) = said(dir.path(), &["check", "sites/home.yaml"]);
    assert!(code == 1 && words.contains("Is a directory"), "{words}");
    std::fs::remove_dir(dir.path().join("sites/common.yaml")).unwrap();
    let pipe = Command::new("mkfifo").arg(dir.path().join("sites/common.yaml")).status().unwrap();
    assert!(pipe.success());
    let (code, words) = said(dir.path(), &["check", "sites/home.yaml"]);
    assert!(code == 1 && words.contains("not a regular file"), "{words}");
}

#[test]
fn standard_input_includes_from_the_current_folder() {
    let dir = folder(&[("home.yaml", TWO), ("common.yaml", COMMON)]);
    let input = std::fs::File::open(dir.path().join("home.yaml")).unwrap();
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    let output = qosc.args(["check", "-"]).stdin(input).current_dir(dir.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "no findings\n");
}

#[test]
fn a_folder_is_checked_without_the_files_that_others_include() {
    let dir = folder(&[("home.yaml", TWO), ("common.yaml", COMMON), ("other/common.yaml", COMMON)]);
    let (code, words) = said(dir.path(), &["check", "--format", "short", "."]);
    assert!(
        code == 1 && words.contains("./other/common.yaml") && !words.contains("./common.yaml"),
        "{words}"
    );
    assert!(words.contains("2 files:"), "{words}");
}

#[test]
fn a_git_revision_includes_its_own_files() {
    let dir = folder(&[("sites/home.yaml", TWO), ("sites/common.yaml", COMMON)]);
    let git = |arguments: &[&str]| crate::diff_folders::git(dir.path(), arguments);
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    std::fs::write(dir.path().join("sites/common.yaml"), COMMON.replace("br-lan", "br-home")).unwrap();
    let (code, words) =
        said(dir.path(), &["diff", "HEAD:sites/home.yaml", "sites/home.yaml", "--link", "dsl"]);
    assert!(code == 1 && words.contains("br-lan") && words.contains("br-home"), "{words}");
    let (code, words) =
        said(dir.path(), &["diff", "HEAD:sites/home.yaml", "HEAD:sites/home.yaml", "--link", "lte"]);
    assert!(code == 0, "{words}");
}

#[test]
fn objects_name_the_file_that_asks_for_them() {
    let common = "\n\nclasses: { backup: { match: [{ dscp: af11 }] } }\n";
    let home = "include: [shared/common.yaml]\nlink: { device: ppp0, profile: vdsl2-pppoe, up: 4mbit, down: 9mbit }\n\
         classes: { rest: { default: true } }\n";
    let dir = folder(&[("home.yaml", home), ("shared/common.yaml", common)]);
    let (_, script) = said(dir.path(), &["compile", "home.yaml"]);
    assert!(script.contains("\n# backup (shared/common.yaml:3)\n"), "{script}");
    assert!(script.contains("\n# rest (home.yaml:3)\n"), "{script}");
}

#[test]
fn links_that_conflict_are_neither_written_nor_deployed() {
    let dir = folder(&[("home.yaml", &TWO.replace("wwan0", "ppp0")), ("common.yaml", COMMON)]);
    for arguments in
        [&["compile", "home.yaml", "-o", "."][..], &["deploy", "--dry-run", "home.yaml", "localhost"]]
    {
        let (code, words) = said(dir.path(), arguments);
        assert!(code == 1 && words.matches("Q1101").count() == 1, "{arguments:?}: {words}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn a_folder_is_compared_link_by_link() {
    let dir = folder(&[
        ("old/home.yaml", TWO),
        ("old/common.yaml", COMMON),
        ("new/home.yaml", &TWO.replace("8mbit", "9mbit")),
        ("new/common.yaml", COMMON),
    ]);
    let (code, words) = said(dir.path(), &["diff", "old", "new"]);
    assert!(code == 1 && words.contains("home.yaml (dsl): unchanged") == words.contains("dsl"), "{words}");
    assert!(words.contains("home.yaml (lte): changed") && !words.contains("common.yaml"), "{words}");
    // A file that cannot be read any more is no new file.
    std::fs::write(dir.path().join("new/home.yaml"), "link: [\n").unwrap();
    let (code, words) = said(dir.path(), &["diff", "old", "new"]);
    assert!(code == 2 && words.contains("home.yaml: unusable") && !words.contains(": new"), "{words}");
}

#[test]
fn no_included_file_is_overwritten() {
    let dir = folder(&[("home.yaml", TWO), ("common.yaml", COMMON)]);
    let (code, words) = said(dir.path(), &["compile", "home.yaml", "--link", "dsl", "-o", "common.yaml"]);
    assert!(code == 2 && words.contains("`common.yaml` is the same file as `common.yaml`"), "{words}");
    assert_eq!(std::fs::read_to_string(dir.path().join("common.yaml")).unwrap(), COMMON);
}

#[test]
fn files_that_only_include_each_other_are_checked() {
    let dir = folder(&[("a.yaml", "include: b.yaml\n"), ("b.yaml", "include: a.yaml\n")]);
    let (code, words) = said(dir.path(), &["check", "--format", "short", "."]);
    assert!(code == 1 && words.contains("2 files") && words.contains("includes itself"), "{words}");
}

#[test]
fn bad_links_are_one_finding_each() {
    for (links, code) in [
        ("{}", "Q0103"),
        ("[]", "Q0103"),
        ("{ dsl: ~ }", "Q0107"),
        ("{ \"a b\": { device: ppp0, profile: vdsl2-pppoe, up: 4mbit, down: 9mbit } }", "Q0210"),
    ] {
        let dir = folder(&[("home.yaml", &format!("links: {links}\n"))]);
        let (exit, words) = said(dir.path(), &["check", "--format", "short", "home.yaml"]);
        assert!(exit == 1 && words.lines().count() == 1 && words.contains(code), "{links}: {words}");
    }
}

#[test]
fn classes_are_named_by_path_or_by_a_unique_name() {
    let dir = folder(&[(
        "home.yaml",
        "link: { device: ppp0, profile: vdsl2-pppoe, up: 40mbit, down: 100mbit }\n\
         classes:\n  a: { guarantee: 40%, match: [{ dscp: ef }], classes: { x: {}, only: { match: [{ protocol: udp }] } } }\n  \
         b: { classes: { x: { default: true } } }\n",
    )]);
    for (class, said_name) in [("a/only", "only"), ("only", "only"), ("a/x", "a/x"), ("b/x", "b/x")] {
        let (code, words) = said(dir.path(), &["explain", "home.yaml", "--class", class]);
        assert!(code == 0 && words.contains(said_name), "{class}: {words}");
    }
    let (code, words) = said(dir.path(), &["explain", "home.yaml", "--class", "x"]);
    assert!(code == 2 && words.contains("there is no class `x`"), "{words}");
}

#[test]
fn a_preset_that_promises_all_is_told_at_the_own_class() {
    let dir = folder(&[(
        "home.yaml",
        "link: { device: ppp0, profile: vdsl2-pppoe, up: 40mbit, down: 100mbit }\nclasses:\n  preset: home\n  \
         games: { before: normal, guarantee: 15%, match: [{ app: steam }] }\n",
    )]);
    let (code, words) = said(dir.path(), &["check", "--format", "short", "home.yaml"]);
    assert!(code == 1 && words.starts_with("home.yaml:4:39: error[Q0401]: 5 classes"), "{words}");
    assert!(words.contains("also those of the preset"), "{words}");
}

#[test]
fn a_file_without_errors_now_is_repaired() {
    let dir = folder(&[("old/home.yaml", "link: [\n"), ("new/home.yaml", TWO), ("new/common.yaml", COMMON)]);
    let (code, words) = said(dir.path(), &["diff", "old", "new"]);
    assert!(code == 1 && words.contains("home.yaml: repaired") && words.contains("1 repaired"), "{words}");
    std::fs::write(dir.path().join("old/home.yaml"), format!("# once\n{TWO}")).unwrap();
    std::fs::write(dir.path().join("old/common.yaml"), COMMON).unwrap();
    let (_, words) = said(dir.path(), &["diff", "--format", "json", "old", "new"]);
    assert!(words.contains("\"link\": \"lte\"") && words.contains("\"file\": \"home.yaml\""), "{words}");
}

#[test]
fn the_matrix_shows_each_class_on_each_link_and_with_each_variant() {
    let variants =
        "variants: { night: { when: \"22:00-05:00\", set: { classes: { normal: { ceiling: 80% } } } } }\n";
    let dir = folder(&[
        ("home.yaml", &format!("{TWO}{variants}")),
        ("common.yaml", COMMON),
        ("bad.yaml", "link: 5\n"),
    ]);
    let output = qosc(dir.path(), &["check", "--matrix", "home.yaml"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["home.yaml"]);
    assert_eq!(rows[1], ["class", "link", "variant", "up", "at", "most", "down", "at", "most"]);
    assert_eq!(rows[2], ["backup", "dsl", "-", "1.93mbit", "38.6mbit", "4.677mbit", "93.54mbit"]);
    assert_eq!(rows[4], ["backup", "lte", "-", "none", "none"]);
    assert_eq!(rows[7], ["normal", "dsl", "night", "23.16mbit", "30.88mbit", "56.12mbit", "74.83mbit"]);
    assert_eq!(rows.len(), 10);
    // A file with an error has no table, and the tables leave the findings alone.
    let output = qosc(dir.path(), &["check", "--matrix=markdown", "home.yaml", "bad.yaml"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().next(), Some("`home.yaml`"));
    assert_eq!(text.lines().nth(2), Some("| class | link | variant | up | at most | down | at most |"));
    assert!(text.contains("\n| `backup` | lte | night | none |  | none |  |\n"), "{text}");
    assert!(!text.contains("bad.yaml") && output.status.code() == Some(1));
    let (code, words) = said(dir.path(), &["check", "--matrix", "--format", "json", "home.yaml"]);
    assert!(code == 2 && words.contains("so `--format` must be `human`"), "{words}");
}
