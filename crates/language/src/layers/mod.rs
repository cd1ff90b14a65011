//! Merges the layers of a configuration into one tree: presets and templates, included files, the file itself, the
//! chosen link, and the chosen variant.
//!
//! All layers are merged by one rule, which `merge` states. The result is the tree of a file that describes one link, so
//! no later stage knows about layers. Every value keeps its place, also in another file.

mod classes;
mod factors;
mod finish;
#[cfg(test)]
#[path = "tests/fixture.rs"]
mod fixture;
mod includes;
mod links;
mod merge;
mod new_names;
mod tree;
mod variants;

pub use factors::{Factor, factors};
pub use includes::{Files, NoFiles};

use crate::diag::{FileId, Sink, Sources, Spanned};
use crate::syntax::YamlValue;
use crate::syntax::raw::FileSections;
use tree::entry;

/// A configuration of one link.
#[derive(Debug)]
pub struct Layered {
    /// Its tree.
    pub root: YamlValue,
    /// Where its sections are. Presets and templates count as part of what names them.
    pub sections: FileSections,
    /// Names of all links in the file; empty for a file with `link`.
    pub links: Vec<Spanned<String>>,
    /// The chosen link.
    pub link: Option<String>,
}

/// Included files in the order of their reading: the path from the folder of the configuration, and the file.
pub type IncludedFiles = Vec<(String, FileId)>;

/// Returns a tree on top of the files that it includes. `files` reads them, and their texts are added to `sources`.
#[must_use]
pub fn with_includes(
    root: YamlValue,
    files: &dyn Files,
    sources: &mut Sources,
    sink: &mut Sink,
) -> (YamlValue, IncludedFiles) {
    let mut reader = includes::Reader::new(files, sources, sink);
    let root = reader.with_includes(root);
    (root, reader.into_included())
}

/// Merges the other layers of a file with this tree.
///
/// `link` chooses one of several links; by default it is the first. `variant` chooses a variant.
#[must_use]
pub fn merged(
    root: YamlValue,
    link: Option<&str>,
    variant: Option<&str>,
    sources: &mut Sources,
    sink: &mut Sink,
) -> Layered {
    let links = links::names(&root, sink);
    let link =
        link.map_or_else(|| links.first().map(|first| first.value.clone()), |link| Some(link.to_owned()));
    let mut root = match &link {
        Some(link) => links::choose(root, link),
        None => root,
    };
    if let Some(variant) = variant {
        root = variants::choose(root, variant);
    }
    let sections = FileSections::of(&root);
    classes::expand(&mut root, sources, sink);
    new_names::report(&mut root, link.as_deref(), variant, sink);
    finish::finish(&mut root, sink);
    Layered { root, sections, links, link }
}

/// Returns the files that a configuration includes, as it names them.
#[must_use]
pub fn includes(root: &YamlValue) -> Vec<String> {
    includes::names(root).into_iter().map(|(name, _)| name).collect()
}

/// Returns `true` if a tree describes a link or several, apart from the files that it includes.
#[must_use]
pub fn has_link(root: &YamlValue) -> bool {
    entry(root, "link").or_else(|| entry(root, "links")).is_some()
}

/// Returns true if one file describes several configurations, so that its tree is used several times.
#[must_use]
pub fn is_shared(root: &YamlValue) -> bool {
    entry(root, "links").or_else(|| entry(root, "variants")).is_some()
}
