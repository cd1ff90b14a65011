//! Values as a file gives them.

use crate::diag::Spanned;
use crate::terms::PerDirection;

/// A value that may be given.
pub type Opt<T> = Option<Spanned<T>>;

/// A value or a list of them.
pub type Many<T> = Vec<Spanned<T>>;

/// A value for both directions, or one for each: `40mbit` or `{ up: 2mbit, down: 30mbit }`.
pub type Each<T> = PerDirection<Opt<T>>;
