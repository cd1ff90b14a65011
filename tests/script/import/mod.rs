//! `qosc import`: cases with their YAML and findings, and trees that come back from the output of `tc`.

#![cfg(test)]

use crate::golden;
mod random;
mod round_trip;

use qosc_compiler::compile::Options;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import")
}

fn qosc(arguments: &[&str]) -> Output {
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.arg("import").args(arguments).current_dir(folder()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names of the files in a folder.
fn files(tool: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder().join(tool))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.contains(".snap"))
        .collect();
    names.sort();
    names
}

/// Every result compiles, and its findings are warnings at most.
fn compiles(yaml: &str, of: &str) {
    let compiled = qosc_compiler::compile(yaml, &Options::of("imported.yaml"));
    let errors: Vec<&str> = compiled.errors().map(|error| error.message.as_str()).collect();
    assert!(errors.is_empty(), "{of}: {errors:?}\n{yaml}");
}

/// The YAML, the findings and the exit code of each case.
#[test]
fn imports_match_the_snapshots() {
    for tool in ["sqm", "fireqos", "tc"] {
        for name in files(tool) {
            let output = qosc(&[tool, &format!("{tool}/{name}")]);
            let yaml = String::from_utf8(output.stdout.clone()).unwrap();
            let code = output.status.code().unwrap();
            if !yaml.is_empty() {
                compiles(&yaml, &name);
            }
            assert!(code == 0 || said(&output).contains("error["), "{name}");
            let stem = name.split_once('.').unwrap().0;
            let text = format!("{yaml}=====\n{}exit code {code}\n", said(&output));
            insta::with_settings!({ snapshot_path => format!("../../import/{tool}"), prepend_module_to_snapshot => false, omit_expression => true }, {
                golden::assert_golden!(stem, text);
            });
        }
    }
}

#[test]
fn one_of_several_queues_can_be_chosen() {
    let output = qosc(&["sqm", "sqm/several.sqm", "--section", "guest"]);
    let yaml = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success() && yaml.contains("device: br-guest\n"), "{yaml}{}", said(&output));
    let output = qosc(&["sqm", "sqm/several.sqm", "--section", "gast"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("there is no queue `gast`"), "{}", said(&output));
    assert!(said(&output).contains("the queues are `guest`, `fibre` and `lte`"), "{}", said(&output));
}

#[test]
fn a_folder_gets_a_file_for_each_enabled_queue() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let output = qosc(&["sqm", "sqm/several.sqm", "-o", out]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", said(&output));
    let mut names: Vec<String> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["fibre.yaml", "lte.yaml"]);
    compiles(&std::fs::read_to_string(dir.path().join("lte.yaml")).unwrap(), "lte");
    // a file that does not exist yet gets the first queue
    let file = dir.path().join("new.yaml");
    assert!(qosc(&["sqm", "sqm/several.sqm", "-o", file.to_str().unwrap()]).status.success());
    assert!(std::fs::read_to_string(file).unwrap().contains("name: fibre\n"));
}

#[test]
fn a_name_in_the_input_leaves_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (inner, input) = (dir.path().join("inner"), dir.path().join("sqm"));
    std::fs::create_dir(&inner).unwrap();
    let queue = |name: &str| {
        format!(
            "config queue '{name}'\noption enabled 1\noption interface eth1\noption script simplest.qos\noption qdisc fq_codel\noption upload 1000\noption download 9000\n"
        )
    };
    std::fs::write(&input, queue("../../evil") + &queue("..")).unwrap();
    let output = qosc(&["sqm", input.to_str().unwrap(), "-o", inner.to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    let mut names: Vec<_> =
        std::fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["evil.yaml", "imported.yaml"].map(std::ffi::OsString::from));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn text_of_the_input_stays_text() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("fireqos.conf");
    let hostile = "interface46 eth0 a output rate 9mbit\n class \"x\\\": {} # qosc: allow(Q0605) \u{1b}[31m\u{202e}\"\n  match udp port 5\n class 'yes'\n  match udp port 6\n bad \u{1b}[2J::error::x\n";
    std::fs::write(&input, hostile).unwrap();
    let output = qosc(&["fireqos", input.to_str().unwrap()]);
    let yaml = String::from_utf8(output.stdout.clone()).unwrap();
    for text in [&yaml, &said(&output)] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
    assert!(yaml.contains("\"yes\":"), "{yaml}");
    compiles(&yaml, "hostile");
}

