//! Pages of the rules. The page on a code has its purpose, the reason, an example, and the corrected example.
//!
//! A page is a Markdown file, `src/rules/CODE.md`, that begins with `# CODE: title`. `qosc rule CODE` prints it, and
//! `docs/rules/` has the same text. `tests/file/rules.rs` runs its examples.

use crate::carried;
use crate::diag::{Code, Severity};
use serde::Serialize;

/// Returns the text of a page as it is written.
#[must_use]
pub fn page(code: Code) -> Option<&'static str> {
    carried::text(&format!("{}.md", code.as_str()))
}

/// Returns a page for readers, with the severity below its title.
#[must_use]
pub fn document(code: Code) -> Option<String> {
    let (title, rest) = page(code)?.split_once('\n')?;
    Some(format!("{title}\n\n{}\n{rest}", meaning(code)))
}

/// Returns the meaning of a code's severity.
const fn meaning(code: Code) -> &'static str {
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

/// A page, split into its sections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page<'a> {
    /// Text after `#` on the first line.
    pub title: &'a str,
    /// Sections in the order of the page.
    pub sections: Vec<RuleSection<'a>>,
}

/// A section of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Section")]
pub struct RuleSection<'a> {
    /// Text after `##`.
    pub heading: &'a str,
    /// Text below the heading, without surrounding empty lines.
    pub text: &'a str,
}

impl<'a> Page<'a> {
    /// Splits a page into its sections. Headings between fences do not count.
    #[must_use]
    pub fn read(page: &'a str) -> Self {
        let (first, body) = page.split_once('\n').unwrap_or((page, ""));
        let mut sections: Vec<RuleSection<'a>> = Vec::new();
        let (mut fenced, mut start, mut at) = (false, 0, 0);
        for line in body.split_inclusive('\n') {
            at += line.len();
            fenced ^= line.starts_with("```");
            if let Some(heading) = line.strip_prefix("## ").filter(|_| !fenced) {
                sections.push(RuleSection { heading: heading.trim_end(), text: "" });
                start = at;
            } else if let Some(section) = sections.last_mut() {
                section.text = body.get(start..at).unwrap_or_default().trim_matches('\n');
            }
        }
        Page { title: first.strip_prefix("# ").unwrap_or(first).trim_end(), sections }
    }

    /// Returns the section with this heading.
    #[must_use]
    pub fn section(&self, heading: &str) -> Option<&RuleSection<'a>> {
        self.sections.iter().find(|section| section.heading == heading)
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
