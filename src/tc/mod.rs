//! Kernel objects, typed: qdiscs, classes, filters, actions, and the program that they make. Types and normal forms.

mod class;
mod filter;
mod handle;
mod header;
mod marks;
mod on;
mod program;
mod qdisc;
mod scale;
mod selector;
mod shown;

pub use class::{Charge, HtbClass, LinkLayer, Overhead};
pub use filter::{Action, Classifier, Filter, FilterProtocol, Hook, Police, PoliceStep};
pub use handle::{Dev, Handle, Parent, Why};
pub use header::{ETHERNET, PPPOE_FRAMES, header_by_name};
pub use marks::{Element, LookedUp, Lookup, Marks};
pub use program::{Decrypted, Facts, IngressMode, Program, Settings, Sysctl};
pub use qdisc::{CakeIsolation, CakeOverhead, CakeShaper, CakeTins, DROP_BATCH, Qdisc, QdiscKind, R2Q, Stab};
pub use scale::{ClassScale, PoliceScale, QueueScale, Scale};
pub use selector::{Lone, Selector, Table, Word};
pub use shown::{same_bucket, same_size, same_time, shown_rate};

/// The handle of our HTB roots. Not `1:`, which every other tool takes: a root with this handle is ours.
pub const ROOT: u16 = 0xc05;

/// The minor number of the class that holds the whole tree.
pub const TREE: u16 = 1;

/// The first preference of our filters at the ingress hook; the egress hook's start at [`EGRESS_PREF`]. `tc filter
/// show` prints the u32 filters of both hooks of a clsact in one list wherever preference and protocol agree
/// (iproute2 and kernel 6.1), so they never do.
pub const INGRESS_PREF: u16 = 0xc05;

/// The first preference of our filters at the egress hook.
pub const EGRESS_PREF: u16 = 0x1c05;

/// The end of the preferences of our filters at the egress hook.
pub const EGRESS_END_PREF: u16 = 0x2c05;

/// The preference of the last filter at the ingress hook, which takes everything.
pub const INGRESS_LAST_PREF: u16 = EGRESS_PREF - 1;

/// The preference of the last filter at an HTB root, which takes what none before it took.
pub const CATCH_ALL_PREF: u16 = 0x7000;

/// The filters at an HTB root stand in one of two banks: a change fills the other one, and then this one is emptied.
/// What is written in a program are preferences of the first; in the second they are larger by this.
pub const ROOT_BANK: u16 = CATCH_ALL_PREF;

/// The same at the hooks.
pub const HOOK_BANK: u16 = 0x4000;

/// Returns whether a number says nothing, so that it is left out of JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}
