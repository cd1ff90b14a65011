//! `qosc fit`: for every profile it recovers the line from noisy packet rates. Also its output and its errors.

#![cfg(test)]

mod command;
mod documents;
mod plan;
mod recovered;
mod right;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn qosc(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // If the program reads no input, it closes the pipe and this write fails.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn printed(arguments: &[&str], input: &str) -> String {
    let output = qosc(arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
