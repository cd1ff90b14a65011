//! The command itself: what it writes, prints and refuses.

use super::router::{SYSTEMS, files, install};
use crate::golden::assert_golden;
use crate::tools;
use std::fmt::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// All files of all systems, without the script, which has its own tests, and without the version.
fn all(file: &str) -> String {
    let mut text = String::new();
    for system in SYSTEMS {
        let dir = tempfile::tempdir().unwrap();
        let output = install(file, system, dir.path(), &[]);
        assert!(output.status.success(), "{}", said(&output));
        let _ =
            writeln!(text, "==== {system}\n{}", said(&output).replace(dir.path().to_str().unwrap(), "DIR"));
        for name in files(dir.path()) {
            let path = dir.path().join(&name);
            let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            let content = std::fs::read_to_string(&path).unwrap();
            let _ = writeln!(text, "---- {name} {mode:o}");
            if content.contains("# ==== runtime") {
                assert_eq!(mode, 0o755);
                continue;
            }
            let version = format!("`qosc install-files` {}", env!("CARGO_PKG_VERSION"));
            text += &content.replace(&version, "`qosc install-files` VERSION");
        }
    }
    text
}

#[test]
fn the_files_of_a_ppp_line() {
    assert_golden!(all("examples/vdsl2-home.yaml"));
}

#[test]
fn the_files_of_an_odd_device() {
    assert_golden!(all("tests/install/odd.yaml"));
}

#[test]
fn the_script_is_the_compiled_one() {
    let dir = tempfile::tempdir().unwrap();
    assert!(install("examples/vdsl2-home.yaml", "systemd", dir.path(), &[]).status.success());
    let compiled = std::process::Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(["compile", "examples/vdsl2-home.yaml"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(std::fs::read(dir.path().join("etc/qosc/home.sh")).unwrap(), compiled.stdout);
}

#[test]
fn several_systems_share_the_script_and_the_uninstaller() {
    let dir = tempfile::tempdir().unwrap();
    let output = install("examples/vdsl2-home.yaml", "debian,ppp,ppp", dir.path(), &[]);
    assert!(output.status.success(), "{}", said(&output));
    let names = files(dir.path());
    assert_eq!(names.len(), 2 + 4 + 2, "{names:?}");
    let uninstaller = std::fs::read_to_string(dir.path().join("etc/qosc/home.uninstall.sh")).unwrap();
    assert!(names.iter().all(|name| uninstaller.contains(&format!("/{name}"))), "{uninstaller}");
}

/// pppd makes its device after ifupdown has run its hooks.
#[test]
fn hooks_of_ifupdown_alone_do_not_start_a_ppp_line() {
    for (file, systems, warned) in [
        ("examples/vdsl2-home.yaml", "debian", true),
        ("examples/vdsl2-home.yaml", "alpine", true),
        ("examples/vdsl2-home.yaml", "debian,ppp", false),
        ("examples/vdsl2-home.yaml", "debian,systemd", false),
        ("tests/install/odd.yaml", "debian", false),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let output = install(file, systems, dir.path(), &[]);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words}");
        assert_eq!(
            words.contains("ifupdown runs no hook when pppd has made `ppp0`"),
            warned,
            "{systems}: {words}"
        );
    }
}

#[test]
fn kinds_with_different_files_of_one_name_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let output = install("examples/vdsl2-home.yaml", "openwrt,alpine", dir.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("different files `/etc/init.d/qosc-home`"), "{}", said(&output));
    assert!(files(dir.path()).is_empty());
}

#[test]
fn different_files_stay_without_force() {
    let dir = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| install("examples/vdsl2-home.yaml", "debian", dir.path(), more);
    assert!(run(&[]).status.success());
    let again = said(&run(&[]));
    assert_eq!(again.matches("  unchanged ").count(), 4, "{again}");
    let hook = dir.path().join("etc/network/if-up.d/qosc-home");
    let script = dir.path().join("etc/qosc/home.sh");
    let made = std::fs::read(&hook).unwrap();
    std::fs::write(&hook, "mine").unwrap();
    std::fs::remove_file(&script).unwrap();
    let refused = run(&[]);
    assert_eq!(refused.status.code(), Some(2));
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("if-up.d/qosc-home`") && words.contains("`--force`"), "{words}");
    assert!(refused.stdout.is_empty() && !script.exists(), "nothing is written");
    let forced = said(&run(&["--force"]));
    assert!(
        forced.contains("overwritten etc/network/if-up.d") && forced.contains("written     etc/qosc/home.sh")
    );
    assert_eq!(std::fs::read(&hook).unwrap(), made);
    // A file that lost its mode would not run.
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(run(&[]).status.code(), Some(2));
}

#[test]
fn a_configuration_with_errors_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    assert_eq!(install("/dev/null", "ppp", &out, &[]).status.code(), Some(1));
    assert_eq!(install("nowhere.yaml", "ppp", &out, &[]).status.code(), Some(2));
    assert_eq!(install("examples/vdsl2-home.yaml", "windows", &out, &[]).status.code(), Some(2));
    assert!(!out.exists());
    assert_eq!(
        install("examples/vdsl2-home.yaml", "ppp", Path::new("/dev/null"), &[]).status.code(),
        Some(2)
    );
}

/// The printed command copies the files with the tools of a small router.
#[test]
fn the_printed_command_copies_the_files() {
    if !tools::found(&["busybox"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("it's here");
    let output = install("examples/vdsl2-home.yaml", "openwrt", &folder, &[]);
    let printed = said(&output);
    let line = printed.lines().find(|line| line.contains("| ssh root@ROUTER")).unwrap();
    let target = dir.path().join("router");
    std::fs::create_dir_all(&target).unwrap();
    let here = line.replace("ssh root@ROUTER tar -C /", &format!("busybox tar -C {}", target.display()));
    // A script that runs during the second copy keeps its file.
    let script = target.join("etc/qosc/home.sh");
    let mut running = None;
    for _ in 0..2 {
        let copied = std::process::Command::new("sh").args(["-c", &here]).output().unwrap();
        assert!(copied.status.success(), "{}", said(&copied));
        assert_eq!(files(&target), files(&folder));
        let mode = std::fs::metadata(target.join("etc/init.d/qosc-home")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        let inode = |file: &std::fs::File| file.metadata().unwrap().ino();
        let now = std::fs::File::open(&script).unwrap();
        assert!(running.as_ref().is_none_or(|running| inode(running) != inode(&now)));
        running = Some(now);
    }
}
