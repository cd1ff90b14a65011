//! Properties of a step besides its command.

use super::step::{Cause, ChangedValue, Object};
use crate::diff::cost::Price;

/// Properties of a step besides its command.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) object: Object,
    pub(super) price: Price,
    pub(super) cause: Cause,
    pub(super) values: Vec<ChangedValue>,
    /// Name of the object; `None` if the comment of the command names it.
    pub(super) name: Option<String>,
}

impl Facts {
    pub(super) fn new(object: Object, price: Price, cause: Cause) -> Facts {
        Facts { object, price, cause, values: Vec::new(), name: None }
    }
}

/// Returns the cause of a difference. `file` is true if the description changed since the last start, `drift` if the
/// kernel's object changed since then.
pub(super) const fn cause(recorded: bool, file: bool, drift: bool) -> Cause {
    match (recorded, file, drift) {
        (false, _, _) => Cause::Unknown,
        (_, true, true) => Cause::Both,
        (_, false, true) => Cause::Drift,
        (_, _, false) => Cause::File,
    }
}
