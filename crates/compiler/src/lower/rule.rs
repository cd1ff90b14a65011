//! Rules: the packets of one class in the kernel, as lists of filters need them.

use super::hashed::{LEAST, MARKS, SPARED};
use super::limits::{COMPARED, MOST};
use super::match_set::MatchSet;
use crate::diag::{Code, Diagnostic, Span};
use crate::model::{Alternative, Class, ClassId, Host, Leaf, PerDirection};
use crate::tc::{Classifier, FilterProtocol, HashTable, MOST_IN_ROW, Selector, Table};
use crate::units::Family;
use std::collections::BTreeSet;

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

/// Contents of one hash table preference, or a sequence of u32 filters.
pub(super) struct Run<'r, 'a> {
    pub(super) classifier: Classifier,
    pub(super) picks: Vec<Pick<'r, 'a>>,
}

/// Number of runs that a selector may pass on its way to its table.
const PASSED: usize = 64;

/// Splits the selectors of all rules into runs; each run becomes one preference with tables, or a sequence. `free` is the
/// number of tables that the direction may still have.
pub(super) fn runs<'r, 'a>(picks: Vec<Pick<'r, 'a>>, free: &mut usize) -> Vec<Run<'r, 'a>> {
    let selectors = |places: &[usize]| -> Vec<&Selector> {
        places.iter().filter_map(|place| Some(&picks.get(*place)?.selector)).collect()
    };
    // no selector moves for a table that is no good anyway
    let mut good: BTreeSet<Table> = picks.iter().filter_map(|pick| pick.selector.table()).collect();
    let (runs, counts) = loop {
        let runs = split(&picks, &good);
        let count = |run: &Places| tables(run.table.as_ref()?, &selectors(&run.places));
        let counts: Vec<Option<usize>> = runs.iter().map(count).collect();
        let kept = runs.iter().zip(&counts).filter(|(_, count)| count.is_some());
        let kept: BTreeSet<Table> = kept.filter_map(|(run, _)| run.table.clone()).collect();
        if kept == good {
            break (runs, counts);
        }
        good = kept;
    };
    let classifier = |(run, count): (&Places, Option<usize>)| {
        *free = free.checked_sub(count?)?;
        Some(run.table.as_ref()?.classifier)
    };
    let classifiers: Vec<Option<Classifier>> = runs.iter().zip(counts).map(classifier).collect();
    let mut picks: Vec<Option<Pick<'r, 'a>>> = picks.into_iter().map(Some).collect();
    let taken = runs.into_iter().zip(classifiers).map(|(run, classifier)| Run {
        classifier: classifier.unwrap_or(Classifier::U32),
        picks: run.places.into_iter().filter_map(|place| picks.get_mut(place)?.take()).collect(),
    });
    taken.collect()
}

/// A run before its table is judged.
struct Places {
    table: Option<Table>,
    places: Vec<usize>,
    is_one_class: bool,
}

/// Splits selectors into runs for these tables. A selector moves forward to the last run for its table if everything
/// between them leads to the same class.
fn split(picks: &[Pick<'_, '_>], good: &BTreeSet<Table>) -> Vec<Places> {
    let mut runs: Vec<Places> = Vec::new();
    for (place, pick) in picks.iter().enumerate() {
        let table = pick.selector.table().filter(|table| good.contains(table));
        let leads_to = |run: &Places| run.places.first().and_then(|first| Some(picks.get(*first)?.to));
        let mut is_found = false;
        for run in runs.iter_mut().rev().take(PASSED) {
            let is_same = run.is_one_class && leads_to(run) == Some(pick.to);
            is_found = run.table == table;
            if is_found {
                run.is_one_class = is_same;
                run.places.push(place);
            }
            if is_found || table.is_none() || !is_same {
                break;
            }
        }
        if !is_found {
            runs.push(Places { table, places: vec![place], is_one_class: true });
        }
    }
    runs
}

/// Returns the number of hash tables of u32 for a list. `None` if a list without tables is better.
fn tables(table: &Table, list: &[&Selector]) -> Option<usize> {
    if table.classifier != Classifier::Hash {
        // each list of marks takes a preference
        return (list.len() >= MARKS).then_some(0);
    }
    let most = list.len().checked_sub(SPARED).filter(|_| list.len() >= LEAST)?;
    let hashed = HashTable::of(list)?;
    (hashed.longest() <= most.min(MOST_IN_ROW)).then(|| hashed.tables())
}

/// Returns the finding that a match needs too many filters.
pub(super) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new(Code::MatchTooLarge, span, format!("this match needs more than {COMPARED} filters"))
        .label("each combination of its values needs a filter of its own")
        .help(format!(
            "write aligned ranges and prefixes, such as `6880-6911` or `10.0.0.0/24`, or split the match into several \
             classes; a match of a class outside of tunnels can have {MOST} filters"
        ))
}
