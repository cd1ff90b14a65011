//! Prints a [`Program`](crate::tc::Program) as text: objects become words, words become lines, and lines go into the
//! template of the script.

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
mod template;
mod template_advice;
mod template_error;
mod values;
mod words;

pub use carried::{Carried, Made, carried, is_script, made_by};
pub use lines::{batch, described, estimated_size};
pub use nft::{marks, marks_command};
pub use plain::{plain, plain_context, plain_with};
pub use runtime::engine;
pub use same_objects::same_objects;
pub use script::{Summary, Varied, context, digest_of, rendered, script, script_with};
pub use shell::{comment, quote};
pub use template::{MOST_RENDERED, Templates};
pub use template_error::{EmitError, TemplateError};
pub use values::{ClassValues, HostValues, TunnelValues, VERSION as CONTEXT_VERSION, Values};
pub use words::Reader;
