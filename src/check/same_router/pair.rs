//! Two files for one router.

use super::claims::Claims;
use crate::diag::Span;

/// Two files, in the order of the command line.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) first: &'a Claims,
    pub(super) second: &'a Claims,
}

impl<'a> Pair<'a> {
    /// Returns the pair in both orders, for rules that treat the two files differently.
    pub(super) fn roles(self) -> [(&'a Claims, &'a Claims); 2] {
        [(self.first, self.second), (self.second, self.first)]
    }

    /// Text of a place in one of the two files, for a message beside the primary place.
    pub(super) fn at(self, claims: &Claims, span: Span) -> String {
        match std::ptr::eq(claims, self.second) {
            true => "here".to_owned(),
            false => claims.at(span),
        }
    }
}
