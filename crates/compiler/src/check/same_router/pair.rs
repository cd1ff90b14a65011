//! Two files for one router.

use super::claims::Claims;
use crate::diag::{Code, Diagnostic, FileId, Span};

/// Placeholder for the first file in the findings on a pair, until it has an id in the sources of the second file.
pub(super) const FIRST: FileId = FileId(u16::MAX);

/// Two files, in the order of the command line.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) first: &'a Claims,
    pub(super) second: &'a Claims,
}

/// The files of a pair in one of both orders, for rules that treat them differently.
pub(super) type Roles<'a> = (&'a Claims, &'a Claims);

impl<'a> Pair<'a> {
    /// Returns the pair in both orders.
    pub(super) fn roles(self) -> [Roles<'a>; 2] {
        [(self.first, self.second), (self.second, self.first)]
    }

    /// Text of a place in one of the two files, for a message beside the primary place.
    pub(super) fn at(self, claims: &Claims, span: Span) -> String {
        match std::ptr::eq(claims, self.second) {
            true => "here".to_owned(),
            false => claims.at(span),
        }
    }

    /// Returns a finding with a place in each file. That in the second file is the primary one.
    pub(super) fn finding(
        self,
        code: Code,
        message: String,
        [one, other]: [(&Claims, Span, String); 2],
        help: impl Into<String>,
    ) -> Diagnostic {
        let is_first = std::ptr::eq(one.0, self.first);
        let ((_, here, label), (_, there, also)) = if is_first { (other, one) } else { (one, other) };
        let there = Span { file: FIRST, ..there };
        Diagnostic::new(code, here, message).label(label).also(there, also).help(help)
    }
}
