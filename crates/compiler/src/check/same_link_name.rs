#![doc = include_str!("../../../../docs/rules/Q0615.md")]

use crate::diag::{Code, Diagnostic, Span, ticked};
use crate::tc::own_device_names;
use crate::units::LinkName;

/// Returns the finding that two files describe links with one name, or with long names that give their devices one
/// name. `span` is the name in the second file, or empty if the link is named after its file. `first` is the name in the
/// first file, and that file.
#[must_use]
pub fn same_link_name(name: &LinkName, span: Span, first: (&LinkName, &str)) -> Diagnostic {
    let (shown, other, file) = (ticked(name.as_str()), ticked(first.0.as_str()), ticked(first.1));
    if name != first.0 {
        let [device, ..] = own_device_names(name).map(|device| ticked(&device));
        let message = format!("link {shown} and link {other} of {file} both use the device {device}");
        return Diagnostic::new(Code::SameLinkName, span, message)
            .label("a device name has room for a part of a long link name")
            .help("write another `name` here");
    }
    let written = span.start < span.end;
    let allow = match written {
        true => format!("write `# qosc: allow({})` at the end of this line", Code::SameLinkName),
        false => format!("write `name: {name} # qosc: allow({})` in this file", Code::SameLinkName),
    };
    Diagnostic::new(Code::SameLinkName, span, format!("{file} already describes a link named {shown}"))
        .label(if written { "" } else { "a link without `name` is named after its file" })
        .help("if the files describe two links, write another `name` here: a script names all that it creates after its link")
        .help(format!("if both describe one line, such as by day and by night, and one is started at a time, keep the name and {allow}"))
}

#[cfg(test)]
#[path = "same_link_name_tests.rs"]
pub(super) mod tests;
