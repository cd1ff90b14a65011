//! `qosc rule`.

use super::args::{Rule, RuleFormat};
use super::outcome::Done;
use super::output;
use qosc_compiler::diag::{Code, Severity};
use qosc_compiler::rules::{self, Page, RuleSection};
use serde::Serialize;

/// Width of wrapped text: most terminals are at least this wide.
const WIDTH: usize = 80;

pub(super) fn run(args: &Rule) -> Done {
    let Some(asked) = &args.code else {
        return match args.format {
            RuleFormat::Human => output::text(&list()),
            RuleFormat::Json => {
                json(&Code::ALL.iter().map(|code| RuleReport::new(*code)).collect::<Vec<_>>())
            }
        };
    };
    let Some(code) = Code::find(asked) else {
        // the nearest of several codes may be the wrong one, which does no harm here
        let known = Code::ALL.iter().map(|code| code.as_str());
        return Err(output::no_such("rule", asked, known, Some("qosc rule")));
    };
    match (args.format, rules::page(code)) {
        (RuleFormat::Json, _) => json(&RuleReport::new(code)),
        (RuleFormat::Human, Some(text)) => output::text(&filled(text)),
        (RuleFormat::Human, None) => output::text(&summary(code)),
    }
}

/// Wraps the words of a page into lines of [`WIDTH`] columns. Headings and fenced blocks are unchanged.
fn filled(page: &str) -> String {
    let mut out = String::new();
    let (mut fenced, mut column) = (false, 0);
    for line in page.lines() {
        let fence = line.starts_with("```");
        fenced ^= fence;
        if fenced || fence || line.is_empty() || line.starts_with(['#', '|']) {
            out.push_str(if column > 0 { "\n" } else { "" });
            out.push_str(line);
            out.push('\n');
            column = 0;
            continue;
        }
        if column > 0 && line.starts_with("- ") {
            out.push('\n');
            column = 0;
        }
        for word in line.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > WIDTH {
                out.push('\n');
                column = 0;
            } else if column > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
    }
    if column > 0 {
        out.push('\n');
    }
    out
}

fn list() -> String {
    Code::ALL.iter().map(|code| summary(*code)).collect()
}

/// Formats a line such as `Q0101  error    the text is not YAML`.
fn summary(code: Code) -> String {
    format!("{code}  {:7}  {}\n", code.severity().as_str(), code.title())
}

/// Rule in the form for `--format json`.
#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct RuleReport {
    /// Code of the finding, such as `Q0203`.
    #[schemars(with = "String")]
    code: Code,
    /// Severity of the finding.
    severity: Severity,
    /// Title of the rule.
    title: &'static str,
    /// Sections of the page, in order.
    sections: Vec<RuleSection<'static>>,
}

impl RuleReport {
    fn new(code: Code) -> Self {
        let sections = rules::page(code).map(|page| Page::read(page).sections).unwrap_or_default();
        RuleReport { code, severity: code.severity(), title: code.title(), sections }
    }
}

fn json(shown: &impl Serialize) -> Done {
    output::verbatim(&output::json(shown)?)
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn only_paragraphs_and_list_items_are_refilled() {
        let long = "word ".repeat(20);
        let page =
            format!("# {long}\n\n{long}\nand\nmore\n```yaml\n{long}\n- a\n```\n- one\n  two\n- three\n");
        let words = vec!["word"; 16].join(" ") + "\nword word word word and more";
        assert_eq!(
            filled(&page),
            format!("# {long}\n\n{words}\n```yaml\n{long}\n- a\n```\n- one two\n- three\n")
        );
        assert_eq!(filled("é".repeat(90).as_str()), "é".repeat(90) + "\n");
        assert_eq!(filled(""), "");
    }
}
