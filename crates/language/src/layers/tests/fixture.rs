//! Texts of configurations and their merged trees, for the tests of this room.

use super::{Files, merged, with_includes};
use crate::diag::{Sink, Sources};
use crate::syntax::{self, Entry, Node, YamlValue};
use std::collections::BTreeMap;

/// Files by their paths.
pub(super) struct Texts<'a>(pub(super) BTreeMap<&'a str, String>);

impl Files for Texts<'_> {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        let text = self.0.get(path).ok_or("there is no such file")?;
        Ok((path.to_owned(), text.clone().into_bytes()))
    }
}

/// Returns a value in one line, such as `{a: [1, 2]}`. An empty value is `-`.
pub(super) fn flat(value: &YamlValue) -> String {
    match &value.node {
        Node::Null => "-".to_owned(),
        Node::Removed => "removed".to_owned(),
        Node::Unread => "?".to_owned(),
        Node::Scalar { text, .. } => text.clone(),
        Node::Seq(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Node::Map(entries) => {
            let entry = |entry: &Entry| format!("{}: {}", entry.key.value, flat(&entry.value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns the tree of a text.
pub(super) fn tree(text: &str) -> YamlValue {
    let mut sources = Sources::default();
    let file = sources.add("home.yaml", text);
    syntax::tree(&sources, file, &mut Sink::default()).expect("YAML")
}

/// Merges a text with files, and returns one section of the result, and the findings as `file:line: message`.
pub(super) fn section(
    text: &str,
    link: Option<&str>,
    files: &[(&str, &str)],
    key: &str,
) -> (String, Vec<String>) {
    let files = Texts(files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect());
    section_with(text, link, &files, key)
}

/// Does the same with any files.
pub(super) fn section_with(
    text: &str,
    link: Option<&str>,
    files: &dyn Files,
    key: &str,
) -> (String, Vec<String>) {
    let (mut sources, mut sink) = (Sources::default(), Sink::default());
    let file = sources.add("home.yaml", text);
    let root = syntax::tree(&sources, file, &mut sink).expect("YAML");
    let (root, _) = with_includes(root, files, &mut sources, &mut sink);
    let layered = merged(root, link, None, &mut sources, &mut sink);
    let found = sink.iter().map(|finding| {
        let span = finding.labels.first().expect("a place").span;
        let name = sources.get(span.file).map_or("", |source| source.name.as_str());
        format!("{name}:{}: {}", span.line, finding.message)
    });
    let section = super::entry(&layered.root, key).map_or_else(String::new, |entry| flat(&entry.value));
    let beyond = sink.budget().is_used_up().then(|| "beyond the budget".to_owned());
    (section, found.chain(beyond).collect())
}
