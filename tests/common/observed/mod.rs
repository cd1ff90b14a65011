//! The observed state of a kernel, read from the text of `tc`, and its differences from a program. It is independent of
//! the script, which compares texts.

mod action;
mod class;
mod compare;
mod fields;
mod filter;
mod held;
mod parse;
mod qdisc;
mod shown;
mod words;

pub use compare::compare;
pub use held::Held;
pub use parse::parse;
