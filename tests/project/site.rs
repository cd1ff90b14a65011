//! The site that `scripts/site` builds: it has every page, a search, and no link without a target.
//!
//! `scripts/test --exhaustive` builds the site before.

#![cfg(test)]

use crate::files::below;
use crate::tools;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the built site.
fn site() -> Option<PathBuf> {
    tools::found(&["site"]).then(|| tools::kept("site/book"))
}

/// All HTML files below a folder, with their text.
fn pages(folder: &Path) -> BTreeMap<PathBuf, String> {
    let html = below(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "html"));
    html.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The values of an attribute.
fn values<'a>(text: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {attribute}=\"");
    let parts: Vec<&str> = text.split(start.as_str()).skip(1).collect();
    parts.into_iter().filter_map(|rest| rest.split('"').next())
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                parts.pop();
            }
            std::path::Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

/// The links of the site that lead nowhere.
fn lost(site: &Path, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let anchors: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(path, text)| (path, values(text, "id").collect())).collect();
    let mut lost = Vec::new();
    // The page for an address that does not exist is shown at any address, so its links begin at the root.
    for (path, text) in pages.iter().filter(|(path, _)| !path.ends_with("404.html")) {
        for link in values(text, "href").chain(values(text, "src")) {
            if link.contains("://") || link.starts_with("data:") || link.is_empty() {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if file.is_empty() { path.clone() } else { plain(&path.parent().unwrap().join(file)) };
            let found = target.is_file()
                && (anchor.is_empty() || anchors.get(&target).is_some_and(|ids| ids.contains(anchor)));
            if !found {
                lost.push(format!("{}: {link}", path.strip_prefix(site).unwrap().display()));
            }
        }
    }
    lost
}

#[test]
fn the_site_is_complete() {
    let Some(site) = site() else { return };
    let pages = pages(&site);
    assert!(pages.len() > 130, "{} pages", pages.len());

    let lost = lost(&site, &pages);
    assert!(lost.is_empty(), "links without a target:\n{}", lost.join("\n"));

    let contents = pages.get(&site.join("toc.html")).unwrap();
    for entry in std::fs::read_dir(root().join("docs/rules")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap().replace(".md", ".html");
        let name = if name == "README.html" { "index.html".to_owned() } else { name };
        assert!(contents.contains(&format!("rules/{name}")), "the contents have no {name}");
    }
    let files: Vec<String> = std::fs::read_dir(&site)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(files.iter().any(|file| file.starts_with("searchindex")), "no search: {files:?}");
}

/// A link to a missing file and one to a missing heading are found, and links that lead somewhere are not.
#[test]
fn lost_links_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        "<a href=\"b.html#there\"> <a href=\"b.html#gone\"> <img src=\"no.png\"> <a href=\"https://a/b\">";
    std::fs::write(dir.path().join("a.html"), text).unwrap();
    std::fs::write(dir.path().join("b.html"), "<h1 id=\"there\"> <a href=\"a.html\">").unwrap();
    let pages = pages(dir.path());
    assert_eq!(lost(dir.path(), &pages), ["a.html: b.html#gone", "a.html: no.png"]);
}
