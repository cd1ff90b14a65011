//! YAML to spanned nodes to [`Raw`]: the shape of a file, not its meaning. The only user of the YAML crate.
//!
//! `text` takes bytes for text, `yaml` puts the parser's events together to a tree of `node`s, `shape` says which keys
//! stand where, and `fields`, `values`, `unit`, `choices` and `scalar` read them. All that is wrong goes through
//! `findings`.

mod choices;
mod fields;
mod findings;
mod limits;
mod node;
pub mod profile;
mod quote;
pub mod raw;
mod scalar;
mod sections;
mod shape;
mod text;
mod unit;
mod values;
mod yaml;

pub use node::{Entry, Node, Value};
pub use raw::Raw;
pub use text::load;

use crate::diag::{FileId, Sink, Sources, Spanned};
use findings::Findings;

/// The largest file that is read, in bytes: 60,000 classes with a short match each fit in. A larger limit would let a
/// hostile file take more than a second, or 200 MB.
pub const MAX_BYTES: usize = 4 << 20;

/// What to write where nothing is.
const SMALLEST_FILE_HELP: &str = "the smallest file is `link: { device: ppp0, up: 6mbit, down: 25mbit }`";

/// Reads the text of one file into [`Raw`], and pushes every finding: syntax, unknown and missing keys, duplicates,
/// wrong types, values that are not what they should be. What could be read is there even when something was wrong;
/// `None` only when the text is no YAML mapping at all.
#[must_use]
pub fn read(sources: &Sources, file: FileId, sink: &mut Sink) -> Option<Raw> {
    let root = tree(sources, file, sink)?;
    let mut found = Findings::new(sink);
    let raw = shape::file(&root, &mut found);
    found.finish();
    raw
}

/// Reads the text of one file into its tree, with no regard to what the keys mean. `None` when it is no YAML, or
/// beyond the limits; the finding that says so is pushed.
#[must_use]
pub fn tree(sources: &Sources, file: FileId, sink: &mut Sink) -> Option<Value> {
    let text = &sources.get(file)?.text;
    if !text::is_fit(text, file, sink) {
        return None;
    }
    let mut found = Findings::new(sink);
    let tab = text::tab(text, file);
    tab.into_iter().for_each(|tab| found.push(text::tabbed(text, tab)));
    let root = yaml::parse(text, file, tab, &mut found);
    found.finish();
    root
}

/// The comments of one file in the order of its text: what follows each `#`, and where the comment stands. What looks like
/// one inside of quotes or of a block of text is none.
#[must_use]
pub fn comments(sources: &Sources, file: FileId) -> Vec<Spanned<String>> {
    sources.get(file).map(|source| yaml::comments(&source.text, file)).unwrap_or_default()
}
