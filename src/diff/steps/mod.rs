//! The commands that bring a router from what it holds to what is described: what a script's `start` would run.
//!
//! The script works them out by itself, in awk (`templates/lib/converge.sh`), from four texts: what its last completed
//! start described (`was`) and then found in the kernel (`held`), what the kernel holds (`now`), and what is described
//! (`wanted`). Here is the same once more, so that `plan` says what `start` does: the same steps, in the same order, to
//! the byte; tests hold the two against each other. Whether an object stays is decided there by whether its text is the
//! same, so the objects here are keys (device, class, list of filters) and lines of text, too: a typed comparison would
//! find the same what the script finds to differ.

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
