//! What is described: the lines that a script keeps of its last completed start, and those of a program now.

use crate::tc::Dev;
use std::collections::{BTreeMap, BTreeSet};

/// A line without its comment, and the comment: the name and the place in the YAML.
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

/// The name of a tunnel's device, which a kernel keeps below 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tunnel([u8; 15]);

impl Tunnel {
    /// `None` where no device can be called so.
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

/// The filters that stand in one place and are asked one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum List {
    Root(Dev),
    Ingress,
    Egress,
    /// At the ingress of a tunnel's device.
    Tunnel(Tunnel),
}

impl List {
    /// The device on which the filters hang, or whose filters they follow.
    pub(super) const fn dev(self) -> Dev {
        match self {
            List::Root(dev) => dev,
            List::Ingress | List::Egress | List::Tunnel(_) => Dev::Wan,
        }
    }
}

/// The tree of a direction as it is described.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) root: Option<Line>,
    /// Ids, parents before children.
    pub(super) order: Vec<String>,
    pub(super) classes: BTreeMap<String, Class>,
    /// Leaf qdiscs by the class that they hang on.
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

    /// A class's words.
    pub(super) fn class(&self, id: &str) -> Option<&str> {
        self.classes.get(id).map(|class| class.line.words.as_str())
    }

    /// A leaf's words.
    pub(super) fn leaf(&self, id: &str) -> Option<&str> {
        self.leaves.get(id).map(|line| line.words.as_str())
    }

    /// A class's name, as its line says it: without the place.
    pub(super) fn name(&self, id: &str) -> Option<&str> {
        self.classes.get(id).map(|class| name(&class.line.from))
    }
}

/// A comment without the place at its end: `voice (home.yaml:28)` is `voice`.
pub(super) fn name(from: &str) -> &str {
    match from.rsplit_once(" (") {
        Some((name, place)) if place.ends_with(')') => name,
        _ => from,
    }
}

/// The place at the end of a comment: `home.yaml:28`.
pub(super) fn place(from: &str) -> Option<&str> {
    from.rsplit_once(" (")?.1.strip_suffix(')').filter(|place| place.contains(':'))
}

/// Everything that is described.
#[derive(Debug, Default)]
pub(super) struct Described {
    pub(super) wan: Tree,
    pub(super) ifb: Tree,
    pub(super) filters: BTreeMap<List, Vec<Line>>,
}

impl Described {
    /// Reads the lines of `described`: as `tc -batch` takes them, with `@wan` and `@ifb` for the devices.
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

/// The word after a word: the value of an option.
pub(crate) fn option<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()
}
