//! Reading and compiling a file, the same way for every command.

use super::output;
use super::output_file::FileState;
use crate::compile::{Compilation, Options, compile};
use crate::diag::{Levels, counts};
use crate::syntax;
use std::fs::File;
use std::io::Read as _;
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Reads a file and compiles it as far as possible.
///
/// # Errors
/// Returns a message for standard error if the file cannot be read.
fn front(path: &Path) -> Result<Compilation, String> {
    front_and_state(path).map(|(compiled, _)| compiled)
}

/// Does the same, changes the severities of the findings and reports them.
///
/// # Errors
/// Returns a message for standard error if the file cannot be read.
pub(super) fn reported(path: &Path, levels: &Levels) -> Result<Compilation, String> {
    let mut compiled = front(path)?;
    levels.apply(&mut compiled.findings);
    report(path, &compiled);
    Ok(compiled)
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
pub(super) fn front_and_state(path: &Path) -> Result<(Compilation, Option<FileState>), String> {
    let stdin = path.as_os_str() == "-";
    let (bytes, state) = read_with_state(path, stdin, syntax::MAX_BYTES)
        .map_err(|e| format!("cannot read `{}`: {e}", output::name(path)))?;
    Ok((compiled(&bytes, &options(path, stdin)), state))
}

/// Returns the options for a file, or for standard input.
pub(super) fn options(path: &Path, stdin: bool) -> Options {
    if stdin { Options::of("stdin").shown("<stdin>") } else { Options::of(path) }
}

/// Compiles a text and drops its values. No command uses them, and those of a large file are large.
pub(super) fn compiled(text: &[u8], options: &Options) -> Compilation {
    let mut compiled = compile(text, options);
    compiled.raw = None;
    compiled
}

/// Reads at most one byte more than `most`, so that an endless file is refused and not read.
pub(super) fn read(path: &Path, stdin: bool, most: usize) -> std::io::Result<Vec<u8>> {
    read_with_state(path, stdin, most).map(|(bytes, _)| bytes)
}

/// Does the same, and returns the state of a regular file just before it was read.
fn read_with_state(path: &Path, stdin: bool, most: usize) -> std::io::Result<(Vec<u8>, Option<FileState>)> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    if stdin {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
        return Ok((bytes, None));
    }
    let file = opened(path)?;
    let there = file.metadata()?;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok((bytes, there.is_file().then(|| FileState::of(&there))))
}

/// Reads a whole file.
///
/// # Errors
/// Returns a message for standard error if the file cannot be read or has more than `most` bytes.
pub(super) fn whole(path: &Path, stdin: bool, most: usize) -> Result<Vec<u8>, String> {
    let failed = |why: &dyn std::fmt::Display| format!("cannot read `{}`: {why}", output::name(path));
    let bytes = read(path, stdin, most).map_err(|e| failed(&e))?;
    if bytes.len() > most {
        return Err(failed(&format!("it is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Opens a regular file. A pipe or a device is opened only if its name shows that this is meant, such as `/dev/stdin` or
/// the `/dev/fd/63` that a shell writes for `<(...)`. Any other pipe would wait for a writer that may never come.
fn opened(path: &Path) -> std::io::Result<File> {
    let meant = path.parent() == Some(Path::new("/dev"))
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.starts_with(folder));
    if meant {
        return File::open(path);
    }
    let mut options = File::options();
    #[cfg(unix)]
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.read(true).open(path)?;
    let there = file.metadata()?;
    match there.is_file() || there.is_dir() {
        true => Ok(file),
        false => Err(std::io::Error::other(
            "it is not a regular file; `-` reads standard input, as in `qosc check - <pipe`",
        )),
    }
}

/// Returns the compiled script of a configuration.
pub(super) fn script(compiled: &Compilation) -> Result<String, String> {
    match compiled.script() {
        Some(script) => script.map_err(|e| e.to_string()),
        None => Err("the configuration has errors".to_owned()),
    }
}
