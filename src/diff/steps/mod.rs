//! Converge steps: the commands with which a script's `start` brings a router from its observed to its described state.
//!
//! The script computes the steps itself, in awk (`templates/runtime/steps.awk`), from four texts:
//!
//! - `was`: the state that its last completed start described,
//! - `held`: the state that this start then found in the kernel,
//! - `now`: the current state of the kernel,
//! - `wanted`: the described state.
//!
//! This module computes the same steps in the same order, to the byte, so that `plan` says exactly how `start` acts.
//! Tests compare both implementations.
//!
//! The script leaves an object alone if its text is unchanged. Objects are therefore keys (device, class, filter list)
//! and lines of text here, too. A typed comparison would treat texts as equal that the script treats as different.

mod described;
mod filters;
mod reasons;
mod shown;
mod step;
mod tree;
mod tunnels;
mod values;
mod walk;

pub(crate) use described::option;
pub use step::{Cause, Object, Step, Tool, Value};
pub use walk::{Before, Texts, steps};
