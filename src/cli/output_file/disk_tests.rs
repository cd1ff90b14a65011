//! Another program and signals, just before the temporary file gets its name.

use super::super::old_file::Keep;
use super::replace_after;
use crate::cli::output_file::PLAIN;
use crate::cli::signals::heeded;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

/// Environment variables with a signal, and with the file during whose replacement it comes.
const SIGNAL: &str = "QOSC_TEST_SIGNAL";
const FILE: &str = "QOSC_TEST_FILE";

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_file_that_changes_while_it_is_fixed_stays() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("file");
    std::fs::write(&file, "old").expect("a file");
    let there = std::fs::metadata(&file).expect("a file");
    let save = || std::fs::write(&file, "saved").expect("a file");
    let error = replace_after(&file, b"new", Some(&there), Keep::All, save).expect_err("an error");
    assert_eq!(error.to_string(), "it was changed meanwhile");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "saved");
    // A result replaces any file.
    replace_after(&file, b"new", Some(&there), Keep::Mode(PLAIN), save).expect("a file");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "new");
    assert_eq!(names(dir.path()), ["file"]);
}

/// Is a program of its own if the next test starts it: gets a signal while the temporary file exists.
#[test]
fn a_signal_comes_while_a_file_is_replaced() {
    let (Ok(signal), Some(file)) = (std::env::var(SIGNAL), std::env::var_os(FILE)) else { return };
    // SIGQUIT would leave a core dump.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).expect("a process");
    let (signal, file) = (signal.parse().expect("a number"), Path::new(&file));
    let folder = file.parent().expect("a folder");
    let there = std::fs::metadata(file).expect("a file");
    let raise = || {
        assert_eq!(names(folder).len(), 2, "the temporary file is there");
        signal_hook::low_level::raise(signal).expect("a signal");
        assert_eq!(names(folder).len(), 2, "the program still runs");
    };
    let done = replace_after(file, b"new", Some(&there), Keep::Mode(PLAIN), raise);
    panic!("the program goes on after the signal: {done:?}");
}

#[test]
fn a_signal_leaves_no_temporary_file() {
    let signals = heeded();
    assert!(!signals.is_empty());
    for signal in signals {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("file");
        std::fs::write(&file, "old").expect("a file");
        let path = module_path!().split_once("::").map_or("", |(_, path)| path);
        let mut itself = Command::new(std::env::current_exe().expect("a program"));
        itself.args(["--exact", &format!("{path}::a_signal_comes_while_a_file_is_replaced")]);
        let output = itself.env(SIGNAL, signal.to_string()).env(FILE, &file).output().expect("a program");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.signal(), Some(signal), "{}: {said}", output.status);
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "old");
        assert_eq!(names(dir.path()), ["file"], "signal {signal}");
    }
}
