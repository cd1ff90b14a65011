//! Assembles the runtime of a script from the shell functions and awk programs of `templates/runtime/`. It consists of
//! parts, and each is the same text in every script that has it. A line `@include NAME` of shell code stands for the awk
//! program with this name.

use super::script::Summary;
use crate::carried;
use crate::terms::ScriptCall;
use crate::units::fnv1a64;

/// Shell code of the base, which every script has, in the order of the script.
const BASE: [&str; 13] = [
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
    "status.sh",
    "calls.sh",
];

/// A part of the runtime that only some scripts have: its name, the call that it adds, its shell code, which includes its
/// awk programs, and whether a script uses it.
pub(super) type Part = (&'static str, &'static str, &'static [&'static str], fn(&Summary) -> bool);

/// The parts in the order of a script, below the base.
const PARTS: [Part; 4] = [
    ("rate", "rate", &["rate.sh"], |own| own.calls.contains(&ScriptCall::Rate) || varies(own)),
    ("follow", "follow", &["follow.sh"], varies),
    ("variants", "switch", &["variants.sh"], |own| !own.switches.is_empty()),
    ("metrics", "", &["metrics.sh"], |own| own.calls.contains(&ScriptCall::Metrics)),
];

/// Returns true if the line varies, or does so in a variant.
fn varies(summary: &Summary) -> bool {
    !summary.bounds.is_empty() || summary.variants.iter().any(|own| varies(&own.summary))
}

/// Returns the awk program with which a script finds its steps, without the parts that only some scripts have.
#[must_use]
pub fn engine() -> String {
    text("look.sh").lines().filter_map(included).collect()
}

/// Returns the awk program that a line of the shell code stands for.
fn included(line: &str) -> Option<&'static str> {
    carried::text(line.trim_end().strip_prefix("@include ")?)
}

/// Returns the text of a file of the runtime.
fn text(name: &str) -> &'static str {
    carried::text(name).unwrap_or_default()
}

/// Returns the parts that a script has beside the base.
pub(super) fn used(summary: &Summary) -> Vec<&'static Part> {
    PARTS.iter().filter(|(.., is_used)| is_used(summary)).collect()
}

/// Returns the base and other parts, each with its heading.
pub(super) fn runtime(used: &[&Part]) -> Vec<String> {
    let others = used.iter().map(|(name, _, shell, _)| headed(name, shell, "every script that has it"));
    std::iter::once(headed("base", &BASE, "every script")).chain(others).collect()
}

/// Returns a part with its heading and its awk programs.
fn headed(name: &str, files: &[&str], whose: &str) -> String {
    let shell = files.iter().copied().map(text).collect::<Vec<_>>().join("\n");
    let text: String = shell.split_inclusive('\n').map(|line| included(line).unwrap_or(line)).collect();
    let id = fnv1a64(text.as_bytes()) >> 32;
    format!("# ==== part {name} {id:08x}: identical in {whose} ====\n\n{text}")
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
