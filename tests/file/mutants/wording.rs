//! Findings keep the standard of CONTRIBUTING.md, and messages that used to be poor stay better.

use super::chance::Chance;
use super::damage::damages;
use super::pipeline::{said, through};
use super::tree::{examples, files};
use crate::blocks::blocks;
use qosc_compiler::compile::Compilation;
use qosc_compiler::diag::{Code, Diagnostic, Severity};
use qosc_compiler::rules::{self, Page};

/// Words of our code, and of the crates that we use. A finding must not contain them.
const OURS: &[&str] = &[
    "struct",
    "enum",
    "invalid type",
    "invalid value",
    "expected a map",
    "expected map",
    "sequence",
    "u8",
    "u16",
    "u32",
    "u64",
    "i64",
    "usize",
    "Option",
    "Some(",
    "None",
    "Ok(",
    "Err(",
    "visitor",
    "serde",
    "unwrap",
    "panic",
    "String",
    "Vec<",
    "Span",
    "Model",
    "Raw",
    "deserialize",
    "parse error",
    "parser",
    "scanner",
    "granit",
    "unexpected",
];

/// A message or help text without its quotations from the file.
fn own_words(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// The ways in which a finding violates the standard.
fn faults(finding: &Diagnostic) -> Vec<String> {
    let mut faults = Vec::new();
    let labels = finding.labels.iter().map(|label| &label.text).filter(|text| !text.is_empty());
    for text in [&finding.message].into_iter().chain(&finding.help).chain(labels) {
        let own = own_words(text);
        let mut fault = |what: &str| faults.push(format!("{what}: {text}"));
        if own.ends_with('.') || own.contains('\n') {
            fault("a full stop or a line break");
        }
        let first = own.split(' ').next().unwrap_or_default();
        let capitals = first.chars().filter(|c| c.is_uppercase()).count();
        if first.starts_with(|c: char| c.is_uppercase()) && capitals < 2 {
            fault("does not begin in lower case");
        }
        if text.matches('`').count() % 2 != 0 && !text.contains("\\`") && !text.contains("```") {
            fault("a backtick alone");
        }
        if let Some(word) = OURS.iter().find(|word| own.contains(**word)) {
            fault(&format!("says {word:?}"));
        }
        if text.trim().is_empty() || text.contains("  ") && !text.contains('`') {
            fault("blanks");
        }
    }
    let asks = finding.labels.iter().any(|label| label.text.starts_with("did you mean"));
    if finding.severity == Severity::Error && finding.help.is_empty() && !asks {
        faults.push(format!("no cure: {}", finding.message));
    }
    faults
}

/// A text without its comment lines, which only describe the file.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

fn hold(read: &Compilation, of: &str, wrong: &mut Vec<String>) {
    let quoted = |text: &str| text.contains('`');
    // If the file contains a backtick, messages repeat it, so quotations cannot be recognised.
    if read
        .sources
        .get(qosc_compiler::diag::FileId::OWN)
        .is_some_and(|own| quoted(&own.text.replace("\n#", "")))
    {
        return;
    }
    for finding in &read.findings {
        wrong.extend(faults(finding).into_iter().map(|fault| format!("{of}: {} {fault}", finding.code)));
    }
}

#[test]
fn all_findings_follow_the_rules_of_wording() {
    let mut wrong = Vec::new();
    for folder in ["tests/bad", "tests/resolve", "tests/poor"] {
        for (name, text) in files(folder) {
            let text = without_comments(&text);
            hold(&through(text.as_bytes()), &name, &mut wrong);
        }
    }
    for code in Code::ALL {
        let page = Page::read(rules::page(*code).unwrap());
        for section in page.sections.iter().filter(|section| section.heading == "Bad") {
            for block in blocks(section.text).iter().filter(|block| block.language == "yaml") {
                hold(&through(block.text.as_bytes()), code.as_str(), &mut wrong);
            }
        }
    }
    let mut chance = Chance::new(3);
    for (name, text) in examples() {
        let text = without_comments(&text);
        for damage in damages(&text, 5).into_iter().filter(|_| chance.below(8) == 0) {
            hold(&through(damage.text.as_bytes()), &format!("{name}: {}", damage.what), &mut wrong);
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each file describes a message that used to be poor. Its snapshot is the message of today.
#[test]
fn formerly_poor_messages_match_the_snapshots() {
    let files = files("tests/poor");
    assert!(files.len() >= 8);
    for (name, text) in files {
        let read = through(text.as_bytes());
        assert!(read.has_errors(), "{name}");
        let stem = name.trim_end_matches(".yaml").to_owned();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../poor");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| crate::golden::assert_golden!(stem, said(&read)));
    }
}
