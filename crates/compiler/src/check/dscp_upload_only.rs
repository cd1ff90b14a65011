#![doc = include_str!("../../../../docs/rules/Q0504.md")]

use super::of_classes;
use crate::diag::{Code, Diagnostic};
use crate::model::{Alternative, Direction, Model};

/// Largest number of places in the note.
const POINTED_AT: usize = 5;

/// Returns one note for the whole file. A built-in set counts only if it matches nothing else.
pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let remembered = model.marks.as_ref().is_some_and(|marks| marks.dscp.is_some());
    if model.link.trust_dscp.value || remembered || !model.link.shapes(Direction::Down) {
        return None;
    }
    let all = of_classes(model);
    let one_way = |a: &&&Alternative| !a.dscp.is_empty() && a.direction.is_none();
    let only_dscp = all.iter().filter(one_way).count() == all.len();
    let places: Vec<&&Alternative> =
        all.iter().filter(one_way).filter(|a| a.span.is_own() || only_dscp).collect();
    let (first, others) = places.split_first()?;
    let others = others.iter().take(POINTED_AT).map(|other| (other.span, "this one too"));
    Some(
        Diagnostic::new(Code::DscpUploadOnly, first.span, "this `dscp` matches only uploads")
            .also_at(others)
            .help("any sender can set the DSCP of downloads; write `trust_dscp: true` in `link` to match it anyway")
            .help("if only uploads are meant, write `direction: up` in the match") .help("to match downloads by the DSCP that the LAN last sent on the connection, add an alternative with `direction: down`"),
    )
}
