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
/// mapping.
#[must_use]
pub fn read(sources: &Sources, file: FileId, sink: &mut Sink) -> Option<Raw> {
    let root = tree(sources, file, sink)?;
    read_tree(&root, raw::FileSections::of(&root), sink)
}

/// Reads the tree of a configuration with these sections.
#[must_use]
pub fn read_tree(root: &YamlValue, sections: raw::FileSections, sink: &mut Sink) -> Option<Raw> {
    raw::file(root, sections, &mut Findings::new(sink))
}

/// Reads the text of one file into its tree, without regard to the meaning of keys. If the text is not YAML or exceeds
/// the limits, reports that and returns `None`.
#[must_use]
pub fn tree(sources: &Sources, file: FileId, sink: &mut Sink) -> Option<YamlValue> {
    let text = &sources.get(file)?.text;
    if !text::is_fit(text, file, sink) {
        return None;
    }
    let mut found = Findings::new(sink);
    let tab = text::tab(text, file);
    tab.into_iter().for_each(|tab| found.push(text::tabbed(text, tab)));
    yaml::parse(text, file, tab, &mut found)
}

/// Returns the comments of one file in the order of its text: the text after each `#`, and its place. A `#` inside
/// quotes or inside a block of text begins no comment.
#[must_use]
pub fn comments(sources: &Sources, file: FileId) -> Vec<Spanned<String>> {
    sources.get(file).map(|source| yaml::comments(&source.text, file)).unwrap_or_default()
}
