//! Files of the repository that tests make from what the program knows.

use std::path::Path;

/// Compares a file with its text, or writes it with `QOSC_BLESS=1`. `command` names the test for the message.
#[track_caller]
pub fn assert_made(path: &str, text: &str, command: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("QOSC_BLESS").is_some() {
        std::fs::write(file, text).unwrap();
        return;
    }
    let there = std::fs::read_to_string(file).unwrap_or_default();
    assert!(there == text, "{path} is out of date: QOSC_BLESS=1 {command}");
}
