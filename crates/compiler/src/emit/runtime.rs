//! Assembles the runtime of a script from the shell functions and awk programs of `templates/runtime/`. It consists of
//! parts, and each is the same text in every script that has it. A line `@include NAME` of shell code stands for the awk
//! program with this name.

use super::summary::Summary;
use crate::carried;
use crate::tc::Program;
use crate::terms::ScriptCall;
use crate::units::fnv1a64;

/// Files of shell code of the base, which every script has, in the order of the script.
const BASE: &str = "begin facts look before offloads marks batches preflight apply trial status calls";

/// A part of the runtime that only some scripts have: its name, the call that it adds, its files of shell code, which
/// include its awk programs, and whether a script or its variant uses it.
type Part = (&'static str, &'static str, &'static str, fn(&Program, &Summary) -> bool);

/// The parts in the order of a script, below the base.
const PARTS: [Part; 7] = [
    ("marks", "", "mark_rules", |program, _| program.has_table()),
    ("tins", "", "tins", |_, own| !own.tins.is_empty()),
    ("tunnels", "", "tunnels", |program, _| !program.decrypted.is_empty()),
    ("rate", " rate", "rate", |_, own| own.calls.contains(&ScriptCall::Rate) || !own.bounds.is_empty()),
    ("follow", " follow", "follow", |_, own| !own.bounds.is_empty()),
    ("variants", " switch", "variants", |_, own| !own.switches.is_empty()),
    ("metrics", "", "metrics", |_, own| own.calls.contains(&ScriptCall::Metrics)),
];

/// Returns the awk program with which a script finds its steps. Of the parts that only some scripts have, it has that
/// for tunnels.
#[must_use]
pub fn engine() -> String {
    let shell = ["tunnels.sh", "look.sh"].map(|file| carried::text(file).unwrap_or_default());
    shell.iter().flat_map(|text| text.lines()).filter_map(included).collect()
}

/// Returns the awk program that a line of the shell code stands for.
fn included(line: &str) -> Option<&'static str> {
    carried::text(line.trim_end().strip_prefix("@include ")?)
}

/// Returns the base and the parts that a script uses, and the calls that these add.
pub(super) fn runtime(program: &Program, summary: &Summary) -> (String, String) {
    let (mut text, mut calls) = (headed("base", BASE, "every script"), String::new());
    let variants = || summary.variants.iter().map(|own| (&own.program, &own.summary));
    for (name, call, files, is_used) in &PARTS {
        if is_used(program, summary) || variants().any(|(program, own)| is_used(program, own)) {
            text += &headed(name, files, "every script that has it");
            calls += call;
        }
    }
    (text, calls)
}

/// Returns a part with its heading and its awk programs.
fn headed(name: &str, files: &str, whose: &str) -> String {
    let shell = files.split(' ').filter_map(|file| carried::text(&format!("{file}.sh")));
    let shell = shell.collect::<Vec<_>>().join("\n");
    let text: String = shell.split_inclusive('\n').map(|line| included(line).unwrap_or(line)).collect();
    let id = fnv1a64(text.as_bytes()) >> 32;
    format!("# ==== part {name} {id:08x}: identical in {whose} ====\n\n{text}\n")
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
