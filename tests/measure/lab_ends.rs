//! The end of `qosc lab`: nothing is left, even if it is killed. The kernel is a shell script that only waits. Wrong
//! options end it before a kernel starts.

#![cfg(test)]

use crate::tools;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A folder for the lab's working folders, with kernels.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        let yaml = "name: home\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";
        std::fs::write(place.path("home.yaml"), yaml).unwrap();
        for (name, text) in [
            ("waits", "echo $$ >\"$TOLD\"\nexec sleep 1000\n"),
            ("ends", "exit 1\n"),
            ("speaks", "echo hello\nexit 1\n"),
        ] {
            std::fs::write(place.path(name), format!("#!/bin/sh\n{text}")).unwrap();
            std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::fs::create_dir(place.path("tmp")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn start(&self, kernel: &str) -> Child {
        self.start_through(&[], "--quick", kernel)
    }

    /// Starts the lab by another command, which gets it as arguments.
    fn start_through(&self, through: &[&str], mode: &str, kernel: &str) -> Child {
        let words = [through, &[env!("CARGO_BIN_EXE_qosc")]].concat();
        let mut qosc = Command::new(words[0]);
        qosc.args(&words[1..])
            .args(["lab", mode, "home.yaml", "--kernel", kernel])
            .current_dir(self.0.path());
        qosc.env("TMPDIR", self.path("tmp"))
            .env("TOLD", self.path("told"))
            .env("XDG_CACHE_HOME", self.path("cache"));
        qosc.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Message of a lab whose kernel ends at once.
    fn said(&self, through: &[&str], kernel: &str) -> String {
        let output = self.start_through(through, "--quick", kernel).wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        said
    }

    /// The working folders.
    fn left(&self) -> usize {
        std::fs::read_dir(self.path("tmp")).unwrap().count()
    }
}

/// The programs that `qosc lab` needs.
const LAB: [&str; 5] = ["busybox", "ip", "tc", "modprobe", "nft"];

/// Only one test at a time: while one of them starts a program, another must not write one.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn within(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn runs(id: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(id).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_killed_lab_leaves_no_kernel_and_the_next_one_removes_its_folder() {
    if !tools::found(&LAB) {
        return;
    }
    let _alone = alone();
    let place = Place::new();
    for (signal, mode) in [("KILL", "--quick"), ("TERM", "--quick"), ("TERM", "--shell")] {
        let _old = std::fs::remove_file(place.path("told"));
        let mut lab = place.start_through(&[], mode, "waits");
        let mut kernel = String::new();
        within("the kernel starts", || {
            kernel = std::fs::read_to_string(place.path("told")).unwrap_or_default().trim().to_owned();
            !kernel.is_empty()
        });
        assert!(runs(&kernel) && place.left() == 1);
        // A second lab leaves the folder of the first alone.
        assert_eq!(place.start("ends").wait().unwrap().code(), Some(2));
        assert_eq!(place.left(), 1);
        assert!(
            Command::new("sh")
                .args(["-c", &format!("kill -s {signal} {}", lab.id())])
                .status()
                .unwrap()
                .success()
        );
        lab.wait().unwrap();
        within("the kernel ends", || !runs(&kernel));
        assert_eq!(place.left(), usize::from(signal == "KILL"));
        assert_eq!(place.start("ends").wait().unwrap().code(), Some(2));
        assert_eq!(place.left(), 0);
    }
}

#[test]
fn the_working_folder_may_forbid_execution() {
    if !tools::found(&LAB) || !tools::found(&["mounts"]) {
        return;
    }
    let _alone = alone();
    let place = Place::new();
    let mount = "mount -t tmpfs -o noexec none tmp";
    let through = format!("{mount} && exec \"$0\" \"$@\"");
    let said = place.said(&["unshare", "-rm", "sh", "-c", &through], "speaks");
    assert!(said.ends_with("speaks` stopped: hello\n"), "{said}");
}

#[test]
fn the_reason_is_told_if_the_kernel_cannot_be_executed() {
    if !tools::found(&LAB) {
        return;
    }
    let _alone = alone();
    let place = Place::new();
    let format = "Exec format error (os error 8)";
    let foreign = [&b"\x7fELF\x02\x01\x01"[..], &[0; 11], &[0xfe, 0xca], &[0; 44]].concat();
    for (text, mode, why) in [
        (&b"\x7fELF is only the beginning\n"[..], 0o755, format),
        (&foreign, 0o755, format),
        (b"echo This is for a shell.\n", 0o755, format),
        (b"", 0o755, format),
        (b"#!/bin/sh\n", 0o644, "Permission denied (os error 13)"),
        (b"#!/missing\n", 0o755, "No such file or directory (os error 2)"),
    ] {
        std::fs::write(place.path("kernel"), text).unwrap();
        std::fs::set_permissions(place.path("kernel"), std::fs::Permissions::from_mode(mode)).unwrap();
        let said = place.said(&[], "kernel");
        assert!(said.ends_with(&format!("error: the kernel does not start: {why}\n")), "{said}");
        assert_eq!(place.left(), 0);
    }
}

#[test]
fn a_kernel_without_the_family_inet_is_refused_for_a_file_that_needs_it() {
    let place = Place::new();
    std::fs::write(place.path("waits"), "#!/bin/sh\n# CONFIG_NF_TABLES_INET is not set\n").unwrap();
    let hosts = "hosts: { tv: { mac: '02:00:00:00:00:01' } }\nclasses: { slow: { guarantee: 20%, match: { host: tv } }, rest: { default: true } }\n";
    let yaml = std::fs::read_to_string(place.path("home.yaml")).unwrap() + hosts;
    std::fs::write(place.path("home.yaml"), yaml).unwrap();
    let said = place.said(&[], "waits");
    assert!(said.contains("waits` lacks the family `inet` of nft, with which"), "{said}");
    assert!(said.ends_with("\n  help: `qosc lab --prepare` builds a kernel that has it\n"), "{said}");
    assert_eq!(place.left(), 0);
}

#[test]
fn wrong_options_for_another_script_are_refused() {
    let place = Place::new();
    std::fs::write(place.path("shaper.sh"), "exit 0\n").unwrap();
    for (options, why) in [
        (
            &["--script", "missing.sh"][..],
            "error: the lab cannot run the script `missing.sh`: No such file or directory",
        ),
        (&["--script", "tmp"], "error: the lab cannot run the script `tmp`: it is not a regular file"),
        (
            &["--script", "/dev/null"],
            "error: the lab cannot run the script `/dev/null`: its kernel does not see",
        ),
        (&["--args", "1"], "the following required arguments were not provided:\n  --script <PATH>"),
        (
            &["--script", "shaper.sh", "--only", "flows,classes"],
            "error: `--only classes` needs the compiled script, because another script has no classes of the file\n  help: \
             leave out `classes` or `--script`\n",
        ),
        (
            &["--script", "shaper.sh", "--html", "shaper.sh"],
            "error: `shaper.sh` is the same file as `shaper.sh`",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_qosc"))
            .args(["lab", "home.yaml", "--kernel", "ends"])
            .args(options)
            .current_dir(place.0.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(why), "{options:?}: {said}");
        assert_eq!(std::fs::read_to_string(place.path("shaper.sh")).unwrap(), "exit 0\n");
    }
}
