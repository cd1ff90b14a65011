//! Assembles the runtime of a script from the shell functions and awk programs of `templates/runtime/`. It is the same
//! text in every script.

use crate::carried;

/// Shell code of the runtime, in the order of the script. A line `@include NAME` stands for the awk program with this
/// name.
const SHELL: [&str; 16] = [
    "begin.sh",
    "facts.sh",
    "look.sh",
    "before.sh",
    "offloads.sh",
    "marks.sh",
    "tunnels.sh",
    "batches.sh",
    "preflight.sh",
    "apply.sh",
    "trial.sh",
    "rate.sh",
    "follow.sh",
    "variants.sh",
    "status.sh",
    "calls.sh",
];

/// Returns the awk program with which a script finds its steps, without the part that runs commands.
#[must_use]
pub fn engine() -> String {
    text("look.sh").lines().filter(|line| !line.contains("follow.awk")).filter_map(included).collect()
}

/// Returns the awk program that a line of the shell code stands for.
fn included(line: &str) -> Option<&'static str> {
    carried::text(line.trim_end().strip_prefix("@include ")?)
}

/// Returns the text of a file of the runtime.
fn text(name: &str) -> &'static str {
    carried::text(name).unwrap_or_default()
}

/// Returns the whole runtime, with the awk programs in their places.
pub(super) fn runtime() -> String {
    let shell = SHELL.map(text).join("\n");
    shell.split_inclusive('\n').map(|line| included(line).unwrap_or(line)).collect()
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
