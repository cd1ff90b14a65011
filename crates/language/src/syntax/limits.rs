//! Limits of a file, and ranges of numbers for the readers of keys and for the schema.

pub(super) use crate::terms::limits::MTU;
use std::ops::RangeInclusive;

/// Size in bytes of the largest file that is read. 12,000 classes with several matches each fit into it. With a
/// larger limit, a hostile file could take more than 2 s, or 300 MB.
pub const MAX_BYTES: usize = 4 << 20;

/// Help for an empty file or a missing `link`.
pub(super) const SMALLEST_FILE_HELP: &str =
    "the smallest valid file is `link: { device: ppp0, up: 6mbit, down: 25mbit }`";

/// Number of characters in a name.
pub(super) const NAME: RangeInclusive<u32> = 1..=64;
