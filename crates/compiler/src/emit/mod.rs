//! Prints a [`Program`](crate::tc::Program) as text: objects become words, words become lines, and lines go into the
//! frame of the script.

mod carried;
mod lines;
mod matches;
mod nft;
mod plain;
mod probe;
mod runtime;
mod same_objects;
mod script;
mod shares;
mod shell;
mod summary;
mod words;

pub use carried::{Carried, Made, carried, made_by};
pub use lines::{batch, described, estimated_size};
pub use nft::{marks, marks_command};
pub use plain::plain;
pub use runtime::engine;
pub use same_objects::same_objects;
pub use script::{digest_of, script};
pub use shell::{comment, quote};
pub use summary::{Summary, Varied};
pub use words::Reader;
