//! Rules: the packets of one class in the kernel, as lists of filters need them.

use super::hashed::LEAST;
use super::limits::{COMPARED, MOST};
use super::match_set::MatchSet;
use crate::diag::{Code, Diagnostic, Span};
use crate::model::{Alternative, Class, ClassId, Host, Leaf, PerDirection};
use crate::tc::{Classifier, FilterProtocol, Lone, Selector, Table};
use crate::units::Family;

/// Alternatives that must all hold, from the outermost class to the innermost one, and the host if the packets belong
/// to one.
#[derive(Clone)]
pub(super) struct Conjunction<'a> {
    pub(super) parts: Vec<&'a Alternative>,
    pub(super) host: Option<&'a Host>,
    pub(super) match_set: MatchSet,
}

/// Packets for one leaf. If hosts have classes there, these come first.
pub(super) struct Rule<'a> {
    pub(super) destinations: Vec<Destination<'a>>,
}

/// Packets for one class in the kernel.
pub(super) struct Destination<'a> {
    /// The leaf class in the model.
    pub(super) class: &'a Class,
    pub(super) leaf: &'a Leaf,
    /// Name of the host class, if the packets go to one.
    pub(super) own: &'a str,
    /// Id of the class, in the directions in which it exists.
    pub(super) to: PerDirection<Option<ClassId>>,
    pub(super) any: Vec<Conjunction<'a>>,
}

/// A selector of a rule in the form for one family, and its destination.
pub(super) struct Pick<'r, 'a> {
    pub(super) destination: &'r Destination<'a>,
    pub(super) to: ClassId,
    pub(super) conjunction: &'r Conjunction<'a>,
    pub(super) family: Family,
    pub(super) protocol: FilterProtocol,
    pub(super) selector: Selector,
}

impl Pick<'_, '_> {
    /// Returns the hash table that could hold the selector; `None` if none can.
    pub(super) fn table(&self) -> Option<Table> {
        self.selector.lone(self.protocol).map(Lone::table)
    }
}

/// Contents of one hash table preference, or a sequence of u32 filters.
pub(super) struct Run<'r, 'a> {
    pub(super) classifier: Classifier,
    pub(super) picks: Vec<Pick<'r, 'a>>,
}

/// Splits the selectors of a rule into runs; each run becomes one table or one sequence.
pub(super) fn runs<'r, 'a>(picks: Vec<Pick<'r, 'a>>) -> Vec<Run<'r, 'a>> {
    let mut runs: Vec<(Option<Table>, Vec<Pick<'r, 'a>>)> = Vec::new();
    for pick in picks {
        let table = pick.table();
        match runs.last_mut() {
            Some((own, run)) if *own == table => run.push(pick),
            _ => runs.push((table, vec![pick])),
        }
    }
    let run = |(table, picks): (Option<Table>, Vec<Pick<'r, 'a>>)| {
        let table = table.filter(|_| picks.len() >= LEAST);
        let classifier = table.map_or(Classifier::U32, |table| table.classifier);
        Run { classifier, picks }
    };
    runs.into_iter().map(run).collect()
}

/// Returns the finding that a match needs too many filters.
pub(super) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new(Code::MatchTooLarge, span, format!("this match needs more than {COMPARED} filters"))
        .label("each combination of its values needs a filter of its own")
        .help(format!(
            "write aligned ranges and prefixes, such as `6880-6911` or `10.0.0.0/24`, or split the match into several \
             classes; a match on hosts alone, without ports or protocols, can have {MOST} filters"
        ))
}
