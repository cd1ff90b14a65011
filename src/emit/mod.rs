//! The [`Program`](crate::tc::Program) as text: objects to words, words to lines, lines into the frame of the script.

mod lines;
mod matches;
mod probe;
mod script;
mod shell;
mod words;

pub use lines::batch;
pub use script::{EmitError, Summary, script};
pub use words::Reader;
