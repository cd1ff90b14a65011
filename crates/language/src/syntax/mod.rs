//! Reads YAML into nodes with places, and nodes into [`Raw`]. It checks the form of a file and not its meaning. No
//! other module uses the YAML crate.
//!
//! `text` converts bytes to text, and `yaml` builds a tree of `node`s from the parser's events. `raw` declares the keys
//! of each mapping, and `fields`, `values`, `unit`, `choices` and `scalar` read them. All problems pass through
//! `findings`.

mod choices;
mod field;
mod fields;
mod findings;
mod given;
mod keys;
mod limits;
mod node;
pub mod profile;
mod quote;
pub mod raw;
mod scalar;
mod sections;
mod text;
mod unit;
mod values;
mod yaml;

pub use findings::FINDINGS;
pub use limits::MAX_BYTES;
pub use node::{Entry, LayerKind, Node, YamlValue};
pub use raw::Raw;
pub use text::load;

use crate::diag::{FileId, Sink, Sources, Spanned};
use findings::Findings;

/// Reads the text of one file into [`Raw`].
///
/// It reports every finding: syntax errors, unknown and missing keys, duplicates, wrong types, and invalid values. The
/// result contains everything that could be read in spite of errors. It is `None` only if the text is not a YAML
/// mapping. Of more than [`FINDINGS`] findings, it only reports the number.
#[must_use]
pub fn read(sources: &Sources, file: FileId, sink: &mut Sink) -> Option<Raw> {
    let root = tree(sources, file, sink)?;
    read_tree(FINDINGS, &root, raw::FileSections::of(&root), sink)
}

/// Reads the tree of a configuration with these sections, and only reports the number of findings beyond `most`.
#[must_use]
pub fn read_tree(most: usize, root: &YamlValue, sections: raw::FileSections, sink: &mut Sink) -> Option<Raw> {
    let mut found = Findings::limited(sink, most);
    let raw = raw::file(root, sections, &mut found);
    found.finish();
    raw
}

/// Reads the text of one file into its tree, without regard to the meaning of keys. If the text is not YAML or exceeds
/// the limits, reports that and returns `None`.
#[must_use]
pub fn tree(sources: &Sources, file: FileId, sink: &mut Sink) -> Option<YamlValue> {
    tree_up_to(FINDINGS, sources, file, sink)
}

/// Does the same, and only reports the number of findings beyond `most`.
#[must_use]
pub fn tree_up_to(most: usize, sources: &Sources, file: FileId, sink: &mut Sink) -> Option<YamlValue> {
    let text = &sources.get(file)?.text;
    if !text::is_fit(text, file, sink) {
        return None;
    }
    let mut found = Findings::limited(sink, most);
    let tab = text::tab(text, file);
    tab.into_iter().for_each(|tab| found.push(text::tabbed(text, tab)));
    let root = yaml::parse(text, file, tab, &mut found);
    found.finish();
    root
}

/// Returns the comments of one file in the order of its text: the text after each `#`, and its place. A `#` inside
/// quotes or inside a block of text begins no comment.
#[must_use]
pub fn comments(sources: &Sources, file: FileId) -> Vec<Spanned<String>> {
    sources.get(file).map(|source| yaml::comments(&source.text, file)).unwrap_or_default()
}
