//! Files that commands write.

use super::args_output::Output;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
pub(super) use disk::{FileState, again};
use disk::{is_input, replace};
pub(super) use old_file::changed_meanwhile;
use old_file::{Keep, there};
use std::io::Error;
use std::path::Path;

#[cfg_attr(not(unix), path = "output_file/memory.rs")]
mod disk;
mod old_file;

/// Mode of a script.
pub(super) const EXECUTABLE: u32 = 0o755;
/// Mode of any other result.
pub(super) const PLAIN: u32 = 0o644;

/// A file for a result. It is none of the files that the command reads.
pub(super) struct OutputFile<'a> {
    path: &'a Path,
}

impl<'a> OutputFile<'a> {
    /// Returns the file with this name. `inputs` are the names of all files that the command reads; `-` is standard
    /// input.
    ///
    /// # Errors
    /// Returns a message if the file is one of `inputs`, even by another name, or if its name cannot be written to.
    pub(super) fn new<'i>(
        path: &'a Path,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<OutputFile<'a>, String> {
        let shown = output::name(path);
        let there = there(path).map_err(|e| format!("cannot write `{shown}`: {e}"))?;
        for input in inputs {
            if there.as_ref().is_some_and(|there| there.is_file() && is_input(there, input)) {
                let input = if is_dash(input) {
                    "standard input".to_owned()
                } else {
                    format!("`{}`", output::name(input))
                };
                return Err(format!(
                    "`{shown}` is the same file as {input}, which this command reads\n  help: write the result to another file"
                ));
            }
        }
        Ok(OutputFile { path })
    }

    /// Name of the file for a message.
    pub(super) fn shown(&self) -> impl std::fmt::Display {
        output::name(self.path)
    }

    /// Writes a result: into a temporary file in the same folder, which is synced and renamed. Until then the old file
    /// is unchanged. A link is followed. A pipe, a terminal or another special file such as `/dev/null` is written to,
    /// never replaced.
    pub(super) fn write(&self, bytes: &[u8], mode: u32) -> Done {
        there(self.path)
            .and_then(|there| replace(self.path, bytes, there.as_ref(), Keep::Mode(mode)))
            .map(|()| Outcome::Fine)
            .map_err(|e| cannot(self.path, &e))
    }
}

/// Place of a result: standard output, or a file.
pub(super) struct Target<'a>(Option<OutputFile<'a>>);

impl<'a> Target<'a> {
    /// Returns the place that the arguments name. `inputs` are as for [`OutputFile::new`].
    ///
    /// # Errors
    /// As for [`OutputFile::new`].
    pub(super) fn new<'i>(
        to: &'a Output,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<Target<'a>, String> {
        let path = to.output.as_deref().filter(|path| !is_dash(path));
        path.map(|path| OutputFile::new(path, inputs)).transpose().map(Target)
    }

    /// True if the result goes to a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.0.is_none() && output::is_terminal()
    }

    /// True if the result may have colours.
    pub(super) fn colours(&self) -> bool {
        self.0.is_none() && output::result_colours()
    }

    /// Writes a result to the file, or prints it with this function.
    pub(super) fn put(&self, text: &str, print: fn(&str) -> Done) -> Done {
        self.put_as(text, print, PLAIN)
    }

    /// Does the same. A new file gets this mode.
    pub(super) fn put_as(&self, text: &str, print: fn(&str) -> Done, mode: u32) -> Done {
        match &self.0 {
            None => print(text),
            Some(file) => file.write(text.as_bytes(), mode),
        }
    }
}

/// Message for a file that cannot be written.
pub(super) fn cannot(path: &Path, error: &Error) -> String {
    format!("cannot write `{}`: {error}", output::name(path))
}

/// Returns `true` for a regular file with another text.
pub(super) fn differs(path: &Path, text: &[u8]) -> bool {
    path.is_file() && std::fs::read(path).ok().as_deref() != Some(text)
}

/// Keeps files that would be overwritten.
///
/// # Errors
/// Returns a message if there is such a file.
pub(super) fn kept<'a>(files: impl Iterator<Item = &'a Path>) -> Result<(), String> {
    let names: Vec<String> = files.map(|path| format!("`{}`", output::name(path))).collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = names.join(", ");
    Err(format!(
        "these files exist with other content, so nothing was written: {names}\n  help: `--force` overwrites them"
    ))
}
