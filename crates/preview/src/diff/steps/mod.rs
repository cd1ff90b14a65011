//! Converge steps: the commands with which a script's `start` brings a router from its observed to its described state.
//!
//! [`steps`] runs the awk programs of the script (`templates/runtime/`) on the texts of a dump, so the commands are those
//! of `start`. This module adds the object, cost and cause of each command. They follow from four texts of an object:
//!
//! - `was`: the state that the last completed start described,
//! - `held`: the state that this start then found in the kernel,
//! - `now`: the current state of the kernel,
//! - `wanted`: the described state.
//!
//! An object stays untouched if its texts are unchanged. So causes follow from texts, too: a typed comparison would treat
//! objects as equal that the script treats as different.

mod command;
mod converge;
mod engine;
mod explainer;
mod facts;
mod found;
mod lists;
mod origin;
mod queues;
mod roots;
mod router;
mod step;
mod trees;
mod values;

pub use converge::{Steps, steps};
pub use router::Router;
pub use step::{Cause, ChangedValue, Object, Step, Tool};
