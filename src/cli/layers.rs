//! `--link` and `--include-dir`: the link of several, and the folders of included files.

use super::inside::within;
use super::{output, read};
use clap::Args;
use qosc_compiler::budget::Budget;
use qosc_compiler::compile::{Compilation, Options};
use qosc_compiler::diag::{some_ticked, ticked};
use qosc_compiler::layers::Files;
use qosc_compiler::syntax;
use std::path::{Path, PathBuf};

/// Number of names that a message lists.
const LISTED: usize = 8;

/// Layers of a configuration that the command line chooses.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Layers {
    /// Link of a file that describes several in `links`
    #[arg(long, value_name = "NAME")]
    pub(super) link: Option<String>,
    /// Variant to treat as if it held always
    #[arg(long, value_name = "NAME")]
    pub(super) variant: Option<String>,
    /// Folder for files of `include` that are not in the folder of the configuration; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(super) include_dir: Vec<PathBuf>,
    /// Budget of the run, which all files share.
    #[arg(skip)]
    pub(super) budget: Budget,
}

impl Layers {
    /// Checks that a configuration has the chosen link, and that a link was chosen if there are several.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn fits(&self, compiled: &Compilation) -> Result<(), String> {
        self.exists(compiled)?;
        match compiled.links.as_slice() {
            [_, _, ..] if self.link.is_none() => Err(format!(
                "`{}` describes {} links: {}\n  help: choose one with `--link NAME`",
                output::name(Path::new(&compiled.options.shown)),
                compiled.links.len(),
                listed(&compiled.links)
            )),
            _ => Ok(()),
        }
    }

    /// Checks that a configuration has the chosen link.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn exists(&self, compiled: &Compilation) -> Result<(), String> {
        let file = output::name(Path::new(&compiled.options.shown));
        let known = |kind: &str, chosen: &Option<String>, all: &[String]| match chosen {
            Some(name) if !all.contains(name) => Err(format!(
                "`{file}` has no {kind} {}{}",
                ticked(name),
                if all.is_empty() {
                    String::new()
                } else {
                    format!("\n  help: its {kind}s are {}", listed(all))
                }
            )),
            _ => Ok(()),
        };
        if let (Some(link), []) = (&self.link, compiled.links.as_slice()) {
            return Err(format!(
                "`{file}` describes one link, which has no name of its own\n  help: leave out `--link {}`",
                output::name(Path::new(link))
            ));
        }
        known("link", &self.link, &compiled.links)?;
        let Some(model) = &compiled.model else { return Ok(()) };
        known(
            "variant",
            &self.variant,
            &model.variants.iter().map(|own| own.name.clone()).collect::<Vec<_>>(),
        )
    }

    /// Returns options with the chosen link and variant, and the budget for one more file.
    pub(super) fn chosen(&self, options: Options) -> Options {
        let (link, variant) = (self.link.clone(), self.variant.clone());
        Options { link, variant, budget: self.budget.anew(), ..options }
    }

    /// Returns the included files of the configuration at this path; `-` includes from the current folder.
    pub(super) fn files(&self, path: &Path) -> Folders<'_> {
        let own = path.parent().unwrap_or(Path::new("")).to_owned();
        Folders { own, more: &self.include_dir }
    }
}

/// Returns the message about a file that a run leaves out. `to` is what the run does, such as `check`.
pub(super) fn beyond_budget(to: &str, path: &Path) -> String {
    let file = output::name(path);
    format!(
        "cannot {to} `{file}`: this file and the files before it need more than one run may take\n  help: {to} it in another run"
    )
}

fn listed(links: &[String]) -> String {
    some_ticked(&links.iter().map(String::as_str).collect::<Vec<_>>(), LISTED)
}

/// Folders of included files: that of the configuration, and others.
#[derive(Debug)]
pub(super) struct Folders<'a> {
    own: PathBuf,
    more: &'a [PathBuf],
}

impl Files for Folders<'_> {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        for folder in std::iter::once(&self.own).chain(self.more) {
            let file = folder.join(path);
            if file.symlink_metadata().is_err() {
                continue;
            }
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            within(here, &file).map_err(|_| "it is a link to a file outside of the folder".to_owned())?;
            let bytes = read::read(&file, false, syntax::MAX_BYTES).map_err(|e| e.to_string())?;
            return Ok((file.display().to_string(), bytes));
        }
        Err("there is no such file".to_owned())
    }
}
