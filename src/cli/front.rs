//! From a file to its compilation, as every command takes it.

use crate::compile::{Compilation, Options, compile};
use crate::syntax;
use std::io::Read as _;
use std::path::Path;

/// Reads a file and compiles it as far as it goes.
///
/// # Errors
/// When the file cannot be read: the words for standard error.
pub(super) fn front(path: &Path) -> Result<Compilation, String> {
    let stdin = path.as_os_str() == "-";
    let bytes =
        read(path, stdin, syntax::MAX_BYTES).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
    Ok(compiled(&bytes, &options(path, stdin)))
}

/// The options for a file, or for standard input.
pub(super) fn options(path: &Path, stdin: bool) -> Options {
    if stdin { Options::of("stdin").shown("<stdin>") } else { Options::of(path) }
}

/// Compiles a text without keeping its values: no command looks at them, and of a large file they are large.
pub(super) fn compiled(text: &[u8], options: &Options) -> Compilation {
    let mut compiled = compile(text, options);
    compiled.raw = None;
    compiled
}

/// At most one byte more than `most`: a file without an end is refused, not read.
pub(super) fn read(path: &Path, stdin: bool, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    if stdin {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The script of a configuration, as it would be compiled.
pub(super) fn script(compiled: &Compilation) -> Result<String, String> {
    match compiled.script() {
        Some(script) => script.map_err(|e| e.to_string()),
        None => Err("the configuration has errors".to_owned()),
    }
}
