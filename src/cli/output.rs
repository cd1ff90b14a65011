//! Output of results and findings.

use super::outcome::Outcome;
use crate::diag::{Diagnostic, Format, Sources, did_you_mean, for_terminal, render, ticked};
use crate::json;
use serde::Serialize;
use std::io::Write as _;

/// Prints findings to standard error, in colour only on a terminal that wants it.
pub(super) fn findings(found: &[Diagnostic], sources: &Sources) {
    drawn(found, sources, colours(&std::io::stderr()));
}

/// Prints findings to standard error, with or without colour.
pub(super) fn drawn(found: &[Diagnostic], sources: &Sources, colour: bool) {
    let _ = std::io::stderr().lock().write_all(render(found, sources, Format::Human { colour }).as_bytes());
}

/// True if a stream is a terminal that wants colours.
pub(super) fn colours<S: anstream::stream::RawStream>(stream: &S) -> bool {
    stream.is_terminal() && anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// Prints a warning to standard error.
pub(super) fn warn(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "warning: {words}");
}

/// Prints a line about the findings to standard error.
pub(super) fn say(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{words}");
}

/// Prints an error to standard error. It may contain names of files, which must not control the terminal.
pub(super) fn complain(words: &str) {
    let words = words.split('\n').map(for_terminal).collect::<Vec<_>>().join("\n");
    let _ = writeln!(std::io::stderr().lock(), "error: {words}");
}

/// Prints an error to standard error and returns the outcome of the run.
pub(super) fn unable(words: &str) -> Outcome {
    complain(words);
    Outcome::Unable
}

/// Message that there is nothing with this name, with a suggestion or the command that lists all names.
pub(super) fn no_such<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    lists: Option<&str>,
) -> String {
    let hint = match (did_you_mean(name, known), lists) {
        (Some(near), _) => format!("; did you mean {}?", ticked(near)),
        (None, Some(command)) => format!("; `{command}` lists them"),
        (None, None) => String::new(),
    };
    format!("there is no {what} {}{hint}", ticked(name))
}

/// Prints a result to standard output, or the reason why this failed to standard error.
pub(super) fn result(text: &str) -> Outcome {
    match shown(text) {
        Ok(()) => Outcome::Fine,
        Err(words) => unable(&words),
    }
}

/// Prints a result to standard output. A reader that closed the pipe is not an error.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn shown(text: &str) -> Result<(), String> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write the result: {e}")),
        _ => Ok(()),
    }
}

/// Formats a value as JSON with at least one line.
pub(super) fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|e| format!("cannot print as JSON: {e}"))
}

/// Formats a value as JSON, with one line for each object of a list.
pub(super) fn json_lines(value: &impl Serialize) -> Result<String, String> {
    let value = serde_json::to_value(value).map_err(|e| format!("cannot print as JSON: {e}"))?;
    Ok(json::lines(&value))
}

/// Prints a result to standard output, or the reason why there is none to standard error.
pub(super) fn written(text: Result<String, String>) -> Outcome {
    match text {
        Ok(text) => result(&text),
        Err(words) => unable(&words),
    }
}
