//! Converts the text of `tc -d` into kernel objects.

use super::filter::Filters;
use super::{class, json, qdisc};
use crate::tc::{Dev, Filter, Hook, HtbClass, Qdisc, ROOT};
use crate::units::IfName;

/// Marks the line before the output of each command.
pub const MARK: &str = "==> ";

/// Kernel objects on the two devices of a link.
///
/// Values that tc does not print are 0 or empty. These are the priority and quantum of a parent class, the `mpu` of a
/// policer, and the origin of each object.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Held {
    /// Qdiscs of the kinds and in the places that the script uses.
    pub qdiscs: Vec<Qdisc>,
    /// Classes of the script's own HTB roots.
    pub classes: Vec<HtbClass>,
    /// Filters of the script's form, in the kernel's order within a hook and preference.
    pub filters: Vec<Filter>,
    /// Objects in the script's own roots that the script does not create in this form. Each entry is the first line of
    /// an object.
    pub foreign: Vec<String>,
    /// All other lines.
    pub other: Vec<String>,
}

/// Command that printed the following lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Qdiscs(Dev),
    Classes(Dev),
    Filters(Dev, Hook),
    Other,
}

/// Reads a dump: the output of `tc -d qdisc show dev D`, `tc -d class show dev D parent c05:` and
/// `tc -d filter show dev D parent c05:` (or `ingress`, or `egress`).
///
/// It accepts the text of iproute2 and the JSON of `-j`. A line with [`MARK`] and the command precedes each output.
/// Everything else ends up in [`Held::other`].
#[must_use]
pub fn parse(wan: &IfName, ifb: &IfName, dump: &str) -> Held {
    let dump = &json::as_text(dump);
    let mut held = Held::default();
    let mut section = Section::Other;
    let mut filters = Filters::default();
    for line in dump.lines() {
        let line = line.trim_end();
        if let Some(command) = line.strip_prefix(MARK) {
            filters.finish(&mut held);
            section = section_of(command, wan, ifb);
        } else if !line.is_empty() {
            match section {
                Section::Qdiscs(dev) => qdisc::line(dev, line, &mut held),
                Section::Classes(dev) => class_line(dev, line, &mut held),
                Section::Filters(dev, hook) => filters.line((dev, hook), (wan, ifb), line, &mut held),
                Section::Other => held.other.push(line.to_owned()),
            }
        }
    }
    filters.finish(&mut held);
    held
}

fn section_of(command: &str, wan: &IfName, ifb: &IfName) -> Section {
    let words: Vec<&str> = command.split_whitespace().collect();
    let after = |word: &str| words.iter().skip_while(|own| **own != word).nth(1).copied();
    let dev = match after("dev") {
        Some(name) if name == wan.as_str() => Dev::Wan,
        Some(name) if is_ifb(name, ifb) => Dev::Ifb,
        _ => return Section::Other,
    };
    let our_root = format!("{ROOT:x}:");
    let object = words.iter().find(|word| ["qdisc", "class", "filter"].contains(*word));
    match object {
        Some(&"qdisc") => Section::Qdiscs(dev),
        Some(&"class") => Section::Classes(dev),
        Some(&"filter") if words.contains(&"ingress") => Section::Filters(dev, Hook::Ingress),
        Some(&"filter") if words.contains(&"egress") => Section::Filters(dev, Hook::Egress),
        Some(&"filter") if after("parent") == Some(our_root.as_str()) => Section::Filters(dev, Hook::Root),
        _ => Section::Other,
    }
}

/// Returns `true` if the device is one of the two that can serve the ingress of a link: `ifb-home`, or `ifb2-home`
/// after a rebuild.
pub(super) fn is_ifb(name: &str, ifb: &IfName) -> bool {
    let second = |own: &str| name.strip_prefix("ifb2-") == own.strip_prefix("ifb-");
    name == ifb.as_str() || (name.starts_with("ifb2-") && second(ifb.as_str()))
}

fn class_line(dev: Dev, line: &str, held: &mut Held) {
    match class::parse(dev, line) {
        class::Line::Ours(class) => held.classes.push(class),
        class::Line::Strange => held.foreign.push(line.to_owned()),
        class::Line::Other => held.other.push(line.to_owned()),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
