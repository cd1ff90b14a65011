//! `check --fix --yes`: the properties of the files that it writes.

#![cfg(test)]

use crate::fixed::{LINK, file, qosc, said};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const BAD: &str = "name: home\nlink: { device: eth0, profil: docsis, up: 10mbit, down: 100mbit }\n";

#[test]
fn a_fixed_file_keeps_its_mode_and_owner() {
    let (dir, file) = file(BAD);
    let root = rustix::process::geteuid().is_root();
    if root {
        chown(&file, Some(1234), Some(2345)).unwrap();
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(&file).unwrap();
    assert_eq!(qosc(dir.path(), "check --fix --yes home.yaml").status.code(), Some(0));
    let after = std::fs::metadata(&file).unwrap();
    assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), LINK);
}

/// The message, and nothing else: the findings would be those of a text that nobody has.
fn refused(dir: &Path, output: &Output, why: &str) {
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(said(output), format!("error: cannot write `home.yaml`: {why}\n"));
    let file = dir.join("home.yaml");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), BAD);
    assert!(
        !std::fs::read_dir(dir)
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().starts_with(".qosc") })
    );
}

#[test]
fn a_read_only_file_is_not_fixed() {
    let (dir, file) = file(BAD);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    refused(dir.path(), &qosc(dir.path(), "check --fix --yes home.yaml"), "it is read-only");
    // Another file of the same run is still written.
    std::fs::write(dir.path().join("other.yaml"), BAD.replace("home", "other")).unwrap();
    let output = qosc(dir.path(), "check --fix --yes home.yaml other.yaml");
    let said = said(&output);
    assert!(
        said.ends_with("fixed: 1 finding in 1 file\n2 files: 1 without errors, 1 that cannot be written\n"),
        "{said}"
    );
    let output = qosc(dir.path(), "check --fix --yes --format json home.yaml");
    assert_eq!((String::from_utf8(output.stdout).unwrap().as_str(), output.status.code()), ("[]\n", Some(2)));
}

#[test]
fn a_file_with_several_names_is_not_fixed() {
    let (dir, file) = file(BAD);
    std::fs::hard_link(&file, dir.path().join("second")).unwrap();
    let why = "it has 2 names (hard links), and only one of them would get the new text";
    refused(dir.path(), &qosc(dir.path(), "check --fix --yes home.yaml"), why);
}

/// The shell's `<(...)` is such a pipe. It would get the new text, and nobody would read it.
#[test]
fn a_pipe_is_not_fixed() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
        qosc.args(["check", "--fix", "--yes", name]).current_dir(dir.path());
        let mut qosc =
            qosc.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        qosc.stdin.take().unwrap().write_all(BAD.as_bytes()).unwrap();
        let output = qosc.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
        let words = format!("error: cannot write `{name}`: it is not a regular file; use `-`\n");
        assert_eq!(said(&output), words);
    }
    // A file behind such a name is fixed.
    let (dir, file) = file(BAD);
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.args(["check", "--fix", "--yes", "/dev/stdin"]).current_dir(dir.path());
    let output = qosc.stdin(std::fs::File::open(&file).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), LINK);
}

#[test]
fn a_file_of_another_user_is_not_fixed() {
    if !rustix::process::geteuid().is_root() {
        return; // only root can give files away
    }
    let (dir, file) = file(BAD);
    let all = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(dir.path(), all.clone()).unwrap();
    std::fs::set_permissions(&file, all).unwrap();
    let program = dir.path().join("qosc");
    // A parallel test may start a program while a copy is written. That program then holds the copy open for a moment,
    // and nobody can execute it.
    std::fs::hard_link(env!("CARGO_BIN_EXE_qosc"), &program)
        .or_else(|_| std::fs::copy(env!("CARGO_BIN_EXE_qosc"), &program).map(drop))
        .unwrap();
    let run = |qosc: &mut Command| {
        loop {
            match qosc.output() {
                Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
                done => return done.unwrap(),
            }
        }
    };
    let mut qosc = Command::new(&program);
    qosc.args(["check", "--fix", "--yes", "home.yaml"]).current_dir(dir.path()).uid(65534).gid(65534);
    refused(dir.path(), &run(&mut qosc), "it belongs to another user");
    // Its group is not one of the user's, and a new file would have another.
    chown(&file, Some(65534), Some(2345)).unwrap();
    let why = "cannot keep its owner and group: Operation not permitted (os error 1)";
    refused(dir.path(), &run(&mut qosc), why);
}
