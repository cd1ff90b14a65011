//! Files that commands write: never one that they read, and always whole.

#![cfg(test)]

use crate::home::{GOOD, command, ended, folder, qosc};
use rustix::fs::inotify;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::mem::MaybeUninit;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_result_never_replaces_the_file_that_it_was_made_from() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    symlink("own.yaml", path("link.yaml")).unwrap();
    std::fs::hard_link(path("own.yaml"), path("hard.yaml")).unwrap();
    for (input, output) in [
        ("own.yaml", "own.yaml"),
        ("own.yaml", "./own.yaml"),
        ("own.yaml", "link.yaml"),
        ("own.yaml", "hard.yaml"),
        ("link.yaml", "own.yaml"),
        ("link.yaml", "hard.yaml"),
    ] {
        let (code, said) = qosc(dir.path(), &["compile", input, "-o", output]);
        let words =
            format!("error: `{output}` is the same file as `{input}`, which this command reads\n  help: ");
        assert!(code == Some(2) && said.starts_with(&words), "{said}");
    }
    let mut fed = command(dir.path(), &["compile", "-", "-o", "link.yaml"]);
    fed.stdin(std::fs::File::open(path("own.yaml")).unwrap());
    let output = ended(fed);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("is the same file as standard input"));
    assert_eq!(std::fs::read_to_string(path("own.yaml")).unwrap(), GOOD);
    assert_eq!(names(dir.path()), ["hard.yaml", "link.yaml", "own.yaml"]);
    // A device is no file to be replaced.
    assert_eq!(qosc(dir.path(), &["compile", "/dev/null", "-o", "/dev/null"]).0, Some(1));
}

#[test]
fn a_picture_never_replaces_its_measurements() {
    let dir = folder();
    let data = "64,5400\n128,5000\n256,4000\n512,2500\n1024,1400\n1500,1000\n";
    std::fs::write(dir.path().join("data.svg"), data).unwrap();
    for arguments in [
        &["plot", "other.json", "data.svg", "-o", "./data.svg"][..],
        &["lab", "data.svg", "--html", "./data.svg"],
        &["lab", "own.yaml", "--kernel", "data.svg", "--html", "./data.svg"],
    ] {
        let (code, said) = qosc(dir.path(), arguments);
        assert_eq!(code, Some(2), "{said}");
        if arguments[0] != "plot" {
            assert!(said.contains("`./data.svg` is the same file as `data.svg`"), "{said}");
        }
        assert_eq!(std::fs::read_to_string(dir.path().join("data.svg")).unwrap(), data);
    }
}

#[test]
fn a_link_that_leads_nowhere_is_not_replaced() {
    let dir = folder();
    for (name, target, words) in [
        ("dangling", "missing", "it is a symbolic link to a missing file"),
        ("far", "dangling", "it is a symbolic link to a missing file"),
        ("loop", "loop", "symbolic links"),
        ("there", "back", "symbolic links"),
        ("back", "there", "it"),
    ] {
        symlink(target, dir.path().join(name)).unwrap();
        if name == "there" {
            continue;
        }
        for arguments in [
            &["compile", "own.yaml", "-o", name][..],
            &[
                "init",
                "--device",
                "eth0",
                "--profile",
                "docsis",
                "--up",
                "9mbit",
                "--down",
                "90mbit",
                "--force",
                "-o",
                name,
            ],
        ] {
            let (code, said) = qosc(dir.path(), arguments);
            assert_eq!(code, Some(2), "{said}");
            assert!(
                said.contains(&format!("error: cannot write `{name}`: ")) && said.contains(words),
                "{said}"
            );
            assert_eq!(std::fs::read_link(dir.path().join(name)).unwrap(), Path::new(target));
        }
    }
    assert_eq!(names(dir.path()), ["back", "dangling", "far", "loop", "own.yaml", "there"]);
}

#[test]
fn a_page_never_replaces_the_kernel_in_a_folder() {
    let dir = folder();
    std::fs::create_dir(dir.path().join("kernel")).unwrap();
    let kernel = dir.path().join("kernel/linux");
    std::fs::write(&kernel, "a kernel").unwrap();
    for variable in [false, true] {
        let mut lab = command(dir.path(), &["lab", "own.yaml", "--html", "kernel/linux"]);
        match variable {
            true => lab.env("QOSC_LAB_KERNEL", "kernel"),
            false => lab.args(["--kernel", "kernel"]),
        };
        let output = ended(lab);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("`kernel/linux` is the same file as `/"), "{said}");
        assert_eq!(std::fs::read_to_string(&kernel).unwrap(), "a kernel");
    }
}

/// Sends each signal as soon as the temporary file exists. It may arrive after the file was renamed. A unit test raises
/// signals at the right time.
#[test]
fn a_signal_leaves_no_temporary_file() {
    let dir = folder();
    let work = dir.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let classes: String = (0..200)
        .map(|n| format!("  c{n}: {{ match: {{ protocol: tcp, remote_port: {} }} }}\n", n + 1))
        .collect();
    let text = format!("{GOOD}classes:\n{classes}  rest: {{ default: true }}\n");
    std::fs::write(dir.path().join("many.yaml"), text).unwrap();
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM] {
        let number = Some(signal.as_raw());
        for round in 0..10 {
            std::fs::write(work.join("out.sh"), "old").unwrap();
            let ended = signalled(dir.path(), &work, signal);
            assert_eq!(names(&work), ["out.sh"], "round {round}, {signal:?}");
            let text = std::fs::read_to_string(work.join("out.sh")).unwrap();
            let whole = text.ends_with('\n') && text.starts_with("#!/bin/sh\n");
            assert!(text == "old" || whole, "{} bytes", text.len());
            assert!(ended.success() || ended.signal() == number, "{ended}");
            assert!(whole || ended.signal() == number, "{ended}");
        }
    }
}

/// Compiles and sends a signal as soon as there is a temporary file.
fn signalled(dir: &Path, work: &Path, signal: Signal) -> ExitStatus {
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, work, inotify::WatchFlags::CREATE).unwrap();
    // On a busy machine, this test runs before the program.
    let mut nice = Command::new("nice");
    nice.args(["-n", "10", env!("CARGO_BIN_EXE_qosc"), "compile", "many.yaml", "-o", "work/out.sh"]);
    let mut child = nice.current_dir(dir).stderr(Stdio::null()).spawn().unwrap();
    // Unlike its number, this never means another program.
    let same = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
    let sender = std::thread::spawn(move || {
        let mut space = [MaybeUninit::uninit(); 1024];
        inotify::Reader::new(&watch, &mut space).next().unwrap();
        let _too_late = pidfd_send_signal(&same, signal);
    });
    let ended = child.wait().unwrap();
    // The program also fails without a temporary file, and then nothing would wake the thread.
    std::fs::write(work.join("wake"), "").unwrap();
    sender.join().unwrap();
    std::fs::remove_file(work.join("wake")).unwrap();
    ended
}
