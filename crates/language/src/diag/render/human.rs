//! Findings for people: the underlined text, in the style of rustc.

use super::clean::{self, PLACE};
use super::excerpt::{Excerpt, Lines, excerpts};
use super::summary::summary;
use crate::diag::{Diagnostic, FileId, Label, Severity, Sources, count, folded};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Largest number of findings that are shown; further ones are only counted.
const SHOWN_MAX: usize = 1000;

/// Largest number of places of a finding that are shown; further ones are only counted.
const PLACES_MAX: usize = 20;

/// Width of the drawing, large enough that the library cuts nothing.
const WIDTH: usize = 1000;

/// Draws findings with blank lines between them, and a summary at the end.
pub(super) fn render(found: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH);
    let mut lines: BTreeMap<FileId, Lines<'_>> = BTreeMap::new();
    for label in found.iter().take(SHOWN_MAX).flat_map(|d| &d.labels) {
        if let Some(source) = sources.get(label.span.file) {
            lines.entry(label.span.file).or_insert_with(|| Lines::new(&source.text));
        }
    }
    let mut out = String::new();
    for diagnostic in found.iter().take(SHOWN_MAX) {
        let drawn = draw(diagnostic, &lines, &renderer);
        out.push_str(&with_places(&drawn, diagnostic, sources));
        out.push_str("\n\n");
    }
    if !found.is_empty() {
        out.push_str(&summary(found));
        if found.len() > SHOWN_MAX {
            let _infallible = write!(out, "; the first {SHOWN_MAX} are shown");
        }
        out.push('\n');
    }
    out
}

/// Draws one finding, with indices between [`PLACE`] instead of files, lines and columns.
fn draw(diagnostic: &Diagnostic, lines: &BTreeMap<FileId, Lines<'_>>, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let indent = diagnostic.severity.as_str().len() + "[Q0000]: ".len();
    let title = folded(&clean::for_terminal(&diagnostic.message), indent);
    let title = level.primary_title(title).id(diagnostic.code.as_str());
    let mut group = Group::with_title(title);
    for excerpt in all_excerpts(diagnostic, lines) {
        group = group.element(snippet(excerpt, &diagnostic.labels));
    }
    let last = diagnostic.labels.iter().map(|label| label.span.line).max().unwrap_or_default();
    let indent = last.max(1).ilog10() as usize + " = help: ".len() + 1;
    let help =
        diagnostic.help.iter().map(|help| Level::HELP.message(folded(&clean::for_terminal(help), indent)));
    let hidden = diagnostic.labels.len().saturating_sub(PLACES_MAX);
    let note =
        (hidden > 0).then(|| Level::NOTE.message(format!("{} not shown", count(hidden, "more place"))));
    renderer.render(&[group.elements(help).elements(note)])
}

/// Returns the excerpts of all files that a finding points at, that of its first label first.
fn all_excerpts(diagnostic: &Diagnostic, lines: &BTreeMap<FileId, Lines<'_>>) -> Vec<Excerpt> {
    let mut by_file: Vec<(FileId, Vec<(usize, &Label)>)> = Vec::new();
    for (index, label) in diagnostic.labels.iter().enumerate().take(PLACES_MAX) {
        match by_file.iter_mut().find(|(file, _)| *file == label.span.file) {
            Some((_, labels)) => labels.push((index, label)),
            None => by_file.push((label.span.file, vec![(index, label)])),
        }
    }
    let of = |(file, labels): &(FileId, Vec<(usize, &Label)>)| {
        lines.get(file).map(|lines| excerpts(lines, labels)).unwrap_or_default()
    };
    by_file.iter().flat_map(of).collect()
}

fn snippet(excerpt: Excerpt, labels: &[Label]) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
    let head = excerpt.places.iter().map(|(_, index)| *index).min().unwrap_or(0);
    let annotations: Vec<_> = excerpt
        .places
        .into_iter()
        .filter_map(|(place, index)| Some((place, labels.get(index)?)))
        .map(|(place, label)| {
            let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = Some(clean::for_terminal(&label.text)).filter(|text| !text.is_empty());
            kind.span(place).label(text)
        })
        .collect();
    Snippet::source(excerpt.text)
        .line_start(excerpt.first)
        .path(format!("{PLACE}{head}{PLACE}"))
        .annotations(annotations)
}

/// Replaces the indices between [`PLACE`] by files, lines and columns.
fn with_places(drawn: &str, diagnostic: &Diagnostic, sources: &Sources) -> String {
    let mut out = String::with_capacity(drawn.len());
    let mut pieces = drawn.split(PLACE);
    out.push_str(pieces.next().unwrap_or_default());
    while let (Some(index), Some(rest)) = (pieces.next(), pieces.next()) {
        let label = index.parse().ok().and_then(|index: usize| diagnostic.labels.get(index));
        if let Some(label) = label
            && let Some(source) = sources.get(label.span.file)
        {
            let (line, column) = (label.span.line, label.span.column);
            let _infallible = write!(out, "{}:{line}:{column}", clean::for_terminal(&source.name));
        }
        // skip the library's own line and column
        out.push_str(rest.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()));
    }
    out
}
