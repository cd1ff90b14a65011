//! Converge steps: the commands with which a script's `start` brings a router from its observed to its described state.
//!
//! The script's own engine finds the steps (see [`crate::engine`]). This module describes them for people: the object of
//! each step, its name and place in the YAML, its cost and its cause. It decides nothing.
//!
//! The engine leaves an object alone if its text is unchanged. So causes follow from lines of text, too: a typed comparison
//! would treat texts as equal that the engine treats as different.

mod describe;
mod facts;
mod filters;
mod origin;
mod reasons;
mod step;
mod tree;
mod values;

pub use describe::{Steps, steps};
pub use step::{Cause, Object, Step, Tool, Value};
pub(crate) use values::option;
