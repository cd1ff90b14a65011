//! What a kernel holds, read back from the text that tc prints.

mod action;
mod class;
mod filter;
mod parse;
mod qdisc;
mod words;

pub use parse::{Held, MARK, parse};
