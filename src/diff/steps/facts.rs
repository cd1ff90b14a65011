//! Facts of a step besides its command, and facts that steps have in common.

use super::step::{Cause, Object, Value};
use crate::diff::cost::Price;
use crate::tc::Dev;
use std::collections::BTreeMap;

/// Properties of a step besides its command.
#[derive(Clone)]
pub(super) struct StepFacts {
    pub(super) object: Object,
    pub(super) price: Price,
    pub(super) cause: Cause,
    pub(super) values: Vec<Value>,
    pub(super) drift: Vec<Value>,
}

impl StepFacts {
    pub(super) fn new(object: Object, price: Price, cause: Cause) -> StepFacts {
        StepFacts { object, price, cause, values: Vec::new(), drift: Vec::new() }
    }
}

/// Describer of steps.
#[derive(Default)]
pub(super) struct Describer<'a> {
    /// Name of the WAN device.
    pub(super) wan: &'a str,
    /// Present length of its own queue.
    pub(super) queue: &'a str,
    /// Descriptions of the last completed start and of the configuration.
    pub(super) was: &'a str,
    pub(super) wanted: &'a str,
    /// True if there is a record of a completed start.
    pub(super) recorded: bool,
    /// Price and cause if a direction gets a new tree, uploads first.
    pub(super) rebuilt: [Option<(Price, Cause)>; 2],
    /// Facts of the filter lists that the steps so far change.
    pub(super) lists: BTreeMap<String, StepFacts>,
}

/// Placeholder of a device in the script's lines.
pub(super) const fn role(dev: Dev) -> &'static str {
    match dev {
        Dev::Wan => "@wan",
        Dev::Ifb => "@ifb",
    }
}

impl Describer<'_> {
    pub(super) fn rebuilt(&self, dev: Dev) -> Option<&(Price, Cause)> {
        let [wan, ifb] = &self.rebuilt;
        if dev == Dev::Wan { wan.as_ref() } else { ifb.as_ref() }
    }

    pub(super) fn set_rebuilt(&mut self, dev: Dev, why: (Price, Cause)) {
        let [wan, ifb] = &mut self.rebuilt;
        *(if dev == Dev::Wan { wan } else { ifb }) = Some(why);
    }

    /// Facts of a step for a class or queue in a rebuilt tree; `None` if the tree stays.
    pub(super) fn anew(&self, dev: Dev, object: &Object) -> Option<StepFacts> {
        self.rebuilt(dev).map(|(price, cause)| StepFacts::new(object.clone(), price.clone(), *cause))
    }

    /// Returns the cause of a difference. `file` is true if the description changed since the last start, `drift` if
    /// the kernel's object changed since then.
    pub(super) const fn cause(&self, file: bool, drift: bool) -> Cause {
        match (self.recorded, file, drift) {
            (false, _, _) => Cause::Unknown,
            (_, true, true) => Cause::Both,
            (_, false, true) => Cause::Drift,
            (_, _, false) => Cause::File,
        }
    }
}
