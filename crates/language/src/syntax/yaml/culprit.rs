//! Finds the line that caused an error if the parser only noticed it at another line. Such a line has the wrong
//! indentation, or has a bracket or a quote that should end on it.
//!
//! The search only looks at lines and their indentation, as people do. It treats lines in blocks of text like other
//! lines.

use super::opened::{Opened, opened};
use super::stop::{INDENT, Stuck};
use crate::diag::{Code, Diagnostic, FileId, Span, ticked};
use serde_saphyr::granit_parser::ErrorKind;
use std::collections::BTreeMap;

/// Returns the finding about the line that caused the error; `None` if that is the line at which the parser noticed it.
pub(super) fn culprit(kind: &ErrorKind, text: &str, span: Span, stuck: &Stuck) -> Option<Diagnostic> {
    use ErrorKind as E;
    let lines = lines(text, span.file);
    if let Some(finding) = unclosed(&lines, text, span) {
        return Some(finding);
    }
    match kind {
        E::ExpectedBlockMappingKey
        | E::InvalidIndentation
        | E::ExpectedDocumentStart
        | E::InvalidDocumentEnd
        | E::MissingDocumentEndBeforeDirective => {
            anchor_for_key(&lines, text, span).or_else(|| first_of_block(&lines, span))
        }
        E::ExpectedBlockSequenceEntry => only_item(&lines, span),
        E::MappingValueNotAllowed => {
            if let Some(finding) = dash_without_space(&lines, text, span) {
                return Some(finding);
            }
            let scalar = stuck.scalar?;
            let whole = text.get(scalar.start..scalar.end)?;
            let begun = lines.iter().find(|line| line.span.line == scalar.line)?;
            let behind_key = begun.span.start < scalar.start && whole.contains('\n');
            let goes_on = lines.iter().find(|line| line.span.line == span.line && span.line > scalar.line)?;
            let above = lines.iter().rfind(|line| line.span.line < begun.span.line);
            let first = above.filter(|above| above.opens).and_then(|_| first_of_block(&lines, span));
            behind_key.then(|| first.unwrap_or_else(|| goes_on.goes_on(begun)))
        }
        E::CommentInterceptedScalar => {
            let begun = lines.iter().rfind(|line| line.span.line <= span.line)?;
            lines.iter().find(|line| line.span.line > span.line).map(|line| line.goes_on(begun))
        }
        _ => None,
    }
}

/// A line with contents.
struct YamlLine {
    /// Contents without the indentation.
    span: Span,
    /// Bytes of indentation.
    indent: usize,
    /// `true` for an item of a list.
    item: bool,
    /// `true` if the value begins on the next line.
    opens: bool,
}

impl YamlLine {
    fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::Syntax, self.span, message)
    }

    fn goes_on(&self, begun: &YamlLine) -> Diagnostic {
        self.finding("this line continues the value above it, because it is indented more")
            .also(begun.span, "this line has a value")
            .help("begin both lines in the same column, or remove the value above")
    }
}

/// Returns the lines of a text that have contents.
fn lines(text: &str, file: FileId) -> Vec<YamlLine> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let said = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - said.len();
        let said = said.split(" #").next().unwrap_or(said).trim_end();
        if !said.is_empty() && !said.starts_with('#') {
            let (start, blank) = (start + indent, line.get(..indent).unwrap_or_default());
            let column = u32::try_from(blank.chars().count() + 1).unwrap_or(u32::MAX);
            let span = Span { file, start, end: start + said.len(), line: number, column };
            let item = said == "-" || said.starts_with("- ");
            lines.push(YamlLine { span, indent, item, opens: said.ends_with(':') });
        }
        start += line.len();
    }
    lines
}

/// Returns a finding about a bracket or a quote that extends over lines that do not look like its contents.
fn unclosed(lines: &[YamlLine], text: &str, span: Span) -> Option<Diagnostic> {
    match opened(text, span)? {
        Opened::Quote(quote) => Some(
            Diagnostic::new(Code::Syntax, quote, "this quote is not closed on its line")
                .also(span, "YAML cannot go on here")
                .help("write the same quote at the end of the value, on the same line"),
        ),
        Opened::Bracket(bracket, close) => {
            // The lines of an intended multi-line bracket are indented further, and it contains no list with dashes.
            let mut lines = lines.iter().skip_while(|line| line.span.line < bracket.line);
            let indent = lines.next()?.indent;
            let outside = lines
                .take_while(|line| line.span.line <= span.line)
                .any(|line| line.item || line.indent <= indent);
            outside.then(|| {
                Diagnostic::new(Code::Syntax, bracket, "this bracket is not closed before the next line")
                    .also(span, "this cannot stand inside the bracket")
                    .help(format!("close it with `{close}`"))
            })
        }
    }
}

