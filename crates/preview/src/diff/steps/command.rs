//! Commands of the script, and the objects that they act on.

use super::router::Router;
use super::step::{Object, Tool};
use qosc_compiler::tc::{Dev, Hook};

/// A command, split into words.
#[derive(Debug)]
pub(super) struct Command<'c> {
    pub(super) tool: Tool,
    words: Vec<&'c str>,
    /// Comment that names the origin; empty if there is none.
    pub(super) from: &'c str,
}

impl<'c> Command<'c> {
    pub(super) fn read(line: &'c str) -> Command<'c> {
        let (line, from) = line.split_once(" # ").unwrap_or((line, ""));
        let (tool, words) = line.split_once(' ').unwrap_or((line, ""));
        let tool = if tool == "ip" { Tool::Ip } else { Tool::Tc };
        Command { tool, words: words.split(' ').collect(), from }
    }

    pub(super) fn word(&self, number: usize) -> &'c str {
        self.words.get(number).copied().unwrap_or_default()
    }

    pub(super) fn verb(&self) -> &'c str {
        self.word(1)
    }

    pub(super) fn last(&self) -> &'c str {
        self.words.last().copied().unwrap_or_default()
    }

    /// Returns the class of a command for a class, and else the parent of the object.
    pub(super) fn id(&self) -> &'c str {
        let at = self.words.iter().position(|word| *word == "classid");
        self.word(at.filter(|_| self.word(0) == "class").map_or(5, |at| at + 1))
    }

    /// Returns the object, with the ids of slot a. `target` is the ifb for downloads.
    pub(super) fn object(&self, router: &Router, target: &str) -> Object {
        let device = self.word(3);
        if self.tool == Tool::Ip {
            let is_queue = self.verb() == "set" && !self.words.contains(&"alias");
            return if is_queue { Object::Txqueuelen } else { Object::Ifb { name: device.to_owned() } };
        }
        let dev = match device {
            _ if device == target => Dev::Ifb,
            _ if device == router.up() || device == router.wan => Dev::Wan,
            _ => return Object::Tunnel { device: device.to_owned() },
        };
        let id = slot_a(self.id());
        match (self.word(0), self.word(4)) {
            ("filter", "ingress") => Object::Filters { dev, hook: Hook::Ingress },
            ("filter", "egress") => Object::Filters { dev, hook: Hook::Egress },
            ("filter", _) => Object::Filters { dev, hook: Hook::Root },
            ("class", _) => Object::Class { dev, id },
            (_, "root") => Object::Root { dev },
            (_, "clsact" | "ingress") => Object::Hooks,
            _ => Object::Leaf { dev, id },
        }
    }

    /// Returns `true` for the entry of a slot or of a chain: the commands of other filters in a tree name a chain.
    pub(super) fn is_entry(&self) -> bool {
        self.word(0) == "filter" && self.word(6) == "pref"
    }
}

/// Returns the id of the class in slot a: the first of its four hex digits is even.
fn slot_a(id: &str) -> String {
    let digit = id.strip_prefix("c05:").filter(|minor| minor.len() == 4).and_then(|minor| minor.get(..1));
    match digit.and_then(|digit| u8::from_str_radix(digit, 16).ok()) {
        Some(digit) if digit > 1 => format!("c05:{:x}{}", digit & !1, id.get(5..).unwrap_or_default()),
        _ => id.to_owned(),
    }
}
