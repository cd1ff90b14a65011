//! Interfaces and classes of a file.

use super::matches::{Placed, Versions};
use super::params::Params;
use crate::text::Word;
use qosc_compiler::diag::Span;
use qosc_compiler::terms::Direction;
use qosc_compiler::units::IfName;

/// An interface of the file: one device, in one direction or in both.
pub(super) struct Interface {
    pub(super) device: IfName,
    pub(super) span: Span,
    pub(super) directions: Vec<Direction>,
    pub(super) params: Params,
    /// Classes; a parent comes before the classes inside it.
    pub(super) nodes: Vec<Node>,
    /// Number of matches without `prio`.
    pub(super) matches: u32,
}

impl Interface {
    /// Returns the place of a match in the order of all matches. FireQOS does not count those with `prio`.
    pub(super) fn order(&mut self, words: &[Word]) -> u32 {
        self.matches += u32::from(!words.iter().any(|word| word.text == "prio"));
        self.matches.saturating_mul(10)
    }
}

/// A class.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) parent: Option<usize>,
    pub(super) params: Params,
    pub(super) versions: Versions,
    pub(super) matches: Vec<Placed>,
}
