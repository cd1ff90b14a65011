//! The pages of the rules: for each code what it looks for, why, an example of it and that example put right.
//!
//! A page is a file of Markdown, `src/rules/CODE.md`, and begins with `# CODE: title`. What a page says is what `qosc rule CODE`
//! prints, and what `docs/rules/` holds; `tests/rules.rs` runs its examples.

use crate::carried;
use crate::diag::{Code, Severity};
use serde::Serialize;

/// What a page has to have, in this order.
pub const HEADINGS: [&str; 6] =
    ["What it looks for", "Why it matters", "Bad", "Good", "How to fix", "Source"];

/// The names of the files that hold pages, without their ending, in order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    carried::names().filter_map(|name| name.strip_suffix(".md")).collect()
}

/// The text of a page as it was written.
#[must_use]
pub fn page(code: Code) -> Option<&'static str> {
    carried::text(&format!("{}.md", code.as_str()))
}

/// A page as it is read: its severity stands below its title.
#[must_use]
pub fn document(code: Code) -> Option<String> {
    let (title, rest) = page(code)?.split_once('\n')?;
    Some(format!("{title}\n\n{}\n{rest}", meaning(code)))
}

/// What the severity of a code comes to.
const fn meaning(code: Code) -> &'static str {
    match code.severity() {
        // of what was measured: the file is fine
        Severity::Error if matches!(code, Code::ExpectNotMet) => {
            "Error: it is compiled all the same; `qosc lab` says it, and exits with 1."
        }
        Severity::Error => "Error: nothing is compiled.",
        Severity::Warning => "Warning: it is compiled, and is likely not what was meant.",
        Severity::Note => "Note: it is compiled, and worth knowing.",
    }
}

/// A page in its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page<'a> {
    /// What stands behind `#`, on the first line.
    pub title: &'a str,
    /// What follows, in the order in which it is written.
    pub sections: Vec<Section<'a>>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section<'a> {
    /// What stands behind `##`.
    pub heading: &'a str,
    /// What stands below it, without the empty lines around it.
    pub text: &'a str,
}

/// A piece of code in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// What stands behind the fence: `yaml`, or `text` where no file is small enough to be shown.
    pub language: &'a str,
    /// What is between the fences.
    pub text: &'a str,
}

impl<'a> Page<'a> {
    /// Takes a page apart. What looks like a heading between fences is none.
    #[must_use]
    pub fn read(page: &'a str) -> Self {
        let (first, body) = page.split_once('\n').unwrap_or((page, ""));
        let mut sections = Vec::new();
        let (mut fenced, mut at) = (false, 0);
        let mut open: Option<(&str, usize)> = None;
        let close = |open: Option<(&'a str, usize)>, end: usize, sections: &mut Vec<Section<'a>>| {
            let Some((heading, text)) =
                open.and_then(|(heading, start)| Some((heading, body.get(start..end)?)))
            else {
                return;
            };
            sections.push(Section { heading, text: text.trim_matches('\n') });
        };
        for line in body.split_inclusive('\n') {
            let next = at + line.len();
            fenced ^= line.starts_with("```");
            if let Some(heading) = line.strip_prefix("## ").filter(|_| !fenced) {
                close(open.take(), at, &mut sections);
                open = Some((heading.trim_end(), next));
            }
            at = next;
        }
        close(open, body.len(), &mut sections);
        Page { title: first.strip_prefix("# ").unwrap_or(first).trim_end(), sections }
    }

    /// The section with this heading.
    #[must_use]
    pub fn section(&self, heading: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.heading == heading)
    }
}

impl<'a> Section<'a> {
    /// Its pieces of code.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block<'a>> {
        let mut blocks = Vec::new();
        let mut rest = self.text;
        while let Some((_, after)) = rest.split_once("```") {
            let Some((language, text)) = after.split_once('\n') else { break };
            let Some((text, after)) = text.split_once("```") else { break };
            blocks.push(Block { language: language.trim_end(), text });
            rest = after;
        }
        blocks
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
