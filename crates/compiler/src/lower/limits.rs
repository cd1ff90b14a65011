//! Limits for the filters of one match.

/// Maximum number of comparisons per packet for one alternative in its family and direction, where a lookup in hash tables
/// counts as one. Also the maximum number of combinations of two lists.
pub(super) const COMPARED: usize = 4000;

/// Maximum number of selectors for one alternative in one family and direction, with or without a hash table. An
/// alternative therefore becomes at most 2^16 filters.
pub(super) const MOST: usize = 65_536;

/// Error: more selectors than [`MOST`], or more comparisons than [`COMPARED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLarge;
