//! Runs the awk programs of the script on a router's texts.

use super::Setting;
use super::step::{ChangedValue, Step};
use qosc_compiler::tc::{EGRESS_END_PREF, EGRESS_PREF, HOOK_BANK, INGRESS_PREF};
use qosc_compiler::units::{Bytes, Rate};
use serde::Deserialize;
use std::fs::{File, create_dir_all, write};
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::process::Command;

/// Prints the steps with all that a person wants to know about them.
const REPORT: &str = include_str!("../../../../templates/plan.awk");

/// The texts of a router and of a configuration, as the engine of a script reads them.
#[derive(Debug, Clone, Default)]
pub struct Router {
    /// Variables of the engine, as `engine` in `templates/runtime/look.sh` sets them.
    pub variables: Vec<(&'static str, String)>,
    /// Files that it reads, by their paths: `state`, `before`, `wanted`, and those in `sys/`.
    pub files: Vec<(String, String)>,
    /// Its standard input: the sections of `observe`, and some that only `templates/plan.awk` reads.
    pub input: String,
}

/// What `start` finds on a router.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Found {
    /// True if there is the record of a completed start.
    pub recorded: bool,
    /// True if the script's own root qdisc exists.
    pub our_root: bool,
    /// Steps in their order; empty if nothing needs to change.
    pub steps: Vec<Step>,
    /// Settings that differ. The command that loads a table of marks is empty.
    pub settings: Vec<Setting>,
    /// Objects of others, each in the script's words.
    pub foreign: Vec<String>,
    /// What others changed since the last start, in the words of the script's `check`.
    pub drift: Vec<String>,
}

/// Returns the steps from the observed to the described state.
///
/// # Errors
/// Returns a message for people if this machine has no awk, or if it fails.
pub fn steps(router: &Router) -> Result<Found, String> {
    let folder = tempfile::Builder::new().prefix("qosc-plan-").tempdir();
    let folder = folder.map_err(|e| format!("cannot make a temporary folder: {e}"))?;
    let input = lay(router, folder.path()).map_err(|e| format!("cannot write temporary files: {e}"))?;
    let mut awk = Command::new("awk");
    let numbers = [
        ("ingress_pref", INGRESS_PREF),
        ("egress_pref", EGRESS_PREF),
        ("hook_pref_end", EGRESS_END_PREF),
        ("hook_bank", HOOK_BANK),
    ];
    let numbers = numbers.map(|(name, number)| (name, number.to_string()));
    for (name, value) in numbers.iter().chain(&router.variables) {
        awk.arg("-v").arg(format!("{name}={}", value.replace('\\', r"\\")));
    }
    awk.args(["-f", "./program"]).env("LC_ALL", "C").env_remove("QOSC_RECORDS");
    let output = awk.current_dir(folder.path()).stdin(input).output().map_err(|e| match e.kind() {
        ErrorKind::NotFound => {
            "awk is missing, and `plan` finds the steps with it as `start` does (Debian: mawk)".to_owned()
        }
        _ => format!("cannot start `awk`: {e}"),
    })?;
    if !output.status.success() {
        return Err(format!("awk failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found: Found = serde_json::from_str(&text).map_err(|e| format!("awk failed: {e}"))?;
    for ChangedValue { field, old, new } in found.steps.iter_mut().flat_map(|step| &mut step.values) {
        for value in [old, new] {
            *value = exact(field, value).unwrap_or_else(|| std::mem::take(value));
        }
    }
    Ok(found)
}

/// Returns a number of a described line as people write it.
fn exact(field: &str, value: &str) -> Option<String> {
    match field {
        "rate" | "ceil" | "bandwidth" => Some(value.parse::<Rate>().ok()?.to_string()),
        "burst" | "cburst" | "memory_limit" | "memlimit" => Some(Bytes::new(value.parse().ok()?).to_string()),
        _ => None,
    }
}

/// Writes the files that the engine reads, and returns its input. No text of the router names a file.
fn lay(router: &Router, folder: &Path) -> Result<File, Error> {
    let program = REPORT.to_owned() + &qosc_compiler::emit::engine();
    let own = [("program", &program), ("input", &router.input)];
    let files = router.files.iter().map(|(path, text)| (path.as_str(), text)).chain(own);
    for (path, text) in files {
        let path = folder.join(path);
        path.parent().map_or(Ok(()), create_dir_all)?;
        write(path, text)?;
    }
    File::open(folder.join("input"))
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
