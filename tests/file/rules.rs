//! The pages of the rules: every code has one, its examples are as it says, and `docs/rules/` contains all pages.
//!
//! `QOSC_BLESS=1 cargo test --test file rules` updates `docs/rules/`.

#![cfg(test)]

use qosc::diag::Code;
use qosc::rules::{self, HEADINGS, Page};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Codes whose bad example is described in words, and the reason why no file on a page can show it.
const TOLD: &[(Code, &str)] = &[
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
];

fn pages() -> impl Iterator<Item = (Code, Page<'static>)> {
    Code::ALL.iter().filter_map(|code| Some((*code, Page::read(rules::page(*code)?))))
}

/// The codes of the findings in a file, and the whole output.
fn said(yaml: &str) -> (BTreeSet<String>, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("home.yaml"), yaml).unwrap();
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.args(["check", "--format", "json", "home.yaml"]).current_dir(dir.path());
    let output = qosc.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr);
    let found: Vec<serde_json::Value> =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"));
    let codes = found.iter().map(|finding| finding["code"].as_str().unwrap().to_owned());
    (codes.collect(), text)
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(rules::names(), codes);
}

#[test]
fn pages_have_their_title_and_the_same_headings() {
    for (code, page) in pages() {
        assert_eq!(page.title, format!("{code}: {}", code.title()));
        let headings: Vec<&str> = page.sections.iter().map(|section| section.heading).collect();
        assert_eq!(headings, HEADINGS, "{code}");
        assert!(page.sections.iter().all(|section| !section.text.trim().is_empty()), "{code}");
        let text = rules::page(code).unwrap();
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{code}");
    }
}

#[test]
fn bad_examples_have_the_finding_and_good_ones_none() {
    for (code, page) in pages() {
        let one = |heading: &str| {
            let blocks = page.section(heading).map(|section| section.blocks()).unwrap_or_default();
            let [block] = blocks.as_slice() else { panic!("{code}: one example under {heading}") };
            *block
        };
        let (bad, good) = (one("Bad"), one("Good"));
        let told = TOLD.iter().any(|(known, _)| *known == code);
        assert_eq!(bad.language, if told { "text" } else { "yaml" }, "{code}");
        if !told {
            let (codes, text) = said(bad.text);
            assert!(codes.contains(code.as_str()), "{code}: its bad example says\n{text}");
        }
        assert_eq!(good.language, "yaml", "{code}");
        let (codes, text) = said(good.text);
        assert!(codes.is_empty(), "{code}: its good example says\n{text}");
        assert_ne!(bad.text, good.text, "{code}");
    }
}

#[test]
fn the_examples_have_no_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    for file in files {
        let (codes, text) = said(&std::fs::read_to_string(&file).unwrap());
        assert!(codes.is_empty(), "{}\n{text}", file.display());
    }
}

#[test]
fn the_checked_in_pages_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let made = documents();
    if std::env::var_os("QOSC_BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        made.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
    }
    let there: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let there: BTreeMap<String, String> = there
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    let names: BTreeSet<&String> = made.keys().chain(there.keys()).collect();
    let stale: Vec<&&String> = names.iter().filter(|name| made.get(**name) != there.get(**name)).collect();
    assert!(
        stale.is_empty(),
        "`QOSC_BLESS=1 cargo test --test file rules` writes docs/rules anew: {stale:?}"
    );
}

/// The files of `docs/rules/`, by name.
fn documents() -> BTreeMap<String, String> {
    let mut made: BTreeMap<String, String> =
        Code::ALL.iter().filter_map(|code| Some((format!("{code}.md"), rules::document(*code)?))).collect();
    let mut index = "\
# Rules

Each finding has a code in brackets after its severity. `qosc check` reports findings about a file,
and `qosc lab` reports expectations that are not met. Each page here says what a rule looks for and
why, with a bad and a good example and the fix.

`qosc rule CODE` prints a page, and `qosc rule` prints this list. To suppress a finding, write
`# qosc: allow(CODE)` at the end of its line, or use `--allow CODE`. Errors cannot be suppressed.

The first two digits of a code name the topic: 01 syntax, 02 values, 03 names, 04 classes, 05 matches,
06 the link, 07 police, 08 hosts and tunnels, 09 unsupported combinations, 10 expectations, 11 files
of one router, 12 import. These files are generated from `src/rules/`.

| code | severity | finding |
|---|---|---|
"
    .to_owned();
    for (code, _) in pages() {
        index += &format!("| [{code}]({code}.md) | {} | {} |\n", code.severity().as_str(), code.title());
    }
    made.insert("README.md".to_owned(), index);
    made
}
