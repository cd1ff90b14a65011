//! The JSON Schema of a configuration, for editors.
//!
//! `schema/qosc.schema.json` is derived from the types that a file is read into, with the cargo feature `schema`; a test
//! compares the two. The program carries the file, so that a build needs no crate for deriving it.
//!
//! Draft-07, which the language servers of editors know. The schema rejects what a single key shows: unknown keys, invalid
//! values, missing keys. `check` alone compares two places or calculates.

use crate::carried;

#[cfg(feature = "schema")]
mod derived;

#[cfg(feature = "schema")]
pub use derived::schema;

/// The schema as it is printed and checked in.
#[must_use]
pub fn text() -> &'static str {
    carried::text("qosc.schema.json").unwrap_or_default()
}
