//! The [`Program`] as text: objects to words, words to lines, lines into the frame of the script.

use crate::tc::{Facts, Program};

/// The script. `source` is the YAML file's own name, without its folder.
#[must_use]
pub fn script(_program: &Program, _source: &str) -> String {
    String::new()
}

/// The lines for `tc -batch` on a router with these facts.
#[must_use]
pub fn batch(_program: &Program, _facts: Facts, _source: &str) -> String {
    String::new()
}
