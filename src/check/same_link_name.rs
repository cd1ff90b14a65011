#![doc = include_str!("../rules/Q0615.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Span, ticked};

pub(super) const RULE: Rule =
    Rule { name: "same-link-name", codes: &[Code::SameLinkName], sections: &[], run: None };

/// Returns the finding that two files describe links with the same name. `span` is the name in the second file, or
/// empty if the link is named after its file; `first` is the first file.
#[must_use]
pub fn same_link_name(name: &str, span: Span, first: &str) -> Diagnostic {
    let message = format!("the link {} is described by {} already", ticked(name), ticked(first));
    let label = if span.start < span.end { "" } else { "a link without `name` is called after its file" };
    Diagnostic::new(Code::SameLinkName, span, message)
        .label(label)
        .help("what a script makes on a router is called after its link: give each a `name` of its own")
}

#[cfg(test)]
#[path = "same_link_name_tests.rs"]
pub(super) mod tests;
