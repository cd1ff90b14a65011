//! Built-in class sets from `profiles/classes/`.

use super::folder;
use include_dir::{Dir, include_dir};

static CLASSES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../profiles/classes");

/// Returns the names of all class sets in alphabetical order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    folder::names(&CLASSES)
}

/// Returns the text of a class set.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    folder::text(&CLASSES, name)
}
