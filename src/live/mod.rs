//! What a kernel holds, read back from the text that tc prints.

mod parse;

pub use parse::{Held, parse};
