//! Whole documents that we accept are the same for serde_yaml, value by value.

use super::pipeline::through;
use super::tree::{examples, files};
use crate::blocks::blocks;
use crate::syntax::agreement;
use qosc_compiler::diag::{Code, Sink, Sources};
use qosc_compiler::rules::{self, Page};
use qosc_compiler::syntax;

/// Asserts that serde_yaml reads an accepted text as we do. Returns false for a text with merge keys, which is not
/// compared: they are not part of YAML 1.2, and serde_yaml does not apply them.
pub fn agree(text: &str) -> bool {
    if text.contains("<<") {
        return false;
    }
    let mut sources = Sources::default();
    let file = sources.add("home.yaml", text);
    let tree = syntax::tree(&sources, file, &mut Sink::default()).expect("a tree of what is accepted");
    agreement::agree(&tree, text);
    true
}

#[test]
fn a_second_yaml_reader_agrees_on_all_documents() {
    let mut texts: Vec<String> = examples().into_iter().map(|(_, text)| text).collect();
    for folder in
        ["tests/cases", "tests/resolve", "tests/diff", "tests/plan", "profiles/classes", "profiles/link"]
    {
        texts.extend(files(folder).into_iter().map(|(_, text)| text));
    }
    for page in Code::ALL.iter().filter_map(|code| rules::page(*code)) {
        let page = Page::read(page);
        let good = page.section("Good").map(|section| blocks(section.text)).unwrap_or_default();
        texts.extend(good.iter().map(|block| block.text.to_owned()));
    }
    let ours = |text: &String| text.starts_with("# ") && text.contains("\noverhead:");
    let looked_at = texts.iter().filter(|text| ours(text) || !through(text.as_bytes()).has_errors());
    let agreed = looked_at.filter(|text| agree(text)).count();
    assert!(agreed > 120, "only {agreed} documents");
}
