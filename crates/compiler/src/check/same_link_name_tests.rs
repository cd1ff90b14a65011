use super::same_link_name;
use crate::diag::{Code, Diagnostic, FileId, Span};
use std::collections::BTreeSet;

fn found() -> Diagnostic {
    let home = "home".parse().unwrap();
    let span = Span { file: FileId::OWN, start: 6, end: 10, line: 1, column: 7 };
    same_link_name(&home, span, (&home, "night.yaml"))
}

/// Codes of the findings that are tested here.
pub(in crate::check) fn codes_of_samples() -> BTreeSet<Code> {
    [found().code].into()
}

#[test]
fn two_files_for_one_line_may_keep_the_name() {
    let [links, line] = found().help.try_into().unwrap();
    assert!(links.contains("another `name`"), "{links}");
    assert!(line.contains("keep the name and write `# qosc: allow(Q0615)`"), "{line}");
    let start = Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 };
    let home = "home".parse().unwrap();
    let unnamed = same_link_name(&home, start, (&home, "day/home.yaml")).help;
    assert!(unnamed[1].contains("write `name: home # qosc: allow(Q0615)`"), "{unnamed:?}");
}
