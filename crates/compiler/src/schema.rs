//! JSON Schema of a configuration, for editors.
//!
//! A test derives `schema/qosc.schema.json` from the types that a file is read into. The program contains the file.
//!
//! The schema is Draft-07, which the language servers of editors support. It rejects what a single key shows: unknown
//! keys, invalid values, missing keys. Only `check` compares two places or calculates.

use crate::carried;

/// Returns the schema as it is printed and checked in.
#[must_use]
pub fn text() -> &'static str {
    carried::text("qosc.schema.json").unwrap_or_default()
}

#[cfg(test)]
mod derived_tests;
