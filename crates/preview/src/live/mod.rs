//! The observed state of a router: dumps of a script, and the counters of `tc -s`.

mod counters;
mod dump;
mod run;
pub mod words;

pub use counters::{Counted, Seen, Subject};
pub use dump::{Dump, Head, MARK};
pub use run::{counters_of, dump_of};
