//! Pages of the rules. The page on a code has its purpose, the reason, an example, and the corrected example.
//!
//! A page is a Markdown file, `docs/rules/CODE.md`, that begins with `# CODE: title` and the meaning of its severity.
//! `qosc rule CODE` prints it. `tests/file/rules.rs` runs its examples.

use crate::carried;
use crate::diag::Code;
use serde::Serialize;

/// Returns the text of a page as it is written.
#[must_use]
pub fn page(code: Code) -> Option<&'static str> {
    carried::text(&format!("{}.md", code.as_str()))
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
