//! Converge steps: the commands with which a script's `start` brings a router from its observed to its described state.
//!
//! [`steps`] runs the awk programs of the script (`templates/runtime/`) on the texts of a dump, so the commands are those
//! of `start`. This module adds the object, cost and cause of each command. They follow from three texts of an object:
//!
//! - `was`: the state that the last completed start described,
//! - `now`: the current state of the kernel,
//! - `wanted`: the described state,
//!
//! and from whether the kernel shows the place of the object as it did after that start. If it does not, `start` sets all
//! of the place again.

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
