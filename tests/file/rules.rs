//! The pages of the rules: every code has one, its examples are as it says, and an index lists all pages.
//!
//! `QOSC_BLESS=1 cargo test --test file rules` updates the index, `docs/rules/README.md`.

#![cfg(test)]

use crate::blocks::blocks;
use qosc_compiler::diag::{Code, Severity};
use qosc_compiler::rules::{self, Page};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Headings that every page has, in this order.
const HEADINGS: [&str; 6] = ["What it looks for", "Why it matters", "Bad", "Good", "How to fix", "Source"];

/// Codes whose bad example is described in words, and the reason why no file on a page can show it.
const IN_TEXT: &[(Code, &str)] = &[
    (Code::TooMany, "it takes 16,001 classes"),
    (Code::SameLinkName, "it takes two files"),
    (Code::ExpectNotMet, "it takes the lab"),
    (Code::SameRouterDevice, "it takes two files"),
    (Code::SameRouterTunnel, "it takes two files"),
    (Code::SameRouterNames, "it takes two files"),
    (Code::SameRouterMarks, "it takes two files"),
    (Code::NoEquivalent, "it takes the file of another tool"),
    (Code::NotImportable, "it takes the file of another tool"),
    (Code::OtherwiseExpressed, "it takes the file of another tool"),
    (Code::ImportDiffers, "it takes the file of another tool"),
];

fn pages() -> impl Iterator<Item = (Code, Page<'static>)> {
    Code::ALL.iter().filter_map(|code| Some((*code, Page::read(rules::page(*code)?))))
}

/// The findings in each of these files, by name. One process checks all.
fn findings(files: &BTreeMap<String, String>) -> BTreeMap<String, Vec<serde_json::Value>> {
    let dir = tempfile::tempdir().unwrap();
    // Each file has a folder of its own, so that equal names of links do not matter.
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.args(["check", "--format", "json"]).current_dir(dir.path());
    let mut found = BTreeMap::new();
    for (name, yaml) in files {
        std::fs::create_dir(dir.path().join(name)).unwrap();
        let file = format!("{name}/home.yaml");
        std::fs::write(dir.path().join(&file), yaml).unwrap();
        qosc.arg(file);
        found.insert(name.clone(), Vec::new());
    }
    let output = qosc.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with(&format!("{} files: ", files.len())) && said.lines().count() == 1, "{said}");
    let all: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    for finding in all {
        let name = finding["file"].as_str().and_then(|file| file.strip_suffix("/home.yaml"));
        found.get_mut(name.expect("one of the files")).expect("one of the files").push(finding);
    }
    found
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let codes: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let pages =
        std::fs::read_dir(folder).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap());
    assert_eq!(pages.filter(|name| name != "README.md").collect::<BTreeSet<_>>(), codes);
    assert_eq!(self::pages().count(), codes.len());
}

/// The meaning of a code's severity.
fn meaning(code: Code) -> &'static str {
    match code.severity() {
        // this finding is about the measurement; the file has no error
        Severity::Error if matches!(code, Code::ExpectNotMet) => {
            "Error: the file compiles; `qosc lab` reports this and exits with 1."
        }
        Severity::Error => "Error: the file is not compiled.",
        Severity::Warning => "Warning: the file compiles, but probably does not do what you intend.",
        Severity::Note => "Note: the file compiles; check that this is what you intend.",
    }
}

#[test]
fn pages_have_their_title_and_the_same_headings() {
    for (code, page) in pages() {
        assert_eq!(page.title, format!("{code}: {}", code.title()));
        let headings: Vec<&str> = page.sections.iter().map(|section| section.heading).collect();
        assert_eq!(headings, HEADINGS, "{code}");
        assert!(page.sections.iter().all(|section| !section.text.trim().is_empty()), "{code}");
        let text = rules::page(code).unwrap();
        let below = text.lines().nth(2).unwrap();
        assert_eq!(below, meaning(code), "{code}: the line below the title");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{code}");
    }
}

#[test]
fn bad_examples_have_the_finding_and_good_ones_none() {
    let mut files = BTreeMap::new();
    for (code, page) in pages() {
        let one = |heading: &str| {
            let blocks = page.section(heading).map(|section| blocks(section.text)).unwrap_or_default();
            let [block] = blocks.as_slice() else { panic!("{code}: one example under {heading}") };
            *block
        };
        let (bad, good) = (one("Bad"), one("Good"));
        let in_text = IN_TEXT.iter().any(|(known, _)| *known == code);
        assert_eq!(bad.language, if in_text { "text" } else { "yaml" }, "{code}");
        assert_eq!(good.language, "yaml", "{code}");
        assert_ne!(bad.text, good.text, "{code}");
        if !in_text {
            files.insert(format!("{code}-bad"), bad.text.to_owned());
        }
        files.insert(format!("{code}-good"), good.text.to_owned());
    }
    assert!(files.len() > Code::ALL.len());
    for (name, found) in findings(&files) {
        match name.strip_suffix("-bad") {
            Some(code) => assert!(found.iter().any(|finding| finding["code"] == code), "{name}: {found:#?}"),
            None => assert!(found.is_empty(), "{name}: {found:#?}"),
        }
    }
}

#[test]
fn the_examples_have_no_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files: BTreeMap<String, String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(files.len() > 10);
    for (name, found) in findings(&files) {
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

#[test]
fn the_index_of_the_pages_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules/README.md");
    let made = index();
    if std::env::var_os("QOSC_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert_eq!(there, made, "`QOSC_BLESS=1 cargo test --test file rules` writes the index anew");
}

/// The list of all pages.
fn index() -> String {
    let mut index = "\
# Rules

Each finding has a code in brackets after its severity. `qosc check` reports findings about a file,
and `qosc lab` reports expectations that are not met. Each page here says what a rule looks for and
why, with a bad and a good example and the fix.

`qosc rule CODE` prints a page, and `qosc rule` prints this list. To suppress a finding, write
`# qosc: allow(CODE)` at the end of its line, or use `--allow CODE`. Errors cannot be suppressed.

The first two digits of a code name the topic: 01 syntax, 02 values, 03 names, 04 classes, 05 matches,
06 the link, 07 police, 08 hosts and tunnels, 09 unsupported combinations, 10 expectations, 11 files
of one router, 12 import.

| code | severity | finding |
|---|---|---|
"
    .to_owned();
    for (code, _) in pages() {
        index += &format!("| [{code}]({code}.md) | {} | {} |\n", code.severity().as_str(), code.title());
    }
    index
}
