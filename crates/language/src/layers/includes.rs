//! `include`: sections from other files.

use super::merge::merge;
use super::tree::{entry, text};
use crate::budget;
use crate::diag::{Code, Diagnostic, FileId, Sink, Sources, Span, ticked};
use crate::harmless::is_hidden;
use crate::syntax::{self, Node, YamlValue};
use std::collections::BTreeMap;

/// Largest number of files that include each other in a chain, after the configuration itself.
const DEEPEST: usize = 8;

/// Reads files for `include`.
pub trait Files {
    /// Returns the name of a file for findings, and its content, of which anything after
    /// [`syntax::MAX_BYTES`] and a byte may be missing.
    ///
    /// `path` has no `..` and counts from the folder of the configuration.
    ///
    /// # Errors
    /// Returns why the file cannot be read, for a sentence that begins with `cannot read`.
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String>;
}

/// No files at all, for a text that has no folder.
#[derive(Debug, Clone, Copy)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<(String, Vec<u8>), String> {
        Err("this text has no folder with other files".to_owned())
    }
}

/// Reads the included files of a configuration.
pub(super) struct Reader<'a> {
    files: &'a dyn Files,
    sources: &'a mut Sources,
    sink: &'a mut Sink,
    included: Vec<(String, FileId)>,
    /// Trees of the files that were read, with their own includes; `None` for a file with an error.
    trees: BTreeMap<String, Option<YamlValue>>,
    /// Files that are being read: each includes the next one.
    open: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(files: &'a dyn Files, sources: &'a mut Sources, sink: &'a mut Sink) -> Self {
        Reader { files, sources, sink, included: Vec::new(), trees: BTreeMap::new(), open: Vec::new() }
    }

    /// Returns the files that were read.
    pub(super) fn into_included(self) -> Vec<(String, FileId)> {
        self.included
    }

    /// Returns a tree on top of the files that it includes. Later files lie on top of earlier ones.
    pub(super) fn with_includes(&mut self, root: YamlValue) -> YamlValue {
        let mut base: Option<YamlValue> = None;
        for (name, at) in names(&root) {
            let Some(tree) = self.file(&name, at) else { continue };
            base = Some(match base {
                Some(base) => merge(base, tree),
                None => tree,
            });
        }
        match base {
            Some(base) => merge(base, root),
            None => root,
        }
    }

    /// Returns the tree of an included file. It keeps no `include`, which belongs to the configuration alone.
    fn file(&mut self, name: &str, at: Span) -> Option<YamlValue> {
        let path = match path(name, self.open.last().map_or("", String::as_str)) {
            Ok(path) => path,
            Err((why, help)) => {
                self.refuse(at, format!("cannot include {}: {why}", ticked(name)), help);
                return None;
            }
        };
        if self.open.contains(&path) {
            let chain: Vec<String> = self.open.iter().map(|open| ticked(open)).collect();
            let message = format!("{} includes itself, by way of {}", ticked(&path), chain.join(" and "));
            self.refuse(at, message, "remove one of these includes");
            return None;
        }
        if !self.sink.charge(1, budget::FILE) {
            return None;
        }
        if let Some(tree) = self.trees.get(&path) {
            let tree = tree.as_ref()?;
            return self.sink.charge(tree.count(), budget::COPY).then(|| tree.clone());
        }
        if self.open.len() == DEEPEST {
            let message = format!("more than {DEEPEST} files include each other in a chain");
            self.refuse(at, message, "include the file from the configuration itself");
            return None;
        }
        let tree = self.read(&path, at);
        self.trees.insert(path, tree.clone());
        tree
    }

    fn read(&mut self, path: &str, at: Span) -> Option<YamlValue> {
        let (shown, bytes) = match self.files.read(path) {
            Ok(found) => found,
            Err(why) => {
                let files = path.split_whitespace().collect::<Vec<_>>();
                let help = match files.as_slice() {
                    [_, _, ..] => format!("for several files, write a list: `[{}]`", files.join(", ")),
                    _ => "a file is looked up in the folder of the configuration, and in the folders of `--include-dir`".to_owned(),
                };
                self.refuse(at, format!("cannot read {}: {why}", ticked(path)), &help);
                return None;
            }
        };
        let file = syntax::load(self.sources, &shown, &bytes, self.sink)?;
        self.included.push((path.to_owned(), file));
        let root = syntax::tree(self.sources, file, self.sink)?;
        if !matches!(root.node, Node::Map(_)) {
            let message = format!("{} is {}, not a mapping of sections", ticked(path), root.node.kind());
            self.refuse(
                at,
                message,
                "write sections in it, such as `hosts: { desk: { address: 192.168.1.10 } }`",
            );
            return None;
        }
        if let Some(name) = entry(&root, "name") {
            let message = "an included file cannot have a `name`";
            let finding =
                Diagnostic::new(Code::BadInclude, name.key.span, message).also(at, "it is included here");
            self.sink.push(finding.help("write the name of the link in the file that includes this one"));
        }
        self.open.push(path.to_owned());
        let mut root = self.with_includes(root);
        self.open.pop();
        if let Node::Map(entries) = &mut root.node {
            entries.retain(|entry| !matches!(entry.key.value.as_str(), "include" | "name"));
        }
        Some(root)
    }

    fn refuse(&mut self, at: Span, message: String, help: &str) {
        self.sink.push(Diagnostic::new(Code::BadInclude, at, message).help(help));
    }
}

/// Returns the files that a tree names in `include`, and their places. The reader of the keys reports items that are no
/// text.
pub(super) fn names(root: &YamlValue) -> Vec<(String, Span)> {
    let Some(include) = entry(root, "include") else { return Vec::new() };
    let items = match &include.value.node {
        Node::Seq(items) => items.as_slice(),
        _ => std::slice::from_ref(&include.value),
    };
    items.iter().filter_map(|item| Some((text(item)?.to_owned(), item.span))).collect()
}

/// Returns the path of a file from the folder of the configuration. `from` is the path of the file that includes it, and
/// empty for the configuration.
fn path(name: &str, from: &str) -> Result<String, (&'static str, &'static str)> {
    if name.starts_with('/') || name.contains('\\') || name.contains(':') {
        return Err((
            "this is no path from the folder of the configuration",
            "write a path such as `common.yaml`, and give another folder with `--include-dir DIR`",
        ));
    }
    if name.is_empty() || name.ends_with('/') || name.contains(is_hidden) {
        return Err(("this is no name of a file", "write a name such as `common.yaml`"));
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => {
                return Err((
                    "it is outside of the folder of the configuration",
                    "give its folder with `--include-dir DIR`, and write its path from there",
                ));
            }
            ".." => {}
            // A finding would show its lines, such as those of `.git/config`.
            part if part.starts_with('.') => {
                return Err((
                    "a hidden file is not included",
                    "give the file a name without a point at the beginning",
                ));
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
#[path = "includes_tests.rs"]
mod tests;
