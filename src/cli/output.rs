//! Where results and findings go.

use super::Outcome;
use crate::diag::{Diagnostic, Format, Sources, did_you_mean, for_terminal, render, ticked};
use crate::json;
use serde::Serialize;
use std::io::Write as _;
use std::path::Path;

/// Findings to standard error, with colour only on a terminal that wants it.
pub(super) fn findings(found: &[Diagnostic], sources: &Sources) {
    drawn(found, sources, colours(&std::io::stderr()));
}

/// Findings to standard error, with colour or without.
pub(super) fn drawn(found: &[Diagnostic], sources: &Sources, colour: bool) {
    let _ = std::io::stderr().lock().write_all(render(found, sources, Format::Human { colour }).as_bytes());
}

/// Whether a stream is a terminal that wants colours.
pub(super) fn colours<S: anstream::stream::RawStream>(stream: &S) -> bool {
    stream.is_terminal() && anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// A warning to standard error.
pub(super) fn warn(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "warning: {words}");
}

/// A line about what was found, to standard error.
pub(super) fn say(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{words}");
}

/// A line to standard error.
pub(super) fn complain(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "error: {words}");
}

/// The same, as the end of a run.
pub(super) fn unable(words: &str) -> Outcome {
    complain(words);
    Outcome::Unable
}

/// That there is nothing of this name: which was meant, or what lists those that there are.
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

/// A result to standard output. A reader that went away is no error of ours.
pub(super) fn result(text: &str) -> Outcome {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            unable(&format!("cannot write the result: {e}"))
        }
        _ => Outcome::Fine,
    }
}

/// A value as JSON, a line at least.
pub(super) fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|e| format!("cannot print as JSON: {e}"))
}

/// A value as JSON, each object of a list on one line.
pub(super) fn json_lines(value: &impl Serialize) -> Result<String, String> {
    let value = serde_json::to_value(value).map_err(|e| format!("cannot print as JSON: {e}"))?;
    Ok(json::lines(&value))
}

/// A result to standard output, or why there is none to standard error.
pub(super) fn written(text: Result<String, String>) -> Outcome {
    match text {
        Ok(text) => result(&text),
        Err(words) => unable(&words),
    }
}

/// How writing a file ended; why it could not be written, to standard error.
pub(super) fn filed(path: &Path, done: std::io::Result<()>) -> Outcome {
    match done {
        Ok(()) => Outcome::Fine,
        Err(e) => unable(&format!("cannot write `{}`: {e}", for_terminal(&path.display().to_string()))),
    }
}

/// A result to a file: written aside in the same folder, made durable, renamed. Until then the old file stands. A link
/// is followed; what is no plain file (a pipe, a terminal, `/dev/null`) is written into, never replaced.
///
/// # Errors
/// When the folder cannot be written to; the old file is as it was.
pub(super) fn file(path: &Path, text: &str, executable: bool) -> std::io::Result<()> {
    replace(path, text.as_bytes(), Some(if executable { 0o755 } else { 0o644 }))
}

/// The same for what is no text.
///
/// # Errors
/// As of [`file()`].
#[cfg(feature = "measure")]
pub(super) fn bytes(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    replace(path, bytes, Some(0o644))
}

/// The same with the mode and, where we may, the owner that the file has now.
///
/// # Errors
/// As of [`file()`].
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
            // Only root can give a file away; who else may write here keeps what they write, as with an editor.
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
