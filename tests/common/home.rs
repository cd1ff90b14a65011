//! A folder with a configuration, and the program that is run there and must not wait.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

pub const GOOD: &str = "name: home\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

pub fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.args(arguments).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    qosc
}

/// Runs a command that must not wait for anything.
pub fn ended(mut command: Command) -> Output {
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("it waits: {command:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

pub fn qosc(dir: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = ended(command(dir, arguments));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

pub fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("own.yaml"), GOOD).unwrap();
    dir
}
