//! The kinds of lines that have a profile, read once.

use crate::resolve::profile::{LinkProfile, find, names};
use std::sync::OnceLock;

/// All of them, in the order of their names.
pub(super) fn profiles() -> &'static [LinkProfile] {
    static PROFILES: OnceLock<Vec<LinkProfile>> = OnceLock::new();
    PROFILES.get_or_init(|| names().into_iter().filter_map(find).collect())
}
