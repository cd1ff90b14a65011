//! Output of results and findings.

use super::outcome::Outcome;
use crate::diag::{Diagnostic, Format, Sources, did_you_mean, for_terminal, render, ticked};
use crate::json;
use serde::Serialize;
use std::io::Write as _;
use std::path::Path;

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

/// Prints a result to standard output. A reader that closed the pipe is not an error.
pub(super) fn result(text: &str) -> Outcome {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            unable(&format!("cannot write the result: {e}"))
        }
        _ => Outcome::Fine,
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

/// Returns the outcome of writing a file. Prints the reason to standard error if it could not be written.
pub(super) fn filed(path: &Path, done: std::io::Result<()>) -> Outcome {
    match done {
        Ok(()) => Outcome::Fine,
        Err(e) => unable(&format!("cannot write `{}`: {e}", for_terminal(&path.display().to_string()))),
    }
}

/// Writes a result to a file: into a temporary file in the same folder, which is synced and renamed. Until then the old
/// file is unchanged. A link is followed. A pipe, a terminal or another special file such as `/dev/null` is written to,
/// never replaced.
///
/// # Errors
/// Returns an error if the folder is not writable; the old file is unchanged.
pub(super) fn file(path: &Path, text: &str, executable: bool) -> std::io::Result<()> {
    replace(path, text.as_bytes(), Some(if executable { 0o755 } else { 0o644 }))
}

/// Writes bytes to a file, in the same way.
///
/// # Errors
/// Returns the same errors as [`file()`].
#[cfg(feature = "measure")]
pub(super) fn bytes(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    replace(path, bytes, Some(0o644))
}

/// Writes a file again, with its present mode and, if permitted, its present owner.
///
/// # Errors
/// Returns the same errors as [`file()`].
pub(super) fn again(path: &Path, text: &str) -> std::io::Result<()> {
    replace(path, text.as_bytes(), None)
}

fn replace(path: &Path, bytes: &[u8], mode: Option<u32>) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let target = std::fs::canonicalize(path);
    let path = target.as_deref().unwrap_or(path);
    let there = std::fs::metadata(path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut aside = tempfile::Builder::new().prefix(".qosc-").tempfile_in(folder)?;
    aside.write_all(bytes)?;
    match (mode, there) {
        (None, Some(there)) => {
            // Only root can change the owner. Other users own the file that they write, as with an editor.
            let _ = std::os::unix::fs::fchown(aside.as_file(), Some(there.uid()), Some(there.gid()));
            aside.as_file().set_permissions(there.permissions())?;
        }
        (mode, _) => {
            aside.as_file().set_permissions(std::fs::Permissions::from_mode(mode.unwrap_or(0o644)))?
        }
    }
    aside.as_file().sync_all()?;
    aside.persist(path).map_err(|e| e.error)?;
    Ok(())
}
