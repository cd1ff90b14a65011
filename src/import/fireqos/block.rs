//! Interfaces and classes of a file.

use super::matches::Alternatives;
use super::params::Params;
use super::versions::Versions;
use crate::diag::Span;
use crate::terms::Direction;
use crate::units::IfName;

/// An interface of the file: one device, in one direction or in both.
pub(super) struct Interface {
    pub(super) device: IfName,
    pub(super) span: Span,
    pub(super) directions: Vec<Direction>,
    pub(super) params: Params,
    /// Classes; a parent comes before the classes inside it.
    pub(super) nodes: Vec<Node>,
    /// Number of matches.
    pub(super) matches: u32,
}

/// A class.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) parent: Option<usize>,
    pub(super) params: Params,
    pub(super) versions: Versions,
    /// Position in the order of all matches, and the match in each direction of the interface.
    pub(super) matches: Vec<(u32, Alternatives)>,
}
