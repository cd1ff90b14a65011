//! Name, variant, file and page of each rule agree, and each rule reports the codes that it declares.

use super::{RULES, expect_not_met, same_link_name, same_router};
use crate::compile::{Options, Stage, compile};
use crate::diag::Code;
use crate::rules::{self, Page};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Codes that another rule owns.
const BORROWED: &[(&str, Code)] = &[("same-router", Code::WanIsLan)];

/// `own-device` as a variant: `OwnDevice`.
fn variant(name: &str) -> String {
    let capital = |word: &str| {
        word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect::<String>()
    };
    name.split('-').map(capital).collect()
}

/// The codes that a rule owns, with its name.
fn owned() -> impl Iterator<Item = (&'static str, Code)> {
    let all = RULES.iter().flat_map(|rule| rule.codes.iter().map(|code| (rule.name, *code)));
    all.filter(|entry| !BORROWED.contains(entry))
}

fn folder(path: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn rules_are_listed_by_name_and_each_code_has_one_owner() {
    assert!(RULES.is_sorted_by(|a, b| a.name < b.name));
    assert!(RULES.iter().all(|rule| !rule.codes.is_empty()));
    let owners: BTreeMap<Code, &str> = owned().map(|(name, code)| (code, name)).collect();
    assert_eq!(owners.len(), owned().count());
}

#[test]
fn variants_carry_the_name_of_their_rule() {
    for rule in RULES {
        let own: Vec<Code> = owned().filter(|(name, _)| *name == rule.name).map(|(_, code)| code).collect();
        for code in &own {
            let text = format!("{code:?}");
            let agrees = if own.len() == 1 {
                text == variant(rule.name)
            } else {
                text.starts_with(&variant(rule.name))
            };
            assert!(agrees, "{text} is a code of the rule `{}`", rule.name);
        }
    }
}

#[test]
fn each_rule_has_a_file_that_includes_its_pages() {
    let files = folder("src/check");
    let stems = files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let stems = stems.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let mut rest: BTreeSet<String> = stems.collect();
    assert!(rest.remove("mod") && rest.remove("registry_tests"));
    for rule in RULES {
        let stem = rule.name.replace('-', "_");
        assert!(rest.remove(&stem), "{stem}.rs");
        rest.remove(&format!("{stem}_tests"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/check/{stem}.rs"));
        let text = std::fs::read_to_string(path).unwrap();
        let included = text.lines().filter_map(|line| {
            line.strip_prefix("#![doc = include_str!(\"../rules/")?.strip_suffix(".md\")]")
        });
        let own = owned().filter(|(name, _)| *name == rule.name).map(|(_, code)| code.as_str());
        assert_eq!(
            included.collect::<Vec<_>>(),
            own.collect::<Vec<_>>(),
            "{stem}.rs includes its pages first"
        );
    }
    assert!(rest.is_empty(), "no rule, but among the rules: {rest:?}");
    let folders =
        files.iter().filter(|path| path.is_dir()).map(|path| path.file_name().unwrap().to_str().unwrap());
    for name in folders.filter(|name| !["shared", "snapshots"].contains(name)) {
        assert!(RULES.iter().any(|rule| rule.name.replace('-', "_") == name), "{name}/");
    }
}

/// Files with findings: those under `tests/`, the examples of the pages, and the examples that people copy.
fn texts() -> Vec<String> {
    let yaml = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml");
    let folders = ["tests/resolve", "tests/bad", "examples"].into_iter().flat_map(folder).filter(yaml);
    let mut texts: Vec<String> =
        folders.map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect();
    for page in Code::ALL.iter().filter_map(|code| rules::page(*code)) {
        let page = Page::read(page);
        let blocks = page.sections.iter().flat_map(|section| section.blocks());
        texts.extend(blocks.filter(|block| block.language == "yaml").map(|block| block.text.to_owned()));
    }
    texts
}

#[test]
fn each_rule_reports_exactly_its_declared_codes() {
    let mut reported: BTreeMap<&str, BTreeSet<Code>> = BTreeMap::new();
    reported.insert("expect-not-met", expect_not_met::tests::codes_of_samples());
    reported.insert("same-link-name", same_link_name::tests::codes_of_samples());
    reported.insert("same-router", same_router::tests::codes_of_samples());
    for text in texts() {
        let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
        let Some(model) = &compiled.model else { continue };
        for rule in RULES {
            let codes = rule.findings(model).into_iter().map(|finding| finding.code);
            reported.entry(rule.name).or_default().extend(codes);
        }
    }
    for rule in RULES {
        let declared: BTreeSet<Code> = rule.codes.iter().copied().collect();
        assert_eq!(reported.get(rule.name), Some(&declared), "{}", rule.name);
    }
}
