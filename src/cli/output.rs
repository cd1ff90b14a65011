//! Output of results and findings. Only this file writes to standard output and standard error.
//!
//! Text for people is harmless. Files, their names and dumps can neither control the terminal nor give a CI system a
//! command.

#![expect(clippy::disallowed_methods, reason = "this file prints")]

use super::outcome::{Done, Outcome};
use qosc_compiler::diag::{
    Diagnostic, Format, Sources, did_you_mean, for_terminal, render, ticked, wrap_at, wrapped,
};
use qosc_compiler::harmless;
use qosc_compiler::tc::Program;
use serde::Serialize;
use std::io::Write;
use std::os::fd::AsFd as _;
use std::path::Path;

/// Prints findings to standard error, in colour only on a terminal that wants it.
pub(super) fn findings(found: &[Diagnostic], sources: &Sources) {
    drawn(found, sources, colours());
}

/// Prints findings to standard error, with or without colour.
pub(super) fn drawn(found: &[Diagnostic], sources: &Sources, colour: bool) {
    error(&render(found, sources, Format::Human { colour }), colour);
}

/// True if standard error is a terminal that wants colours.
pub(super) fn colours() -> bool {
    wants_colours(&std::io::stderr())
}

/// True if standard output is a terminal that wants colours.
pub(super) fn result_colours() -> bool {
    wants_colours(&std::io::stdout())
}

fn wants_colours<S: anstream::stream::RawStream>(stream: &S) -> bool {
    stream.is_terminal() && anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// Prints a warning to standard error.
pub(super) fn warn(words: &str) {
    labelled("warning: ", words);
}

/// Prints lines about the findings to standard error.
pub(super) fn say(words: &str) {
    error(&format!("{words}\n"), false);
}

/// Prints an error to standard error.
pub(super) fn complain(words: &str) {
    labelled("error: ", words);
}

/// Prints a message. It is wrapped only for a terminal: programs look for its words in one line.
fn labelled(label: &str, words: &str) {
    if width_of(&std::io::stderr()).is_none() {
        return error(&format!("{label}{words}\n"), false);
    }
    let mut text = String::new();
    for (number, line) in words.split('\n').enumerate() {
        wrapped(&mut text, if number == 0 { label } else { "" }, line, 2);
    }
    error(&text, false);
}

/// Prints text for people to standard error. `coloured` says that the text has colours of its own.
pub(super) fn error(text: &str, coloured: bool) {
    let _ = std::io::stderr().lock().write_all(harmless::lines(text, coloured).as_bytes());
}

/// Prints the message of the command line's parser, or the help.
pub(super) fn parsed(message: &clap::Error) {
    let text = |coloured: bool| {
        let text = message.render();
        if coloured { text.ansi().to_string() } else { text.to_string() }
    };
    if message.use_stderr() {
        error(&text(colours()), colours());
    } else {
        let _read_no_further = printed(&harmless::lines(&text(result_colours()), result_colours()));
    }
}

/// Width of the terminal that standard error is, in columns; `None` if it is no terminal.
pub(super) fn columns() -> Option<usize> {
    width_of(&std::io::stderr())
}

/// Wraps texts for people at the width of the terminal.
pub(super) fn fit_terminal() {
    if let Some(columns) = width_of(&std::io::stdout()).or_else(|| width_of(&std::io::stderr())) {
        wrap_at(columns);
    }
}

fn width_of<S: std::io::IsTerminal + std::os::fd::AsFd>(stream: &S) -> Option<usize> {
    #[cfg(unix)]
    let size = || rustix::termios::tcgetwinsize(stream).map_or(0, |size| size.ws_col);
    #[cfg(not(unix))]
    let size = || 0_u16;
    stream.is_terminal().then(|| match size() {
        0 => 80,
        columns => usize::from(columns),
    })
}

/// Replaces the line of the terminal that standard error is.
pub(super) fn replace_line(line: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = write!(stream, "\r{}\x1b[K", harmless::lines(line, false));
    let _ = stream.flush();
}

/// Questions on standard error. A whole question is printed when it is flushed.
#[derive(Default)]
pub(super) struct Questions(Vec<u8>);

impl Write for Questions {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        error(&String::from_utf8_lossy(&std::mem::take(&mut self.0)), false);
        Ok(())
    }
}

/// Name of a file in a message, on one line.
pub(super) fn name(path: &Path) -> String {
    for_terminal(&path.display().to_string())
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

/// Prints a result for people to standard output. It has colours of its own if that is a terminal that wants them.
pub(super) fn coloured(text: &str) -> Done {
    printed(&harmless::lines(text, result_colours()))
}

/// Prints a result for people to standard output.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn text(text: &str) -> Done {
    printed(&harmless::lines(text, false))
}

