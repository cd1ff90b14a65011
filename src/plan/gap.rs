//! How long uploads go unshaped where their tree must be made anew.

use crate::diff::steps::{Object, Step};
use crate::live::Dump;
use crate::tc::{Dev, Hook};
use serde::Serialize;

/// A time without shaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The commands between the old root's end and the new one's last filter.
    pub commands: usize,
    /// What a command took, in microseconds, when this router last built a tree; `None` where that was not measured.
    pub each_us: Option<u64>,
}

impl Gap {
    /// The time in milliseconds, rounded up.
    #[must_use]
    pub fn ms(self) -> Option<u64> {
        let commands = u64::try_from(self.commands).ok()?;
        Some(self.each_us?.checked_mul(commands)?.div_ceil(1000))
    }
}

/// The gap of these steps. Where no root of ours is there, uploads are not shaped now, either.
pub(super) fn gap(steps: &[Step], dump: &Dump<'_>) -> Option<Gap> {
    let wan = |step: &&Step| {
        matches!(
            step.object,
            Object::Root { dev: Dev::Wan }
                | Object::Class { dev: Dev::Wan, .. }
                | Object::Leaf { dev: Dev::Wan, .. }
                | Object::Filters { dev: Dev::Wan, hook: Hook::Root }
        )
    };
    let rebuilt =
        steps.iter().any(|step| step.verb == "del" && step.object == Object::Root { dev: Dev::Wan });
    rebuilt.then(|| Gap { commands: steps.iter().filter(wan).count(), each_us: measured(dump) })
}

/// Microseconds a command, from the script's note: the lines of the last batch that made a root, and the hundredths of
/// a second that it took.
fn measured(dump: &Dump<'_>) -> Option<u64> {
    let file = dump.file("speed")?;
    let mut words = file.split_whitespace().map(str::parse::<u64>);
    let (lines, hundredths) = (words.next()?.ok()?, words.next()?.ok()?);
    // A clock of hundredths may have seen no time pass at all.
    hundredths.max(1).checked_mul(10_000)?.checked_div(lines)
}
