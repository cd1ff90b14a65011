//! Values as a file gives them.

use crate::diag::Spanned;

/// A value that may be given.
pub type Opt<T> = Option<Spanned<T>>;

/// A value or a list of them.
pub type Many<T> = Vec<Spanned<T>>;

/// A value for both directions, or one for each: `40mbit` or `{ up: 2mbit, down: 30mbit }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawPerDirection<T> {
    /// For uploads.
    pub up: Opt<T>,
    /// For downloads.
    pub down: Opt<T>,
}

impl<T> Default for RawPerDirection<T> {
    fn default() -> Self {
        RawPerDirection { up: None, down: None }
    }
}
