//! Name, variant, file and page of each rule agree, and each rule reports the codes that it declares.

use super::{Code, RULES, expect_not_met, same_link_name, same_router};
use crate::blocks::blocks;
use crate::compile::{Options, Stage, compile};
use crate::rules::{self, Page};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Code of `wan_is_lan.rs` that `same_router.rs` reports, too.
const BORROWED: Code = Code::WanIsLan;

/// `own_device` as a variant: `OwnDevice`.
fn variant(stem: &str) -> String {
    let capital = |word: &str| {
        word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect::<String>()
    };
    stem.split('_').map(capital).collect()
}

/// Codes of all rules, by the stem of the file: those of the table, and those that other code asks for.
fn all() -> Vec<(String, BTreeSet<Code>)> {
    let mut others = BTreeMap::from([
        ("expect_not_met", expect_not_met::tests::codes_of_samples()),
        ("same_link_name", same_link_name::tests::codes_of_samples()),
        ("same_router", same_router::tests::codes_of_samples()),
    ]);
    assert!(others.get_mut("same_router").unwrap().remove(&BORROWED));
    let listed = RULES.iter().map(|rule| rule.codes.iter().copied().collect());
    let listed = listed.map(|codes: BTreeSet<Code>| {
        let stem = stems()
            .into_iter()
            .filter(|stem| codes.iter().all(|code| format!("{code:?}").starts_with(&variant(stem))));
        (stem.max_by_key(String::len).unwrap_or_else(|| panic!("no file for {codes:?}")), codes)
    });
    let others = others.into_iter().map(|(stem, codes)| (stem.to_owned(), codes));
    listed.chain(others).collect()
}

/// Names of the files below `src/check` without their ending.
fn stems() -> Vec<String> {
    let files = folder("src/check");
    let files = files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let stems = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    stems.filter(|stem| !["mod", "registry_tests"].contains(&stem.as_str())).collect()
}

fn folder(path: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn rules_are_listed_by_file_and_each_code_has_one_owner() {
    assert!(RULES.iter().all(|rule| !rule.codes.is_empty()));
    let all = all();
    assert!(all.iter().take(RULES.len()).is_sorted_by(|(a, _), (b, _)| a < b), "{all:?}");
    let codes: Vec<Code> = all.iter().flat_map(|(_, codes)| codes).copied().collect();
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
}

#[test]
fn variants_carry_the_name_of_their_rule() {
    for (stem, codes) in all() {
        for code in &codes {
            let text = format!("{code:?}");
            assert!(text.starts_with(&variant(&stem)), "{text} is a code of {stem}.rs");
            assert!(codes.len() > 1 || text == variant(&stem), "{text} is the code of {stem}.rs");
        }
    }
}

#[test]
fn each_rule_has_a_file_that_includes_its_pages() {
    let mut rest: BTreeSet<String> = stems().into_iter().collect();
    let all = all();
    for (stem, codes) in &all {
        assert!(rest.remove(stem), "{stem}.rs");
        rest.remove(&format!("{stem}_tests"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/check/{stem}.rs"));
        let text = std::fs::read_to_string(path).unwrap();
        let included = text.lines().filter_map(|line| {
            line.strip_prefix("#![doc = include_str!(\"../../../../docs/rules/")?.strip_suffix(".md\")]")
        });
        let own = codes.iter().map(|code| code.as_str());
        assert_eq!(
            included.collect::<Vec<_>>(),
            own.collect::<Vec<_>>(),
            "{stem}.rs includes its pages first"
        );
    }
    assert!(rest.is_empty(), "no rule, but among the rules: {rest:?}");
    let files = folder("src/check");
    let folders =
        files.iter().filter(|path| path.is_dir()).map(|path| path.file_name().unwrap().to_str().unwrap());
    for name in folders.filter(|name| !["shared", "snapshots"].contains(name)) {
        assert!(all.iter().any(|(stem, _)| stem == name), "{name}/");
    }
}

/// Files with findings: those under `tests/`, the examples of the pages, and the examples that people copy.
fn texts() -> Vec<String> {
    let yaml = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml");
    let folders = ["../../tests/resolve", "../../tests/bad", "../../examples"]
        .into_iter()
        .flat_map(folder)
        .filter(yaml);
    let mut texts: Vec<String> =
        folders.map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect();
    for page in Code::ALL.iter().filter_map(|code| rules::page(*code)) {
        let page = Page::read(page);
        let blocks = page.sections.iter().flat_map(|section| blocks(section.text));
        texts.extend(blocks.filter(|block| block.language == "yaml").map(|block| block.text.to_owned()));
    }
    texts
}

#[test]
fn each_rule_reports_exactly_its_declared_codes() {
    let mut reported: BTreeMap<&[Code], BTreeSet<Code>> = BTreeMap::new();
    for text in texts() {
        let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
        let Some(model) = &compiled.model else { continue };
        for rule in RULES {
            let codes = rule.findings(model).into_iter().map(|finding| finding.code);
            reported.entry(rule.codes).or_default().extend(codes);
        }
    }
    for rule in RULES {
        let declared: BTreeSet<Code> = rule.codes.iter().copied().collect();
        assert_eq!(reported.get(rule.codes), Some(&declared));
    }
}
