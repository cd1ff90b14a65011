//! Built-in class sets from `profiles/classes/`.

use super::classes::Set;
use super::names::no_built_in;
use crate::diag::{Diagnostic, FileId, Sink, Sources, Span, Spanned, or_ticked};
use crate::profile::folder;
use crate::syntax::Raw;
use crate::syntax::profile::read_classes;
use crate::syntax::raw::{RawClass, RawClasses};
use crate::terms::FileSection;
use include_dir::{Dir, include_dir};

static CLASSES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/profiles/classes");

/// Class set for a file without `classes`.
const DEFAULT: &str = "home";

/// Classes of a file: its own, or a built-in set.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    own: Option<&'a [RawClass]>,
    preset: Vec<RawClass>,
    key: Span,
    whole: bool,
}

impl Chosen<'_> {
    /// Returns the classes.
    pub fn set(&self) -> Set<'_> {
        Set { list: self.own.unwrap_or(&self.preset), key: self.key, whole: self.whole }
    }
}

/// Returns the names of all class sets in alphabetical order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    folder::names(&CLASSES)
}

/// Returns the text of a class set.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    folder::text(&CLASSES, name)
}

/// Returns the classes of the file, or those of the set that it names. The text of a set is added to `sources`.
/// `with_errors` lists the sections with unreadable content.
pub(super) fn choose<'a>(
    raw: &'a Raw,
    at: Span,
    with_errors: &[FileSection],
    sources: &mut Sources,
    sink: &mut Sink,
) -> Chosen<'a> {
    match &raw.classes {
        Some(RawClasses::List { key, list }) => {
            let whole = !with_errors.contains(&FileSection::Classes);
            Chosen { own: Some(list), preset: Vec::new(), key: *key, whole }
        }
        Some(RawClasses::Preset(name)) => {
            if text(&name.value).is_none() {
                sink.push(unknown(name));
            }
            let known = if text(&name.value).is_some() { name.value.as_str() } else { DEFAULT };
            Chosen { own: None, preset: read(known, sources, sink), key: name.span, whole: true }
        }
        None => Chosen { own: None, preset: read(DEFAULT, sources, sink), key: at, whole: true },
    }
}

fn read(name: &str, sources: &mut Sources, sink: &mut Sink) -> Vec<RawClass> {
    let Some(text) = text(name) else { return Vec::new() };
    let file: FileId = sources.add_built_in(format!("profiles/classes/{name}.yaml"), text);
    read_classes(sources, file, sink).unwrap_or_default()
}

fn unknown(name: &Spanned<String>) -> Diagnostic {
    no_built_in("class preset", name, &names(), || format!("the presets are {}", or_ticked(names())))
}
