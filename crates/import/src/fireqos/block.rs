//! Interfaces and classes of a file.

use super::matches::Placed;
use super::params::Params;
use super::versions::Versions;
use crate::report::ImportReport;
use crate::text::Word;
use qosc_compiler::diag::Span;
use qosc_compiler::terms::Direction;
use qosc_compiler::units::IfName;

/// An interface of the file: one device, in one direction or in both.
pub(super) struct Interface {
    pub(super) device: IfName,
    pub(super) span: Span,
    /// Line behind its last statement.
    pub(super) end: u32,
    pub(super) directions: Vec<Direction>,
    pub(super) params: Params,
    /// Classes; a parent comes before the classes inside it.
    pub(super) nodes: Vec<Node>,
    /// Number of matches without `prio`.
    pub(super) matches: u32,
}

impl Interface {
    /// Reports that FireQOS deletes these directions, because a later interface has the same device and directions.
    pub(super) fn report_replaced(&self, directions: &[Direction], report: &mut ImportReport) {
        let loads: Vec<&str> = directions.iter().map(|direction| direction.loads()).collect();
        let (loads, device) = (loads.join(" and "), &self.device);
        let said =
            format!("a later interface for the {loads} of `{device}` replaces this one, as in FireQOS");
        if self.nodes.iter().any(|node| !node.added) {
            let said = format!("{said}, so its classes are lost");
            report.bad(self.span, said, "move its classes to the later interface, or remove this interface");
        } else {
            report.other(self.span, said, "remove this interface: the last one counts");
        }
    }

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
    /// FireQOS adds the class.
    pub(super) added: bool,
    pub(super) matches: Vec<Placed>,
}