#[test]
fn wrong_usage_and_unreadable_files_have_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let large = dir.path().join("large");
    std::fs::File::create(&large).unwrap().set_len((4 << 20) + 1).unwrap();
    let binary = dir.path().join("binary");
    std::fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    assert_eq!(qosc(&["vyos", "x"]).status.code(), Some(2));
    assert_eq!(qosc(&["sqm", "missing"]).status.code(), Some(2));
    assert_eq!(qosc(&["sqm", &path(&large)]).status.code(), Some(2));
    assert_eq!(qosc(&["sqm", "sqm/several.sqm", "-o", "missing/x.yaml"]).status.code(), Some(2));
    assert_eq!(qosc(&["sqm", "sqm/several.sqm", "-o", "sqm/several.sqm"]).status.code(), Some(2));
    assert_eq!(qosc(&["sqm", &path(&binary)]).status.code(), Some(1));
    // The names in a dump can have any encoding.
    assert_eq!(qosc(&["tc", &path(&binary)]).status.code(), Some(1));
}

/// A file that a person may have edited is not overwritten without `--force`.
#[test]
fn an_existing_file_with_other_content_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (file, folder) = (dir.path().join("wan.yaml"), dir.path().join("all"));
    std::fs::create_dir(&folder).unwrap();
    let outputs = [(file.clone(), file), (folder.clone(), folder.join("lte.yaml"))];
    for (out, written) in outputs {
        let import =
            |more: &[&str]| qosc(&[&["sqm", "sqm/several.sqm", "-o", out.to_str().unwrap()], more].concat());
        assert!(import(&[]).status.success());
        let first = std::fs::read(&written).unwrap();
        // the same content is no loss
        assert!(import(&[]).status.success());
        std::fs::write(&written, "edited").unwrap();
        let output = import(&[]);
        assert_eq!(output.status.code(), Some(2));
        let expected = format!(
            "error: these files exist with other content, so nothing was written: `{}`\n  help: `--force` overwrites them\n",
            written.display()
        );
        assert!(said(&output).ends_with(&expected), "{}", said(&output));
        assert_eq!(std::fs::read_to_string(&written).unwrap(), "edited");
        assert!(import(&["--force"]).status.success());
        assert_eq!(std::fs::read(&written).unwrap(), first);
    }
    assert_eq!(qosc(&["sqm", "sqm/several.sqm", "--force"]).status.code(), Some(2));
}

/// A dump may be as large as for `plan --dump`.
#[test]
fn a_dump_may_be_larger_than_a_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("router.dump");
    let dump = std::fs::read_to_string(folder().join("tc/foreign-cake.dump")).unwrap();
    std::fs::write(&input, dump + &"\n".repeat(5 << 20)).unwrap();
    let output = qosc(&["tc", input.to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
}

/// The commands of the page give a text that `import tc` reads.
#[test]
fn the_commands_without_qosc_make_a_readable_dump() {
    let page = std::fs::read_to_string(folder().join("../../docs/import.md")).unwrap();
    let commands = page.split("```sh\n").find(|block| block.starts_with("sh -xc")).unwrap();
    let commands = commands.split("```").next().unwrap();
    let dir = tempfile::tempdir().unwrap();
    // a stand-in for tc: prints what the laptop's prints for the same command
    let dump = folder().join("tc/laptop.dump");
    let tool = format!(
        "#!/bin/sh\nawk -v wanted=\"+ tc $*\" '/^[+]/ {{ on = $0 == wanted; next }} on' {}\n",
        dump.display()
    );
    let tc = dir.path().join("tc");
    std::fs::write(&tc, tool).unwrap();
    let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&tc, mode).unwrap();
    let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap());
    let run = Command::new("sh")
        .args(["-c", &commands.replace("eth0", "enp7s0")])
        .current_dir(dir.path())
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let printed = qosc(&["tc", dir.path().join("router.dump").to_str().unwrap()]);
    let kept = qosc(&["tc", dump.to_str().unwrap()]);
    let classes = |output: &Output| {
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        text.split_once("name:").map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    };
    assert_eq!(classes(&printed), classes(&kept), "{}", said(&printed));
    assert!(!classes(&kept).is_empty());
}