/// Returns a finding about `-{ a: 1 }`, which YAML reads as a text that begins with `-`.
fn dash_without_space(lines: &[YamlLine], text: &str, span: Span) -> Option<Diagnostic> {
    let here = lines.iter().find(|line| line.span.line == span.line)?;
    let item = text.get(here.span.start..here.span.end)?.strip_prefix('-')?;
    let help = format!("write {}", ticked(&format!("- {item}")));
    item.starts_with(['{', '[']).then(|| here.finding("a space is missing after `-`").help(help))
}

/// Returns a finding about an earlier key that begins with `&`, such as `&link:`. YAML reads it as an anchor.
fn anchor_for_key(lines: &[YamlLine], text: &str, span: Span) -> Option<Diagnostic> {
    let here = lines.iter().find(|line| line.span.line == span.line)?;
    let above = lines.iter().take_while(|line| line.span.line < span.line);
    let (line, key) = above.filter(|line| line.indent == here.indent).find_map(|line| {
        let key = text.get(line.span.start..line.span.end)?.strip_prefix('&')?;
        (key.ends_with(':') && !key.contains(' ')).then_some((line, key))
    })?;
    let finding = line.finding("YAML reads a key that begins with `&` as an anchor");
    Some(finding.also(here.span, "YAML cannot go on here").help(format!("remove the `&`: {}", ticked(key))))
}

/// Returns a finding about the first line of the block that this line should belong to, if that begins in another
/// column.
fn first_of_block(lines: &[YamlLine], span: Span) -> Option<Diagnostic> {
    let at = lines.iter().position(|line| line.span.line == span.line)?;
    let (here, before) = (lines.get(at)?, lines.get(..at)?);
    let step = step(lines);
    let above = before.iter().rposition(|line| line.opens && line.indent + step == here.indent);
    let first = match above {
        Some(above) => before.get(above + 1)?,
        None => before.first().filter(|_| here.indent == 0)?,
    };
    if first.indent == here.indent {
        let between = before.iter().rev().take_while(|line| line.span.line > first.span.line);
        // A section belongs where it is if its block is indented from there.
        let opens_here = |(next, key): (&YamlLine, &YamlLine)| {
            key.indent == 0 && key.opens && next.indent > here.indent && next.indent != here.indent + step
        };
        if between.clone().zip(between.clone().skip(1)).any(opens_here) {
            return None;
        }
        return ended(between.filter(|line| line.indent < here.indent), here);
    }
    let (wrong, right) = (first.span.column, here.span.column);
    let message = format!(
        "this line begins in column {wrong}, but another line of the same level begins in column {right}"
    );
    Some(first.finding(message).also(here.span, "this line is on the same level").help(INDENT))
}

/// Returns a finding about the only line that ended the block that continues here.
fn ended<'a>(mut lesser: impl Iterator<Item = &'a YamlLine>, here: &YamlLine) -> Option<Diagnostic> {
    let (Some(wrong), None) = (lesser.next(), lesser.next()) else { return None };
    let (ends, goes_on) = (wrong.span.column, here.span.column);
    let message =
        format!("this line begins in column {ends}, but the line below it begins in column {goes_on}");
    Some(wrong.finding(message).also(here.span, "this line belongs to the block above").help(INDENT))
}

/// Returns the most frequent indentation step.
fn step(lines: &[YamlLine]) -> usize {
    let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
    for (one, next) in lines.iter().zip(lines.iter().skip(1)) {
        if let Some(step @ 1..) = next.indent.checked_sub(one.indent).filter(|_| one.opens) {
            *steps.entry(step).or_default() += 1;
        }
    }
    // among equally frequent steps the smallest wins; a single occurrence proves nothing
    let often = steps.into_iter().rev().filter(|(_, times)| *times > 1);
    often.max_by_key(|(_, times)| *times).map_or(2, |(step, _)| step)
}

/// Returns a finding about the only item of a list among keys.
fn only_item(lines: &[YamlLine], span: Span) -> Option<Diagnostic> {
    let at = lines.iter().position(|line| line.span.line == span.line)?;
    let here = lines.get(at).filter(|here| !here.item)?;
    let block = lines.get(..at)?.iter().rev().take_while(|line| line.indent >= here.indent);
    let mut items = block.filter(|line| line.indent == here.indent && line.item);
    let only = items.next().filter(|only| only.opens)?;
    if items.next().is_some() {
        return None;
    }
    let finding = only
        .finding("keys follow this list item on the same level")
        .also(here.span, "this line is not a list item");
    Some(finding.help("remove the `-`, or write one before each line of this level"))
}
