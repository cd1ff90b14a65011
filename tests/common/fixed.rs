//! A file that `check --fix` is run on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const LINK: &str = "name: home\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

pub fn qosc(dir: &Path, words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(words.split(' ')).current_dir(dir).output().unwrap()
}

pub fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file in a folder of its own.
pub fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("home.yaml");
    std::fs::write(&file, text).unwrap();
    (dir, file)
}
