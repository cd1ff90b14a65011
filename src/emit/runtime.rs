//! Assembles the runtime of a script from the shell functions and awk programs of `templates/runtime/`. It is the same
//! text in every script.

/// Shell code of the runtime, in the order of the script.
const SHELL: [&str; 14] = [
    include_str!("../../templates/runtime/begin.sh"),
    include_str!("../../templates/runtime/facts.sh"),
    include_str!("../../templates/runtime/look.sh"),
    include_str!("../../templates/runtime/before.sh"),
    include_str!("../../templates/runtime/offloads.sh"),
    include_str!("../../templates/runtime/marks.sh"),
    include_str!("../../templates/runtime/tunnels.sh"),
    include_str!("../../templates/runtime/batches.sh"),
    include_str!("../../templates/runtime/preflight.sh"),
    include_str!("../../templates/runtime/apply.sh"),
    include_str!("../../templates/runtime/trial.sh"),
    include_str!("../../templates/runtime/rate.sh"),
    include_str!("../../templates/runtime/status.sh"),
    include_str!("../../templates/runtime/calls.sh"),
];

/// The awk programs of the runtime. A line `@include NAME` of the shell code stands for the program with this name.
const PROGRAMS: [(&str, &str); 13] = [
    ("before.awk", include_str!("../../templates/runtime/before.awk")),
    ("engine.awk", include_str!("../../templates/runtime/engine.awk")),
    ("flowtables.awk", include_str!("../../templates/runtime/flowtables.awk")),
    ("hooks_left.awk", include_str!("../../templates/runtime/hooks_left.awk")),
    ("marks.awk", include_str!("../../templates/runtime/marks.awk")),
    ("objects.awk", include_str!("../../templates/runtime/objects.awk")),
    ("metrics.awk", include_str!("../../templates/runtime/metrics.awk")),
    ("observed.awk", include_str!("../../templates/runtime/observed.awk")),
    ("offloads.awk", include_str!("../../templates/runtime/offloads.awk")),
    ("scaled.awk", include_str!("../../templates/runtime/scaled.awk")),
    ("status.awk", include_str!("../../templates/runtime/status.awk")),
    ("steps.awk", include_str!("../../templates/runtime/steps.awk")),
    ("tunnels.awk", include_str!("../../templates/runtime/tunnels.awk")),
];

/// Returns the awk program with which a script finds its steps.
#[must_use]
pub fn engine() -> String {
    let names = include_str!("../../templates/runtime/look.sh").lines().filter_map(included);
    names.collect()
}

/// Returns the awk program that a line of the shell code stands for.
fn included(line: &str) -> Option<&'static str> {
    let name = line.trim_end().strip_prefix("@include ")?;
    PROGRAMS.iter().find(|(own, _)| *own == name).map(|(_, program)| *program)
}

/// Returns the whole runtime, with the awk programs in their places.
pub(super) fn runtime() -> String {
    let mut text = String::new();
    for line in SHELL.join("\n").split_inclusive('\n') {
        text.push_str(included(line).unwrap_or(line));
    }
    text
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
