use super::same_link_name;
use crate::diag::{Code, Diagnostic, FileId, Span};
use std::collections::BTreeSet;

fn found() -> Diagnostic {
    same_link_name("home", Span { file: FileId::OWN, start: 6, end: 10, line: 1, column: 7 }, "night.yaml")
}

/// Codes of the findings that are tested here.
pub(in crate::check) fn codes_of_samples() -> BTreeSet<Code> {
    [found().code].into()
}
