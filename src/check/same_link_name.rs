#![doc = include_str!("../rules/Q0615.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Span, ticked};

pub(super) const RULE: Rule =
    Rule { name: "same-link-name", codes: &[Code::SameLinkName], sections: &[], run: None };

/// Returns the finding that two files describe links with the same name. `span` is the name in the second file, or
/// empty if the link is named after its file; `first` is the first file.
#[must_use]
pub fn same_link_name(name: &str, span: Span, first: &str) -> Diagnostic {
    let written = span.start < span.end;
    let allow = match written {
        true => format!("write `# qosc: allow({})` at the end of this line", Code::SameLinkName),
        false => format!("write `name: {name} # qosc: allow({})` in this file", Code::SameLinkName),
    };
    let message = format!("{} already describes a link named {}", ticked(first), ticked(name));
    Diagnostic::new(Code::SameLinkName, span, message)
        .label(if written { "" } else { "a link without `name` is named after its file" })
        .help("if the files describe two links, write another `name` here: a script names all that it creates after its link")
        .help(format!("if both describe one line, such as by day and by night, and one is started at a time, keep the name and {allow}"))
}

#[cfg(test)]
#[path = "same_link_name_tests.rs"]
pub(super) mod tests;
