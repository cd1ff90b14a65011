//! Reading and compiling a file, the same way for every command.

use super::layers::Layers;
use super::output;
use super::output_file::FileState;
use super::read::read_with_state;
pub(super) use super::read::whole;
use qosc_compiler::compile::{Compilation, Options, compile_with};
use qosc_compiler::diag::{Levels, counts};
use qosc_compiler::layers::Files;
use qosc_compiler::syntax;
use std::path::Path;

/// Reads a file and compiles it as far as possible.
///
/// # Errors
/// Returns a message for standard error if the file cannot be read.
fn front(path: &Path, layers: &Layers) -> Result<Compilation, String> {
    let (compiled, _) = front_and_state(path, layers)?;
    layers.fits(&compiled)?;
    Ok(compiled)
}

/// Does the same, changes the severities of the findings and reports them.
///
/// # Errors
/// Returns a message for standard error if the file cannot be read, or if it has several links and none is chosen.
pub(super) fn reported(path: &Path, layers: &Layers, levels: &Levels) -> Result<Compilation, String> {
    let mut compiled = front(path, layers)?;
    levels.apply(&mut compiled.findings);
    report(path, &compiled);
    Ok(compiled)
}

/// Returns the compilation of another link of a file.
pub(super) fn of_link(other: &Compilation, link: &str) -> Compilation {
    without_values(other.of_link(link))
}

/// Prints the findings of a file with errors. Without errors, `check` shows them, and here is only their number.
pub(super) fn report(path: &Path, compiled: &Compilation) {
    let found = &compiled.findings;
    if compiled.has_errors() {
        output::findings(found, &compiled.sources);
    } else if !found.is_empty() {
        let number = counts(|severity| found.iter().filter(|own| own.severity == severity).count());
        output::say(&format!("{number}: see `qosc check {}`", output::name(path)));
    }
}

/// Returns the compilation of a file, and the state of a regular file just before it was read.
///
/// # Errors
/// Returns a message for standard error if the file cannot be read.
pub(super) fn front_and_state(
    path: &Path,
    layers: &Layers,
) -> Result<(Compilation, Option<FileState>), String> {
    let stdin = path.as_os_str() == "-";
    let (bytes, state) = read_with_state(path, stdin, syntax::MAX_BYTES)
        .map_err(|e| format!("cannot read `{}`: {e}", output::name(path)))?;
    let options = layers.chosen(options(path, stdin));
    Ok((compiled(&bytes, &options, &layers.files(path)), state))
}

/// Returns the options for a file, or for standard input.
pub(super) fn options(path: &Path, stdin: bool) -> Options {
    if stdin { Options::of("stdin").shown("<stdin>") } else { Options::of(path) }
}

/// Compiles a text and drops its values. No command uses them, and those of a large file are large.
pub(super) fn compiled(text: &[u8], options: &Options, files: &dyn Files) -> Compilation {
    without_values(compile_with(text, options, files))
}

fn without_values(mut compiled: Compilation) -> Compilation {
    compiled.raw = None;
    compiled
}

/// Returns the compiled script of a configuration.
pub(super) fn script(compiled: &Compilation) -> Result<String, String> {
    compiled.script().ok_or_else(|| "the configuration has errors".to_owned())
}
