//! Record of a link: its devices, and the names of its classes.

use qosc_compiler::diag::for_terminal;
use qosc_compiler::terms::{Direction, PerDirection};

/// A class with its name in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedClass {
    /// Minor number of the class id.
    pub(super) id: u16,
    /// Number of classes above it.
    pub(super) depth: usize,
    /// Name, safe to show.
    pub(super) name: String,
}

/// A link that a script of ours started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Name of the link, safe to show.
    pub(super) name: String,
    /// WAN device, and the ifb if downloads pass through one.
    pub(super) devices: PerDirection<Option<String>>,
    /// HTB classes, parents before children.
    pub(super) classes: PerDirection<Vec<NamedClass>>,
}

impl Record {
    /// Returns the record of a link without any lines.
    pub(super) fn new(name: &str) -> Record {
        Record { name: for_terminal(name), ..Record::default() }
    }

    /// Reads a line of the record.
    pub(super) fn read(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["wan", device] => self.devices.up = Some((*device).to_owned()),
            ["ifb", device] => self.devices.down = Some((*device).to_owned()),
            ["class", "add", "dev", device, "parent", parent, "classid", id, ..] => {
                let direction = if *device == "@ifb" { Direction::Down } else { Direction::Up };
                if let (Some(id), Some((_, comment))) = (minor(id), line.split_once(" # ")) {
                    let name = name(comment, &self.name);
                    let classes = self.classes.get_mut(direction);
                    let above =
                        minor(parent).and_then(|parent| classes.iter().find(|class| class.id == parent));
                    let depth = above.map_or(0, |above| above.depth + 1);
                    classes.push(NamedClass { id, depth, name });
                }
            }
            _ => {}
        }
    }
}

fn minor(id: &str) -> Option<u16> {
    u16::from_str_radix(id.strip_prefix("c05:")?, 16).ok()
}

/// Returns the name in a comment such as `voice (home.yaml:5)` or `home: all uploads (home.yaml:2)`.
fn name(comment: &str, link: &str) -> String {
    let name = comment.rsplit_once(" (").map_or(comment, |(name, _)| name);
    let own = name.strip_prefix(link).and_then(|rest| rest.strip_prefix(": "));
    for_terminal(own.unwrap_or(name))
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
