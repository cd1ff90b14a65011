//! Described states: the lines with which a start makes everything.

use crate::tc::Dev;
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// A described line: the words of a command, and the comment that names its origin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line<'a> {
    pub(super) words: &'a str,
    pub(super) from: &'a str,
}

impl<'a> Line<'a> {
    pub(super) fn word(self, number: usize) -> &'a str {
        self.words.split_whitespace().nth(number).unwrap_or_default()
    }

    /// Returns the id of a class's parent.
    pub(super) fn parent(self) -> &'a str {
        self.word(5)
    }
}

/// Returns true if two lists have the same commands.
pub(super) fn same_lines(one: &[Line<'_>], other: &[Line<'_>]) -> bool {
    one.iter().map(|line| line.words).eq(other.iter().map(|line| line.words))
}

/// Tree of a direction. Its ids are those of slot a.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    /// The root qdisc; empty if the direction is not shaped.
    pub(super) root: Line<'a>,
    pub(super) classes: IndexMap<&'a str, Line<'a>>,
    /// The queue of each leaf class.
    pub(super) leaves: BTreeMap<&'a str, Line<'a>>,
    pub(super) filters: Vec<Line<'a>>,
    /// Classes with children.
    pub(super) inner: BTreeSet<&'a str>,
}

impl Tree<'_> {
    pub(super) const fn is_there(&self) -> bool {
        !self.root.words.is_empty()
    }

    pub(super) fn class(&self, id: &str) -> &str {
        self.classes.get(id).map_or("", |line| line.words)
    }

    pub(super) fn leaf(&self, id: &str) -> &str {
        self.leaves.get(id).map_or("", |line| line.words)
    }

    /// Returns true if two trees have the same commands.
    pub(super) fn is_as(&self, other: &Tree<'_>) -> bool {
        let words = |tree: &Tree<'_>| -> Vec<String> {
            let classes = tree.classes.values().chain(tree.leaves.values()).chain(&tree.filters);
            [&tree.root].into_iter().chain(classes).map(|line| line.words.to_owned()).collect()
        };
        words(self) == words(other)
    }
}

/// A whole described state.
#[derive(Debug, Default)]
pub(super) struct Described<'a> {
    wan: Tree<'a>,
    ifb: Tree<'a>,
    /// Filters at hooks: `ingress`, `egress`, and `ingress DEVICE` for tunnels.
    lists: BTreeMap<String, Vec<Line<'a>>>,
}

impl<'a> Described<'a> {
    pub(super) fn read(text: &'a str) -> Described<'a> {
        let mut found = Described::default();
        for (words, from) in text.lines().filter_map(|line| line.split_once(" # ")) {
            let line = Line { words, from };
            let (device, place) = (line.word(3), line.word(4));
            let tree = match device {
                "@wan" => Some(&mut found.wan),
                "@ifb" => Some(&mut found.ifb),
                _ => None,
            };
            match (line.word(0), place, tree) {
                ("qdisc", "root", Some(tree)) => tree.root = line,
                ("qdisc", _, Some(tree)) => drop(tree.leaves.insert(line.word(5), line)),
                ("class", _, Some(tree)) => {
                    tree.inner.insert(line.parent());
                    tree.classes.insert(line.word(7), line);
                }
                ("filter", "parent", Some(tree)) => tree.filters.push(line),
                ("filter", hook, Some(_)) => found.lists.entry(hook.to_owned()).or_default().push(line),
                ("filter", hook, None) => {
                    found.lists.entry(format!("{hook} {device}")).or_default().push(line);
                }
                _ => {}
            }
        }
        found
    }

    pub(super) const fn tree(&self, dev: Dev) -> &Tree<'a> {
        match dev {
            Dev::Wan => &self.wan,
            Dev::Ifb => &self.ifb,
        }
    }

    /// Returns the filters of a hook.
    pub(super) fn list(&self, name: &str) -> &[Line<'a>] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }
}
