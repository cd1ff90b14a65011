//! No document denies a feature that the program has, and none claims one that it has not.
//!
//! Each row of the README's comparison names its evidence, and so does each sentence that says what `qosc` cannot do.
//! The evidence of a feature is a test. A missing feature names what the program would have with it.

#![cfg(test)]

use crate::documents::tests::prose;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Evidence for a claim.
enum Evidence {
    /// The feature exists: this test fails without it.
    Test(&'static str),
    /// The feature is missing: a program with it would have such a command, key or call of the script.
    Without(&'static [&'static str]),
    /// Not a question of code.
    Not(&'static str),
}
use Evidence::{Not, Test, Without};

/// The rows of the comparison in the README.
const ROWS: &[(&str, Evidence)] = &[
    ("in use on many routers for years", Not("the project is new")),
    ("packaged by distributions", Not("there is no release")),
    ("web interface", Without(&["web", "serve", "luci"])),
    ("set up with one command", Without(&["setup", "shape"])),
    ("several CPU cores for one direction", Without(&["cores", "mq"])),
    ("thousands of subscribers, import from billing", Without(&["subscribers", "circuits"])),
    ("follows a line whose rate varies", Test("following_makes_way_for_every_other_call")),
    ("capture packets of one class", Without(&["capture", "tcpdump"])),
    ("rates over time in a terminal or browser", Test("a_browser_draws_the_page_and_handles_all_input")),
    ("classes with guarantee, ceiling and priority", Test("hosts_get_their_guarantees_and_ceilings")),
    ("equal shares for hosts", Test("busy_hosts_share_equally")),
    ("hosts behind the router's own NAT", Test("busy_hosts_behind_nat_share_equally")),
    ("IPv6", Test("hosts_without_nat_reach_their_class")),
    ("ATM cells", Test("packet_rates_follow_from_the_charged_bytes")),
    ("PTM 64/65", Test("packet_rates_follow_from_the_charged_bytes")),
    ("classes inside tunnels", Test("every_key_matches_inside_tunnels")),
    ("change a rate without losing packets", Test("the_rate_call_loses_no_packet")),
    ("check a file on any machine, without root", Test("the_playground_checks_and_compiles_in_a_browser")),
    ("list changes against the router's present state", Test("documented_plans_equal_the_output")),
    ("findings for CI (SARIF, JUnit)", Test("sarif_output_is_valid_for_its_schema")),
];

/// The sentences that deny something, by their document and their words, each with its evidence.
const DENIALS: &[(&str, &str, Evidence)] = &[
    ("docs/alternatives.md", "`qosc` has no such command", Without(&["capture", "tcpdump"])),
    ("docs/check.md", "`qosc` cannot read on", Not("the text is not YAML")),
    ("docs/comparison.md", "qosc has no web interface", Without(&["web", "serve", "luci"])),
    ("docs/ecn.md", "a file has no key for it", Without(&["ce_threshold", "l4s"])),
    (
        "docs/import.md",
        "A warning names each option that a file cannot have",
        Test("imports_match_the_snapshots"),
    ),
    ("docs/lab.md", "another script has no classes", Not("a script that the program did not write")),
    ("docs/limits.md", "matches cannot see inside", Test("the_key_that_differs_is_that_of_the_inner_packet")),
    ("docs/matches.md", "A match cannot ask for a rate", Without(&["over", "limit_rate"])),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files with this ending below these folders.
fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == ending) {
            found.push(path);
        }
    }
    found
}

/// Asserts the evidence of all claims.
fn assert_true<'e>(claims: impl Iterator<Item = (&'e str, &'e Evidence)>) {
    let tests: String = files(&["tests", "crates", "src"], "rs")
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let help = Command::new(env!("CARGO_BIN_EXE_qosc")).arg("--help").output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap();
    let schema = std::fs::read_to_string(root().join("schema/qosc.schema.json")).unwrap();
    let calls = std::fs::read_to_string(root().join("docs/script.md")).unwrap();
    for (claim, evidence) in claims {
        match evidence {
            Test(name) => {
                assert!(tests.contains(&format!("fn {name}()")), "{claim}: there is no test `{name}`");
            }
            Without(words) => {
                for word in *words {
                    let command = help.lines().any(|line| line.split_whitespace().next() == Some(word));
                    let key = schema.contains(&format!("\"{word}\": {{"));
                    let call = calls.contains(&format!("home.sh {word}"));
                    assert!(!command && !key && !call, "{claim}: there is `{word}` now");
                }
            }
            Not(why) => assert!(!why.is_empty()),
        }
    }
}

#[test]
fn the_comparison_in_the_readme_is_true() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (_, table) = readme.split_once("## Compared with other shapers").unwrap();
    let rows: Vec<(&str, &str)> = table
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            (cells[0], *cells.last().unwrap())
        })
        .collect();
    let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ROWS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for ((name, own), (_, evidence)) in rows.iter().zip(ROWS) {
        assert_eq!(*own != "no", matches!(evidence, Test(_)), "{name}: {own}");
    }
    assert_true(ROWS.iter().map(|(name, evidence)| (*name, evidence)));
}

/// Returns the sentences of a text, without its code blocks and table rows.
fn sentences(text: &str, is_yaml: bool) -> Vec<String> {
    let prose = prose(text).map(|(_, line)| line);
    let prose =
        prose.filter(|line| !line.starts_with('|') && (!is_yaml || line.trim_start().starts_with('#')));
    let prose: Vec<&str> = prose.map(|line| line.trim_matches(['#', ' '])).collect();
    prose.join(" ").split(['.', ':', ';', ',']).map(|one| one.trim().to_owned()).collect()
}

#[test]
fn every_denial_in_the_documents_is_true() {
    let subjects =
        ["qosc", "script", "file", "match", "matches", "class", "classes", "key", "tunnel", "lab", "follow"];
    let verbs = [" cannot ", " has no ", " have no ", " lacks ", " lack "];
    // The condition of a call, and not what the program has.
    let conditions = [
        "cannot be read",
        "cannot tell",
        "cannot be compiled",
        "no errors",
        "no findings",
        "no error",
        "has no host",
        "has no `device`",
    ];
    let left_out = ["docs/rules", "docs/reference", "docs/kernel-facts.md"];
    let mut found = Vec::new();
    for path in [files(&["docs", "README.md"], "md"), files(&["examples"], "yaml")].concat() {
        let document = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        if left_out.iter().any(|start| document.starts_with(start)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for sentence in sentences(&text, document.ends_with("yaml")) {
            let denies = verbs.iter().filter_map(|verb| sentence.split_once(verb)).any(|(before, _)| {
                let subject = before.rsplit(' ').next().unwrap_or_default().trim_matches(['`', '(']);
                subjects.contains(&subject)
            });
            let is_condition = sentence.trim_start_matches(['-', ' ']).starts_with("If ");
            if denies && !is_condition && !conditions.iter().any(|words| sentence.contains(words)) {
                found.push((document.clone(), sentence));
            }
        }
    }
    let known = |(document, sentence): &&(String, String)| {
        DENIALS.iter().any(|(own, words, _)| own == document && sentence.contains(words))
    };
    let unknown: Vec<_> = found.iter().filter(|one| !known(one)).collect();
    assert!(unknown.is_empty(), "name the evidence, or correct the sentence: {unknown:#?}");
    for (document, words, _) in DENIALS {
        let used = found.iter().any(|(own, sentence)| own == document && sentence.contains(words));
        assert!(used, "{document} does not say: {words}");
    }
    assert_true(DENIALS.iter().map(|(_, words, evidence)| (*words, evidence)));
}
