//! shellcheck on scripts. It takes seconds for the runtime of a script, and many scripts have the same one. So each
//! runtime is checked once, as a part of the first script that has it.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;

/// Codes of shellcheck that a script without its runtime must show: variables without a use or a value, and functions
/// without a call.
const CUT: &str = "SC2034,SC2154,SC2317,SC2329";

/// A script without its runtime, and the name of the runtime. `None` for a plain script, which has no runtime.
fn cut(script: &str) -> Option<(String, &str)> {
    let (head, rest) = script.split_once("\n# ==== runtime ")?;
    let (name, rest) = rest.split_once(':')?;
    let (_, carried) = rest.rsplit_once("; exit; }\n")?;
    Some((format!("{head}\n{carried}"), name))
}

/// Checks that shellcheck finds no fault in a script. If its runtime was checked before, only the rest is checked.
#[track_caller]
pub fn assert_sound(script: &str) {
    static RUNTIMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = |name: &str| RUNTIMES.lock().expect("no test panics here").insert(name.to_owned());
    match cut(script).filter(|(_, name)| !is_new(name)) {
        Some((part, _)) => expect_silence(&["-s", "sh", "-e", CUT], &[part]),
        None => expect_silence(&["-s", "sh"], &[script.to_owned()]),
    }
}

/// Checks that shellcheck finds no fault in what the compiler wrote for each of these scripts, outside of the runtime.
#[track_caller]
pub fn assert_parts_sound(scripts: &[String]) {
    let parts: Vec<String> = scripts.iter().map(|script| cut(script).expect("a runtime").0).collect();
    expect_silence(&["-s", "sh", "-e", CUT], &parts);
}

#[track_caller]
fn expect_silence(options: &[&str], texts: &[String]) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(dir.path().join(format!("{number}.sh")), text).expect("a file");
    }
    let files = (0..texts.len()).map(|number| dir.path().join(format!("{number}.sh")));
    let run = Command::new("shellcheck").args(options).args(files).output().expect("shellcheck runs");
    let said = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && said.is_empty(), "{said}");
}
