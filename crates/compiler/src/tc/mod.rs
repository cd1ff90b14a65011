//! Typed kernel objects: qdiscs, classes, filters, actions, and the program that contains them, with their normal
//! forms.

mod class;
mod classifier;
mod filter;
mod handle;
mod hash;
mod header;
mod marks;
mod on;
mod program;
mod qdisc;
mod scale;
mod selector;

pub use class::{Charge, HtbClass, LinkLayer, Overhead};
pub use classifier::{Classifier, FilterProtocol};
pub use filter::{Action, Filter, Hook, Police, PoliceStep};
pub use handle::{Dev, Handle, Parent, Why};
pub use hash::{Bucket, HashKey, HashTable, MOST_IN_ROW};
pub use header::{ETHERNET, PPPOE_FRAMES, devices_with, header_by_name};
pub use marks::{Element, LookedUp, Lookup, Marks};
pub use program::{Decrypted, Facts, IngressMode, Program, Settings, Sysctl, own_device_names};
pub use qdisc::{CakeIsolation, CakeOverhead, CakeShaper, CakeTins, DROP_BATCH, Qdisc, QdiscKind, R2Q, Stab};
pub use scale::{ClassScale, PoliceScale, QueueScale, Remaining, Scale};
pub use selector::{Selector, Table, Word};

/// Handle of the script's own HTB roots. It is not `1:`, which every other tool uses, so a root with this handle
/// belongs to the script.
pub const ROOT: u16 = 0xc05;

/// Minor number of the root class in slot a: that of class number 0.
pub const TREE: u16 = 0xa000;

/// The bit that tells the two slots of an HTB root apart. A root holds up to two trees; `start` builds one beside the
/// other. Programs contain the ids of slot a, whose first hex digit is even.
pub const SLOT_BIT: u16 = 0x1000;

/// Returns the minor number in slot a of the class with this number, which is below [`CLASS_NUMBERS`].
#[must_use]
pub const fn class_minor(number: u16) -> u16 {
    let first = match number >> 12 {
        0 => 0xa,
        1 => 0xc,
        2 => 0xe,
        rest => 14_u16.saturating_sub(rest * 2),
    };
    (first << 12) | (number & 0xfff)
}

/// Returns the number of the class with this minor number in either slot.
#[must_use]
pub const fn class_number(minor: u16) -> u16 {
    let first = match (minor & !SLOT_BIT) >> 12 {
        0xa => 0,
        0xc => 1,
        0xe => 2,
        rest => 7_u16.saturating_sub(rest / 2),
    };
    (first << 12) | (minor & 0xfff)
}

/// Number of classes that a slot has ids for.
pub const CLASS_NUMBERS: u16 = 0x7000;

/// Preferences below this one belong to the entries of slots and of filter lists.
pub const FIRST_LIST_PREF: u16 = 9;

/// First preference of the script's filters at the ingress hook; those of the egress hook start at [`EGRESS_PREF`]. The
/// two ranges are separate because of `tc filter show`. If preference and protocol agree, it prints the u32 filters of
/// both hooks of a clsact in one list (iproute2 and kernel 6.1).
pub const INGRESS_PREF: u16 = 0xc05;

/// First preference of the script's filters at the egress hook.
pub const EGRESS_PREF: u16 = 0x1c05;

/// End of the preferences of the script's filters at the egress hook; exclusive.
pub const EGRESS_END_PREF: u16 = 0x2c05;

/// Preference of the last filter at the ingress hook, which matches everything.
pub const INGRESS_LAST_PREF: u16 = EGRESS_PREF - 1;

/// Preference of the last filter at an HTB root, which matches all remaining packets.
pub const CATCH_ALL_PREF: u16 = 0x7000;

/// Distance between the two filter banks at the hooks. A change fills the unused bank and then empties the other one.
/// Programs contain the preferences of bank A; those of bank B are larger by this number.
pub const HOOK_BANK: u16 = 0x4000;

/// Returns whether a number says nothing, so that it is left out of JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}
