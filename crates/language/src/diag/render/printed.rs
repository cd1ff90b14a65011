//! Findings with all details for programs, so that the texts that they point into can be dropped.

use super::excerpt::floor;
use crate::diag::{Code, Diagnostic, Edit, FileId, Fix, Label, Severity, Sources, Span};
use serde::Serialize;

/// A checked file with its findings.
#[derive(Debug, Clone)]
pub struct CheckedFile {
    /// File as the user named it.
    pub file: String,
    /// Findings in order.
    pub found: Vec<Printed>,
    /// Reason why the file could not be read.
    pub unread: Option<String>,
}

/// A finding in the form of JSON.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Printed {
    /// Code, such as `Q0203`.
    #[schemars(with = "String")]
    pub(super) code: Code,
    /// Severity.
    pub(super) severity: Severity,
    /// The finding as a sentence.
    pub(super) message: String,
    /// File of the main place; a file within the program has its name there.
    pub(super) file: Option<String>,
    /// Line of the main place, from 1.
    pub(super) line: Option<u32>,
    /// Column of the main place in characters, from 1.
    pub(super) column: Option<u32>,
    /// Position after the last character of the main place.
    pub(super) end: Option<End>,
    /// Places in the files; the main one comes first.
    pub(super) labels: Vec<Location>,
    /// Pieces of advice.
    pub(super) help: Vec<String>,
    /// Certain cure, which `--fix` applies.
    pub(super) fix: Option<Cure>,
}

/// A certain cure.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(super) struct Cure {
    /// Title of the cure.
    pub(super) title: String,
    /// Changes of the text.
    pub(super) edits: Vec<Change>,
}

/// New text for the range between two points of the user's file.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(super) struct Change {
    /// First character to replace.
    pub(super) start: Point,
    /// Position after the last character to replace.
    pub(super) end: Point,
    /// New text.
    pub(super) text: String,
}

/// Position in the user's file.
#[derive(Debug, Clone, Copy, Serialize, schemars::JsonSchema)]
pub(super) struct Point {
    /// Line, from 1.
    pub(super) line: u32,
    /// Column in characters, from 1.
    pub(super) column: u32,
    /// Offset in bytes, from 0.
    pub(super) offset: usize,
}

/// A place in a file.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(super) struct Location {
    /// File of the place.
    pub(super) file: Option<String>,
    /// Line, from 1.
    pub(super) line: u32,
    /// Column in characters, from 1.
    pub(super) column: u32,
    /// Position after the last character.
    pub(super) end: End,
    /// Words about the place; may be empty.
    pub(super) text: String,
    /// True for the main place.
    pub(super) primary: bool,
    /// True if the place is in the file that was checked, or in one that it includes.
    #[serde(skip)]
    pub(super) own: bool,
    /// True for a file inside this program, which no tool can open.
    #[serde(skip)]
    pub(super) built_in: bool,
}

/// Position after the last character.
#[derive(Debug, Clone, Copy, Serialize, schemars::JsonSchema)]
pub(super) struct End {
    /// Line, from 1.
    pub(super) line: u32,
    /// Column in characters, from 1.
    pub(super) column: u32,
}

impl Printed {
    /// Converts the findings of one file.
    #[must_use]
    pub fn all(found: &[Diagnostic], sources: &Sources) -> Vec<Printed> {
        found.iter().map(|finding| Printed::of(finding, sources)).collect()
    }

    fn of(finding: &Diagnostic, sources: &Sources) -> Printed {
        let labels: Vec<Location> = finding.labels.iter().map(|label| place(label, sources)).collect();
        let first = labels.first();
        Printed {
            code: finding.code,
            severity: finding.severity,
            message: finding.message.clone(),
            file: first.and_then(|place| place.file.clone()),
            line: first.map(|place| place.line),
            column: first.map(|place| place.column),
            end: first.map(|place| place.end),
            labels,
            help: finding.help.clone(),
            fix: finding.fix.as_ref().and_then(|fix| cure(fix, sources)),
        }
    }

    /// Returns the place of the problem, if it is in the file that was checked or in one that it includes.
    pub(super) fn own_place(&self) -> Option<&Location> {
        self.labels.first().filter(|label| label.own)
    }

    /// Returns the message and a line for each piece of advice, separated by newlines.
    pub(super) fn with_help(&self) -> String {
        let help = self.help.iter().map(|help| format!("\nhelp: {help}"));
        [self.message.clone()].into_iter().chain(help).collect()
    }
}

fn cure(fix: &Fix, sources: &Sources) -> Option<Cure> {
    let text = sources.get(FileId::OWN).map_or("", |source| &source.text);
    let change = |Edit { span, text: new }: Edit| {
        let end = end(span, text);
        let start = Point { line: span.line, column: span.column, offset: span.start };
        Change { start, end: Point { line: end.line, column: end.column, offset: span.end }, text: new }
    };
    Some(Cure { title: fix.title.clone(), edits: vec![change(fix.edit(sources)?)] })
}

fn place(label: &Label, sources: &Sources) -> Location {
    let source = sources.get(label.span.file);
    Location {
        file: source.map(|source| source.name.clone()),
        line: label.span.line,
        column: label.span.column,
        end: end(label.span, source.map_or("", |source| &source.text)),
        text: label.text.clone(),
        primary: label.primary,
        own: label.span.is_own() && source.is_some(),
        built_in: source.is_some_and(|source| source.built_in),
    }
}

/// Returns the line and column after the last character of a span.
fn end(span: Span, text: &str) -> End {
    let (start, end) = (floor(text, span.start), floor(text, span.end));
    let mut at = End { line: span.line, column: span.column };
    let mut chars = text.get(start..end).unwrap_or_default().chars().peekable();
    while let Some(c) = chars.next() {
        // as in YAML, LF, CR LF, or a single CR ends a line
        if c == '\n' || (c == '\r' && chars.peek() != Some(&'\n')) {
            at = End { line: at.line.saturating_add(1), column: 1 };
        } else {
            at.column = at.column.saturating_add(1);
        }
    }
    at
}
