//! Differences as Markdown, for a comment on a pull request.
//!
//! A stranger may have chosen the names and values. They stand only in code, where nothing is a link, HTML or a mention.

use super::diff_report::{FileDiff, FileResult, Problem, summary, worst};
use qosc_compiler::diag::{Format, for_terminal, render};
use qosc_compiler::{harmless, xml};
use qosc_preview::compare::changes;
use qosc_preview::diff::Look;
use std::fmt::Write as _;

/// Largest number of bytes up to the end of the table.
const MOST_ROWS: usize = 20_000;
/// Largest number of bytes of the text. GitHub refuses a comment with more than 65,536 characters.
const MOST: usize = 60_000;

/// Returns the summary, a table of the files that are not unchanged, and the details of each.
pub(super) fn markdown(files: &[FileDiff], verbose: bool) -> String {
    let mut out = format!("{}\n", summary(files, code));
    let files: Vec<&FileDiff> = files.iter().filter(|file| file.word() != "unchanged").collect();
    if !files.is_empty() {
        out.push_str("\n| file | result | changes | cost on a live router |\n|---|---|---|---|\n");
    }
    let rows = files.iter().map(|file| (MOST_ROWS, row(file)));
    let details = files.iter().filter_map(|file| Some((MOST, detail(file, verbose)?)));
    let mut left_out = 0;
    for (most, text) in rows.chain(details) {
        match out.len() + text.len() <= most {
            true => out.push_str(&text),
            false => left_out += 1,
        }
    }
    if left_out > 0 {
        let _infallible =
            write!(out, "\nRows and details that are left out because of the length: {left_out}\n");
    }
    out
}

fn row(file: &FileDiff) -> String {
    let (changes, cost) = match file.changed() {
        Some(found) => (found.changes.len().to_string(), worst(found).words()),
        None => (String::new(), ""),
    };
    format!("| {} | {} | {changes} | {cost} |\n", code(&file.shown()), file.word())
}

fn detail(file: &FileDiff, verbose: bool) -> Option<String> {
    let text = match &file.result {
        FileResult::Unusable(problems) => problems.iter().map(finding).collect(),
        _ => changes(file.changed()?, Look { verbose, colour: false }),
    };
    let text = harmless::lines(text.trim_end(), false);
    let name = xml::escaped(&for_terminal(&file.shown()));
    let fence = fence(&text);
    Some(format!(
        "\n<details><summary><code>{name}</code>: {}</summary>\n\n{fence}text\n{text}\n{fence}\n\n</details>\n",
        file.word()
    ))
}

fn finding(problem: &Problem) -> String {
    match problem {
        Problem::Unread(words) => format!("error: {words}\n"),
        Problem::Findings(found, sources) => render(found, sources, Format::Human { colour: false }),
    }
}

/// Returns a fence that no line of the text can close.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// Returns a name as a code span in a cell of a table. U+FFFD replaces what could end either.
pub(super) fn code(name: &str) -> String {
    format!("`{}`", for_terminal(name).replace(['`', '|', '\\'], "\u{fffd}"))
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
