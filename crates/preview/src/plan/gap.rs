//! Estimated time without shaped uploads while `start` rebuilds the upload tree.

use super::step::{Area, Object, Step, Tool};
use crate::live::Dump;
use qosc_compiler::tc::Dev;
use serde::Serialize;

/// Period without shaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Gap {
    /// Number of commands from the deletion of the old root to the last filter of the new one.
    pub commands: usize,
    /// Microseconds per command when this router last built a tree; `None` if this was not measured.
    pub each_us: Option<u64>,
}

impl Gap {
    /// Returns the length of the gap in milliseconds, rounded up, or `None` if the time per command is unknown.
    #[must_use]
    pub fn ms(self) -> Option<u64> {
        let commands = u64::try_from(self.commands).ok()?;
        Some(self.each_us?.checked_mul(commands)?.div_ceil(1000))
    }
}

/// Returns the gap that these steps cause. If our root is missing now, uploads are not shaped anyway and there is no
/// gap.
pub(super) fn gap(steps: &[Step], dump: &Dump<'_>) -> Option<Gap> {
    let wan = |step: &&Step| step.area == Area::Uploads && step.tool == Tool::Tc;
    let rebuilt =
        steps.iter().any(|step| step.verb == "del" && step.object == Object::Root { dev: Dev::Wan })
            && steps.iter().any(|step| step.verb == "replace");
    rebuilt.then(|| Gap { commands: steps.iter().filter(wan).count(), each_us: measured(dump) })
}

/// Microseconds per command, from the script's file `speed`. It holds two numbers: the lines of the last batch that
/// made a root, and the hundredths of a second that the batch took.
fn measured(dump: &Dump<'_>) -> Option<u64> {
    let file = dump.recorded("speed");
    let mut words = file.split_whitespace().map(str::parse::<u64>);
    let (lines, hundredths) = (words.next()?.ok()?, words.next()?.ok()?);
    // The clock counts hundredths, so a fast batch may report zero.
    hundredths.max(1).checked_mul(10_000)?.checked_div(lines)
}
