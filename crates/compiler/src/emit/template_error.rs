//! Failures of templates.

use crate::harmless::is_hidden;

/// Failure to print a script because its built-in template is broken. A test rules this out.
#[derive(Debug)]
pub struct EmitError(String);

impl EmitError {
    pub(super) fn of(error: &impl std::fmt::Display) -> EmitError {
        EmitError(error.to_string())
    }
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the script's frame is broken: {}", self.0)
    }
}

impl std::error::Error for EmitError {}

/// Failure of a user's template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// File name of the template; empty if the templates as a whole are wrong.
    pub file: String,
    /// Line and column in the template, from 1, if known.
    pub place: Option<(usize, usize)>,
    /// Reason in one line.
    pub reason: String,
}

impl TemplateError {
    /// Returns a failure without a place in the file.
    pub(super) fn in_file(file: &str, reason: String) -> TemplateError {
        TemplateError { file: file.to_owned(), place: None, reason }
    }

    pub(super) fn of(error: &tera::Error) -> TemplateError {
        use tera::ErrorKind::{RenderingError, SyntaxError};
        match error.kind() {
            SyntaxError(report) | RenderingError(report) => {
                let span = report.span();
                let place = Some((span.start_line, span.start_col + 1));
                TemplateError { file: report.filename().to_owned(), place, reason: worded(report.message()) }
            }
            _ => reported(&error.to_string()),
        }
    }
}

/// Returns the first failure of a report, in which a line such as `--> FILE:LINE:COLUMN` follows the reason.
fn reported(text: &str) -> TemplateError {
    let place = text.lines().find_map(|line| {
        let mut parts = line.trim_start().strip_prefix("--> ")?.rsplitn(3, ':');
        let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((parts.next()?.to_owned(), (line, column)))
    });
    let reason = worded(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
    match place {
        Some((file, place)) => TemplateError { file, place: Some(place), reason },
        None => TemplateError { file: String::new(), place: None, reason },
    }
}

/// Returns a reason in the form of our messages: one line, in lower case, without hidden characters and full stop.
fn worded(reason: &str) -> String {
    let line: String = reason
        .trim_start_matches("error: ")
        .chars()
        .map(|c| if c == '\n' { ' ' } else { c })
        .map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    let line = line.replace(". Available variables: ", "; the variables are ");
    let line = line.replace(". Available fields: ", "; the fields are ").replace("`u64`", "a whole number");
    let mut chars = line.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

impl std::fmt::Display for TemplateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TemplateError { file, place, reason } = self;
        match place {
            Some((line, column)) => write!(f, "{file}:{line}:{column}: {reason}"),
            None if file.is_empty() => f.write_str(reason),
            None => write!(f, "{file}: {reason}"),
        }
    }
}

impl std::error::Error for TemplateError {}
