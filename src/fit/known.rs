//! Profiles of known kinds of lines, read once.

use crate::profile::{LinkProfile, find, names};
use std::sync::OnceLock;

/// Returns all profiles, in the order of their names.
pub(super) fn profiles() -> &'static [LinkProfile] {
    static PROFILES: OnceLock<Vec<LinkProfile>> = OnceLock::new();
    PROFILES.get_or_init(|| names().into_iter().filter_map(find).collect())
}
