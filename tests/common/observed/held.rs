//! Observed state of a kernel, and words that all its readers need.

use qosc_compiler::tc::{Filter, HtbClass, Qdisc};
use qosc_compiler::units::IfName;

/// Kernel objects on the two devices of a link.
///
/// Values that tc does not print are 0 or empty. These are the priority and quantum of a parent class, the `mpu` of a
/// policer, and the origin of each object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// Qdiscs of the kinds and in the places that the script uses.
    pub qdiscs: Vec<Qdisc>,
    /// Classes of the script's own HTB roots.
    pub classes: Vec<HtbClass>,
    /// Filters of the script's form, in the kernel's order within a hook and preference.
    pub filters: Vec<Filter>,
    /// Objects in the script's own roots that the script does not create in this form. Each entry is the first line of
    /// an object.
    pub foreign: Vec<String>,
    /// All other lines.
    pub other: Vec<String>,
}

/// Returns `true` if the device is one of the two that can serve the ingress of a link: `ifb-home`, or `ifb2-home`
/// after a rebuild.
pub(super) fn is_ifb(name: &str, ifb: &IfName) -> bool {
    let second = |own: &str| name.strip_prefix("ifb2-") == own.strip_prefix("ifb-");
    name == ifb.as_str() || (name.starts_with("ifb2-") && second(ifb.as_str()))
}

/// Returns `true` for the ifb of a link's uploads: `ifbu-home`.
pub(super) fn is_uploads_ifb(name: &str, ifb: &IfName) -> bool {
    name.strip_prefix("ifbu-").is_some_and(|rest| ifb.as_str().strip_prefix("ifb-") == Some(rest))
}