/// Prints a text of the user to standard output: byte for byte, but harmless to a terminal and to a CI system.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn exact(text: &str) -> Done {
    if is_terminal() { self::text(text) } else { verbatim(text) }
}

/// Prints a result for programs to standard output, byte for byte. Anything but a regular file may be the log of a CI
/// system, and then a text with a command for it is refused.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn verbatim(text: &str) -> Done {
    match harmless::command(text).filter(|_| !is_file()) {
        Some(line) => Err(format!(
            "line {line} of the result is a command to some CI systems, so it is not printed\n  help: write the result to a file, such as `>FILE`"
        )),
        None => printed(text),
    }
}

/// True if standard output is a regular file.
fn is_file() -> bool {
    let stream = std::io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    stream.and_then(|file| file.metadata()).is_ok_and(|there| there.is_file())
}

/// Prints bytes to standard output. A reader that closed the pipe is not an error.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn printed(text: &str) -> Done {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write the result: {e}")),
        _ => Ok(Outcome::Fine),
    }
}

/// True if standard output is a terminal.
pub(super) fn is_terminal() -> bool {
    use std::io::IsTerminal as _;
    std::io::stdout().is_terminal()
}

/// Returns standard output as a file, for the output of a shell of the user.
#[cfg(unix)]
pub(super) fn to_share() -> Result<std::fs::File, String> {
    let own = std::io::stdout().as_fd().try_clone_to_owned();
    own.map(Into::into).map_err(|e| format!("cannot share standard output: {e}"))
}

/// Prints text for people to standard output at once. Returns false if the reader closed the pipe.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn is_read(text: &str) -> Result<bool, String> {
    let mut stream = std::io::stdout().lock();
    let text = harmless::lines(text, false);
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(format!("cannot write the result: {e}")),
    }
}

/// Largest result in JSON, in bytes.
const MOST_JSON: usize = 96 << 20;

/// A text that may have [`MOST_JSON`] bytes.
#[derive(Default)]
struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_JSON {
            return Err(std::io::Error::other(format!("it is larger than {} MiB", MOST_JSON >> 20)));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn not_json(error: &impl std::fmt::Display) -> String {
    format!("cannot print as JSON: {error}")
}

/// Formats a value as JSON with at least one line.
pub(super) fn json(value: &impl Serialize) -> Result<String, String> {
    let mut text = Limited::default();
    serde_json::to_writer_pretty(&mut text, value).map_err(|e| not_json(&e))?;
    let text = String::from_utf8(text.0).map_err(|e| not_json(&e))?;
    Ok(harmless::json(text) + "\n")
}

/// Formats a program as JSON, with one line for each qdisc, class and filter.
pub(super) fn program(program: &Program) -> Result<String, String> {
    let few = Program { decrypted: program.decrypted.clone(), ..program.without_objects() };
    let few = serde_json::to_value(few).map_err(|e| not_json(&e))?;
    let fields = few.as_object().ok_or_else(|| not_json(&"it is no object"))?;
    let mut text = String::from("{");
    for (number, (key, value)) in fields.iter().enumerate() {
        text.push_str(if number == 0 { "\n" } else { ",\n" });
        text += &format!("  \"{key}\": ");
        match key.as_str() {
            "qdiscs" => push_list(&mut text, &program.qdiscs)?,
            "classes" => push_list(&mut text, &program.classes)?,
            "filters" => push_list(&mut text, &program.filters)?,
            _ => text.push_str(&value.to_string()),
        }
    }
    Ok(harmless::json(text + "\n}\n"))
}

/// Adds a list in JSON, with one line for each element. Only one of them is in memory at a time.
fn push_list<T: Serialize>(text: &mut String, list: &[T]) -> Result<(), String> {
    for (number, element) in list.iter().enumerate() {
        text.push_str(if number == 0 { "[\n    " } else { ",\n    " });
        text.push_str(&serde_json::to_string(element).map_err(|e| not_json(&e))?);
    }
    text.push_str(if list.is_empty() { "[]" } else { "\n  ]" });
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_json_result_has_a_limited_size() {
        let long = "x".repeat(1 << 20);
        assert!(super::json(&vec![&long; 95]).is_ok());
        let refused = super::json(&vec![&long; 96]).unwrap_err();
        assert_eq!(refused, "cannot print as JSON: it is larger than 96 MiB");
    }
}
