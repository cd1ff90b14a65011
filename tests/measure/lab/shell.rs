//! `qosc lab --shell`: a session on the router of the lab, from commands and on a terminal.

use super::{HOME, kernel, said};
use crate::golden::assert_golden;
use crate::tools;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A life of the script with a drift by hand.
const SESSION: &str = "\
    ls; ip -br link show br-lan >/dev/null && ping -c 1 -W 5 100.64.78.2 | grep -c '1 received'\n\
    ./home.sh start; ./home.sh check; echo \"check $?\"\n\
    tc qdisc replace dev ppp0 root pfifo; ./home.sh check; echo \"check $?\"\n\
    ./home.sh try 60; ./home.sh check; echo \"check $?\"; ./home.sh undo; ./home.sh check; echo \"check $?\"\n\
    ./home.sh stop; ./home.sh check; echo \"check $?\"; date +%s\n\
    qosc plan --live FILE 2>/dev/null | head -n 1\n\
    echo error >&2; exit 7\n\
    echo unreached\n";

/// Runs a session, and checks that it leaves nothing.
fn session(kernel: &Path, command: &[&str], input: &str) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let [commands, tmp] = ["commands", "tmp"].map(|name| dir.path().join(name));
    std::fs::write(&commands, input).unwrap();
    std::fs::create_dir(&tmp).unwrap();
    let mut lab = Command::new(command[0]);
    lab.args(&command[1..]).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(File::open(&commands).unwrap());
    let output = lab.env("QOSC_LAB_KERNEL", kernel).env("TMPDIR", &tmp).output().expect("qosc runs");
    assert_eq!(std::fs::read_dir(&tmp).unwrap().count(), 0, "{}", said(&output));
    // The processes of the guest have its folder in their command line.
    let folder = tmp.to_str().unwrap();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&line).contains(folder), "{}", process.path().display());
    }
    output
}

fn plays(kernel: &Path) {
    let start = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(HOME).display().to_string();
    let words = [env!("CARGO_BIN_EXE_qosc"), "lab", "--shell", &file];
    let output = session(kernel, &words, &SESSION.replace("FILE", &file));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(output.status.code(), Some(7), "{text}{}", said(&output));
    let time = text.lines().find_map(|line| line.parse().ok().filter(|number| *number > start)).unwrap();
    let end = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    assert!((start..=end).contains(&time), "the clock of the guest is real");
    let text = text.replace(&time.to_string(), "TIME");
    let text = (1..=60).fold(text, |text, left| text.replace(&format!("in {left} s"), "in SECONDS"));
    assert_golden!("session", text);
}

#[test]
fn a_session_plays_on_the_kernel_for_virtual_time_in_real_time() {
    if let Some(kernel) = kernel() {
        plays(&kernel);
    }
}

/// The kernel of Debian.
fn prebuilt() -> Option<PathBuf> {
    tools::found(&["kernel", "linux.uml", "busybox", "ip", "tc", "modprobe", "iptables-legacy"])
        .then(|| tools::program("linux.uml").expect("the kernel"))
}

#[test]
fn a_session_plays_on_the_kernel_of_debian() {
    if let Some(kernel) = prebuilt() {
        plays(&kernel);
    }
}

#[test]
fn a_terminal_gets_a_prompt_and_its_settings_back() {
    let Some(kernel) = prebuilt() else { return };
    let lab = format!("{} lab --shell examples/smallest.yaml", env!("CARGO_BIN_EXE_qosc"));
    // `script` provides a terminal. Its input is typed at once.
    let command = format!("stty rows 33 cols 99; stty -g; {lab}; echo \"exit $?\"; stty -g");
    let output = session(&kernel, &["script", "-qec", &command, "/dev/null"], "stty size; tty\nexit 3\n");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for expected in ["(another host 1)", "router# ", "33 99", "/dev/tty1", "exit 3"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let settings: Vec<&str> = text.lines().filter(|line| line.matches(':').count() > 20).collect();
    assert!(settings.len() == 2 && settings[0] == settings[1], "{text}");
}
