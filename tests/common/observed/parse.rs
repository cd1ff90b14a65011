//! Converts the text of `tc -d` into kernel objects.

use super::filter::Filters;
use super::held::{Held, is_ifb, is_uploads_ifb};
use super::{class, qdisc};
use qosc_compiler::tc::{Dev, Hook, ROOT};
use qosc_compiler::units::IfName;
use qosc_preview::live::MARK;

/// Command that printed the following lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Qdiscs(Dev),
    Classes(Dev),
    Filters(Dev, Hook),
    Other,
}

/// Reads a dump: the output of `tc -d qdisc show dev D`, `tc -d class show dev D parent c05:` and
/// `tc -d filter show dev D parent c05:` (or `c05:a000`, `c05:b000`, `ingress`, `egress`).
///
/// A line with [`MARK`] and the command precedes each output. Everything else ends up in [`Held::other`].
#[must_use]
pub fn parse(wan: &IfName, ifb: &IfName, dump: &str) -> Held {
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
    filters.follow_links(&mut held);
    held
}

fn section_of(command: &str, wan: &IfName, ifb: &IfName) -> Section {
    let words: Vec<&str> = command.split_whitespace().collect();
    let after = |word: &str| words.iter().skip_while(|own| **own != word).nth(1).copied();
    let dev = match after("dev") {
        Some(name) if name == wan.as_str() || is_uploads_ifb(name, ifb) => Dev::Wan,
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
        Some(&"filter") if after("parent").is_some_and(|parent| parent.starts_with(&our_root)) => {
            Section::Filters(dev, Hook::Root)
        }
        _ => Section::Other,
    }
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
