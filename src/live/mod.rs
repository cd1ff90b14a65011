//! Reads the observed state of a kernel back from the text that tc prints.

mod action;
mod class;
mod counters;
mod dump;
mod filter;
mod held;
mod json;
mod parse;
mod qdisc;
mod run;
mod words;

pub use counters::{Counted, Seen};
pub use dump::{Dump, DumpError, Head};
pub use held::{Held, MARK};
pub use json::as_text;
pub use parse::parse;
pub use run::{counters_of, dump_of};
