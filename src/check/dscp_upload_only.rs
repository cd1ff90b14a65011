#![doc = include_str!("../rules/Q0504.md")]

use super::{Rule, of_classes};
use crate::diag::{Code, Diagnostic, FileId, Sink};
use crate::model::{Alternative, Direction, FileSection, Model};

pub(super) const RULE: Rule = Rule {
    name: "dscp-upload-only",
    codes: &[Code::DscpUploadOnly],
    sections: &[
        FileSection::Link,
        FileSection::Lan,
        FileSection::Hosts,
        FileSection::Classes,
        FileSection::Police,
        FileSection::Tuning,
    ],
    run: Some(run),
};

/// Largest number of places in the note.
const POINTED_AT: usize = 5;

fn run(model: &Model, sink: &mut Sink) {
    let remembered = model.marks.as_ref().is_some_and(|marks| marks.dscp.is_some());
    if !model.link.trust_dscp.value && !remembered && model.link.shapes(Direction::Down) {
        note(model, sink);
    }
}

/// Adds one note for the whole file. A built-in set counts only if it matches nothing else.
fn note(model: &Model, sink: &mut Sink) {
    let all = of_classes(model);
    let one_way = |a: &&&Alternative| !a.dscp.is_empty() && a.direction.is_none();
    let only_dscp = all.iter().filter(one_way).count() == all.len();
    let places: Vec<&&Alternative> =
        all.iter().filter(one_way).filter(|a| a.span.file == FileId::OWN || only_dscp).collect();
    let Some((first, others)) = places.split_first() else { return };
    let finding = Diagnostic::new(Code::DscpUploadOnly, first.span, "this `dscp` matches only uploads");
    let finding = finding.also_at(others.iter().take(POINTED_AT).map(|other| (other.span, "this one too")));
    sink.push(
        finding
            .help("any sender can set the DSCP of downloads; write `trust_dscp: true` in `link` to match it anyway")
            .help("if only uploads are meant, write `direction: up` in the match") .help("to match downloads by the DSCP that the LAN last sent on the connection, add an alternative with `direction: down`"),
    );
}
