//! The keys and values of a file, and the kind of each.

use qosc_compiler::diag::{Sink, Sources, Span};
use qosc_compiler::syntax::{self, Node, YamlValue};
use std::path::{Path, PathBuf};

/// Mappings whose keys are names that the user chose.
const NAMED: &[&str] = &["devices", "hosts", "tunnels", "classes", "templates", "police"];

/// A key and its value.
pub struct Key {
    pub text: String,
    pub span: Span,
    /// True for a name that the user chose.
    pub name: bool,
    /// The span of the value.
    pub value: Span,
    pub kind: NodeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Scalar,
    Seq,
    Map,
}

/// A file's keys and scalars in the order of the text.
#[derive(Default)]
pub struct Tree {
    pub keys: Vec<Key>,
    pub scalars: Vec<Span>,
}

/// The examples, by name.
pub fn examples() -> Vec<(String, String)> {
    files("examples")
}

/// The YAML files in a folder and its subfolders, by name.
pub fn files(folder: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".yaml") {
                // Other tests cover files that are not UTF-8.
                all.extend(std::fs::read_to_string(&path).ok().map(|text| (name, text)));
            }
        }
    }
    all
}

impl Tree {
    pub fn of(text: &str) -> Tree {
        let mut sources = Sources::default();
        let file = sources.add("home.yaml", text);
        let root = syntax::tree(&sources, file, &mut Sink::default()).expect("a tree");
        let mut tree = Tree::default();
        tree.take(&root, false);
        tree
    }

    fn take(&mut self, value: &YamlValue, names: bool) {
        match &value.node {
            Node::Null | Node::Removed | Node::Unread => {}
            Node::Scalar { .. } => self.scalars.push(value.span),
            Node::Seq(items) => items.iter().for_each(|item| self.take(item, false)),
            Node::Map(entries) => {
                for entry in entries {
                    let kind = match entry.value.node {
                        Node::Seq(_) => NodeKind::Seq,
                        Node::Map(_) => NodeKind::Map,
                        _ => NodeKind::Scalar,
                    };
                    let (text, span) = (entry.key.value.clone(), entry.key.span);
                    let inside = kind == NodeKind::Map && !names && NAMED.contains(&text.as_str());
                    let inside = inside
                        && !matches!(&entry.value.node, Node::Map(own) if own.iter().any(|e| e.key.value == "preset"));
                    self.keys.push(Key { text, span, name: names, value: entry.value.span, kind });
                    self.take(&entry.value, inside);
                }
            }
        }
    }
}
