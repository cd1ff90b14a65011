//! Described state: the lines that a script recorded at its last completed start, and those of the current program.

use crate::tc::Dev;
use std::collections::{BTreeMap, BTreeSet};

/// A line without its comment, and the comment itself: the name and the place in the YAML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) words: String,
    pub(super) from: String,
}

impl Line {
    fn of(line: &str) -> Line {
        let (words, from) = line.split_once(" # ").unwrap_or((line, ""));
        Line { words: words.to_owned(), from: from.to_owned() }
    }
}

/// Name of a tunnel's device. The kernel limits it to 15 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tunnel([u8; 15]);

impl Tunnel {
    /// Returns `None` if no device can have this name.
    pub(super) fn named(name: &str) -> Option<Tunnel> {
        let mut bytes = [0; 15];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Tunnel(bytes))
    }
}

impl std::fmt::Display for Tunnel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(String::from_utf8_lossy(&self.0).trim_end_matches('\0'))
    }
}

/// Filter list: the filters of one place, which classify a packet one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum List {
    Root(Dev),
    Ingress,
    Egress,
    /// List at the ingress of a tunnel's device.
    Tunnel(Tunnel),
}

impl List {
    /// Device that has the filters, or the WAN device for the filters of a tunnel.
    pub(super) const fn dev(self) -> Dev {
        match self {
            List::Root(dev) => dev,
            List::Ingress | List::Egress | List::Tunnel(_) => Dev::Wan,
        }
    }
}

/// Described tree of a direction.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) root: Option<Line>,
    /// Class ids, parents before children.
    pub(super) order: Vec<String>,
    pub(super) classes: BTreeMap<String, Class>,
    /// Leaf qdiscs by the id of their class.
    pub(super) leaves: BTreeMap<String, Line>,
    parents: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct Class {
    pub(super) line: Line,
    pub(super) parent: String,
}

impl Tree {
    pub(super) fn has_kids(&self, id: &str) -> bool {
        self.parents.contains(id)
    }

    /// Returns the words of a class.
    pub(super) fn class(&self, id: &str) -> Option<&str> {
        self.classes.get(id).map(|class| class.line.words.as_str())
    }

    /// Returns the words of a leaf qdisc.
    pub(super) fn leaf(&self, id: &str) -> Option<&str> {
        self.leaves.get(id).map(|line| line.words.as_str())
    }

    /// Returns the name of a class from the comment of its line, without the place.
    pub(super) fn name(&self, id: &str) -> Option<&str> {
        self.classes.get(id).map(|class| name(&class.line.from))
    }
}

/// Returns a comment without the place at its end: `voice` for `voice (home.yaml:28)`.
pub(super) fn name(from: &str) -> &str {
    match from.rsplit_once(" (") {
        Some((name, place)) if place.ends_with(')') => name,
        _ => from,
    }
}

/// Returns the place at the end of a comment, such as `home.yaml:28`.
pub(super) fn place(from: &str) -> Option<&str> {
    from.rsplit_once(" (")?.1.strip_suffix(')').filter(|place| place.contains(':'))
}

/// All described objects.
#[derive(Debug, Default)]
pub(super) struct Described {
    pub(super) wan: Tree,
    pub(super) ifb: Tree,
    pub(super) filters: BTreeMap<List, Vec<Line>>,
}

impl Described {
    /// Reads the lines of `described`. They have the form for `tc -batch`, with `@wan` and `@ifb` as device names.
    pub(super) fn read(text: &str) -> Described {
        let mut described = Described::default();
        text.lines().for_each(|line| described.line(line));
        described
    }

    pub(super) const fn tree(&self, dev: Dev) -> &Tree {
        match dev {
            Dev::Wan => &self.wan,
            Dev::Ifb => &self.ifb,
        }
    }

    pub(super) fn list(&self, list: List) -> &[Line] {
        self.filters.get(&list).map_or(&[], Vec::as_slice)
    }

    fn line(&mut self, line: &str) {
        let line = Line::of(line);
        let words: Vec<String> = line.words.split_whitespace().map(str::to_owned).collect();
        let word = |n: usize| words.get(n).map_or("", String::as_str);
        let dev = match word(3) {
            "@wan" => Dev::Wan,
            "@ifb" => Dev::Ifb,
            name => {
                if let (Some(tunnel), "filter") = (Tunnel::named(name), word(0)) {
                    self.filters.entry(List::Tunnel(tunnel)).or_default().push(line);
                }
                return;
            }
        };
        if word(0) == "filter" {
            let list = match word(4) {
                "ingress" => List::Ingress,
                "egress" => List::Egress,
                _ => List::Root(dev),
            };
            self.filters.entry(list).or_default().push(line);
            return;
        }
        let tree = if dev == Dev::Wan { &mut self.wan } else { &mut self.ifb };
        match word(0) {
            "qdisc" if word(4) == "root" => tree.root = Some(line),
            "qdisc" => {
                tree.leaves.insert(word(5).to_owned(), line);
            }
            "class" => {
                tree.order.push(word(7).to_owned());
                tree.parents.insert(word(5).to_owned());
                tree.classes.insert(word(7).to_owned(), Class { line, parent: word(5).to_owned() });
            }
            _ => {}
        }
    }
}

/// Returns the value of an option: the word after its name.
pub(crate) fn option<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()
}
