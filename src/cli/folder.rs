//! Configurations in a folder.

use super::layers::Layers;
use super::{output, read};
use qosc_compiler::budget;
use qosc_compiler::diag::{Sink, Sources, ticked};
use qosc_compiler::{layers, syntax};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns the configurations below a folder, sorted: everything that ends with `.yaml` or `.yml` and is no folder, even
/// a link that cannot be followed. Its reader then says why it cannot be checked, see also [`within`](super::inside::within). Names that begin
/// with a point, and folders behind symbolic links, are skipped. So are files without a link that another file includes,
/// from its own folder or one of `--include-dir`.
///
/// # Errors
/// Returns a message for standard error if a folder cannot be read or has no configuration.
pub(super) fn configurations(folder: &Path, layers: &Layers) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    below(folder, &mut found)?;
    if found.is_empty() {
        return Err(format!(
            "there is no configuration (`*.yaml` or `*.yml`) below {}",
            ticked(&output::name(folder))
        ));
    }
    found.sort();
    let text = |path: &Path| {
        layers.budget.charge(1, budget::FILE);
        String::from_utf8(read::read(path, false, syntax::MAX_BYTES).ok()?).ok()
    };
    let files: Vec<&Path> = found.iter().map(PathBuf::as_path).collect();
    let pieces = included(&files, layers, &text, &|path| path.canonicalize().ok());
    found.retain(|path| !path.canonicalize().is_ok_and(|path| pieces.contains(&path)));
    Ok(found)
}

/// Returns the files without a link that other files include. `text` reads a file, and `at` returns the one path by which a
/// file is known.
pub(super) fn included(
    files: &[&Path],
    layers: &Layers,
    text: &dyn Fn(&Path) -> Option<String>,
    at: &dyn Fn(&Path) -> Option<PathBuf>,
) -> BTreeSet<PathBuf> {
    let mut edges: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in files {
        let own = file.parent().unwrap_or(Path::new("")).to_owned();
        let tree = text(file).filter(|text| text.contains("include")).and_then(|text| tree(&text, layers));
        for name in tree.iter().flat_map(layers::includes) {
            let places = std::iter::once(&own).chain(&layers.include_dir).map(|folder| folder.join(&name));
            edges
                .entry(at(file).unwrap_or_default())
                .or_default()
                .extend(places.filter_map(|place| at(&place)));
        }
    }
    // Files that only include each other stay, so that somebody hears of it.
    let included: BTreeSet<&PathBuf> = edges.values().flatten().collect();
    let mut open: Vec<&PathBuf> = edges.keys().filter(|file| !included.contains(file)).collect();
    let mut pieces: BTreeSet<PathBuf> = BTreeSet::new();
    while let Some(file) = open.pop() {
        let new: Vec<&PathBuf> =
            edges.get(file).into_iter().flatten().filter(|piece| !pieces.contains(*piece)).collect();
        pieces.extend(new.iter().map(|piece| (*piece).clone()));
        open.extend(new);
    }
    let tree = |piece: &PathBuf| tree(&text(piece)?, layers);
    let has_link = |piece: &PathBuf| tree(piece).is_none_or(|tree| layers::has_link(&tree));
    pieces.retain(|piece| !has_link(piece));
    pieces
}

fn tree(text: &str, layers: &Layers) -> Option<syntax::YamlValue> {
    let mut sources = Sources::default();
    let file = sources.add("", text);
    syntax::tree(&sources, file, &mut Sink::within(&layers.budget.anew()))
}

/// Returns `true` for the path of a configuration within its folder.
pub(super) fn is_configuration(path: &Path) -> bool {
    let is_hidden = |part: std::path::Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
    path.extension().is_some_and(|end| end == "yaml" || end == "yml") && !path.components().any(is_hidden)
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot read `{}`: {e}", output::name(folder));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type().map_err(failed)?.is_dir() {
            below(&path, found)?;
        } else if is_configuration(Path::new(&entry.file_name())) && !path.is_dir() {
            found.push(path);
        }
    }
    Ok(())
}
