//! `qosc check --fix`: writes or prints the cures that [`fix`](crate::fix) made.

use super::args::Check;
use super::diff::unified;
use super::outcome::is_dash;
use super::{output, output_file};
use crate::fix::{Fixed, can_be_made};
use qosc_compiler::compile::Compilation;
use qosc_compiler::diag::{Diagnostic, Sources, count, for_terminal};
use std::path::Path;

/// Cures of all files.
#[derive(Default)]
pub(super) struct Fixes {
    made: usize,
    files: usize,
    /// Number of files that could not be written.
    failed: usize,
    /// Number of findings with a certain cure.
    possible: usize,
}

impl Fixes {
    /// Writes a file with its cures, or shows their changes. Returns the compilation of the file in its present state.
    ///
    /// # Errors
    /// Returns a message for standard error if the file cannot be written, or the changes cannot be shown.
    pub(super) fn apply(
        &mut self,
        path: &Path,
        before: Compilation,
        (fixed, after): (Fixed, Option<Compilation>),
        yes: bool,
    ) -> Result<Compilation, String> {
        let shown = for_terminal(&before.options.shown);
        let text = fixed.text.as_ref();
        let written = match (text, yes) {
            // Standard output gets the whole text, even if there was nothing to cure.
            (text, true) if is_dash(path) => {
                output::exact(text.map_or(before.text(), String::as_str)).map(drop)
            }
            (Some(text), true) => output_file::again(path, text).map_err(|e| output_file::cannot(path, &e)),
            (Some(text), false) => output::text(&unified(&shown, &shown, before.text(), text)).map(drop),
            (None, _) => Ok(()),
        };
        self.failed += usize::from(written.is_err());
        written?;
        for words in &fixed.refused {
            output::say(&format!("{shown}: {}", for_terminal(words)));
        }
        self.made += fixed.made;
        self.files += usize::from(fixed.made > 0);
        Ok(after.filter(|_| yes).unwrap_or(before))
    }

    /// Counts a finding whose cure could be made.
    pub(super) fn could(&mut self, finding: &Diagnostic, sources: &Sources) {
        self.possible += usize::from(can_be_made(finding, sources));
    }

    /// Line about the cures that were made or could be made.
    pub(super) fn words(&self, args: &Check) -> Option<String> {
        let made = || format!("{} in {}", count(self.made, "finding"), count(self.files, "file"));
        match (args.fix, args.yes, self.made) {
            (false, ..) if self.possible == 0 => None,
            (false, ..) => Some(format!("`qosc check --fix` can fix {} of them", self.possible)),
            (true, _, 0) if self.failed > 0 => None,
            (true, _, 0) => Some("`--fix` can fix nothing here".to_owned()),
            (true, false, _) => Some(format!("nothing was written: `--yes` would fix {}", made())),
            (true, true, _) => Some(format!("fixed: {}", made())),
        }
    }
}
