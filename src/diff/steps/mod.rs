//! Converge steps: the commands with which a script's `start` brings a router from its observed to its described state.
//!
//! [`steps`] decides as the script's awk program does (`templates/runtime/steps.awk`), and `tests/script/steps/` compares
//! both. The steps follow from four texts:
//!
//! - `was`: the state that the last completed start described,
//! - `held`: the state that this start then found in the kernel,
//! - `now`: the current state of the kernel,
//! - `want`: the described state.
//!
//! An object stays untouched if its texts are unchanged. So causes follow from texts, too: a typed comparison would treat
//! objects as equal that the script treats as different.

mod chains;
mod converge;
mod described;
mod direction;
mod filters;
mod hooks;
mod normal;
mod observed;
mod origin;
mod others;
mod reasons;
mod router;
mod sides;
mod step;
mod values;
mod writer;

pub use converge::{Steps, steps};
pub use router::Router;
pub use step::{Cause, Object, Step, Tool, Value};
