//! Input of `diff`: a YAML file, a script that carries one, standard input, or a file of a git revision.

use super::layers::Layers;
use super::{front, git};
use qosc_compiler::compile::{Compilation, Included, Options};
use qosc_compiler::diag::for_terminal;
use qosc_compiler::emit;
use qosc_compiler::layers::Files;
use std::path::Path;

/// One side of a comparison.
pub(super) struct Input {
    /// Name in findings and headings.
    pub(super) shown: String,
    /// Compiled YAML.
    pub(super) compiled: Compilation,
    /// The script itself, if the input is one.
    pub(super) script: Option<String>,
}

impl Input {
    /// Checks that a configuration has the chosen link, and that one is chosen if there are several. A script has one.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn fit(self, layers: &Layers) -> Result<Input, String> {
        if self.script.is_none() {
            layers.fits(&self.compiled)?;
        }
        Ok(self)
    }
}

/// Reads one side and compiles it as far as possible. `link` is the name of a link without `name`; by default it is
/// that of the file. `layers` choose one of several links, and are not needed for a script.
///
/// # Errors
/// Returns a message for standard error if the input cannot be read, is a script without YAML, or has several links.
pub(super) fn input(argument: &Path, link: Option<&str>, layers: &Layers) -> Result<Input, String> {
    any_link(argument, link, layers)?.fit(layers)
}

/// Does the same with the first of several links.
///
/// # Errors
/// Returns a message for standard error if the input cannot be read or is a script without YAML.
pub(super) fn any_link(argument: &Path, link: Option<&str>, layers: &Layers) -> Result<Input, String> {
    let shown = argument.display();
    let text = argument.to_str();
    let stdin = text == Some("-");
    let revision =
        text.filter(|_| cfg!(unix) && !stdin && !argument.exists()).and_then(|text| text.split_once(':'));
    let bytes = match revision {
        Some(_) => git::file(text.unwrap_or_default())?,
        None => front::whole(argument, stdin, git::MOST)?,
    };
    // The name of the link follows from the file's name, even in a git revision.
    let path = revision.map_or(argument, |(_, path)| Path::new(path));
    let shown = if stdin { "<stdin>".to_owned() } else { shown.to_string() };
    let named = Named { shown, path, stdin, link };
    match revision {
        Some((revision, path)) => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            understood(&bytes, named, layers, &git::Included::new(revision, folder, &layers.include_dir))
        }
        None => understood(&bytes, named, layers, &layers.files(path)),
    }
}

/// Names of one side.
pub(super) struct Named<'a> {
    /// Name in findings and headings.
    pub(super) shown: String,
    /// Path of its file, or `-`.
    pub(super) path: &'a Path,
    pub(super) stdin: bool,
    /// Name of a link without `name`.
    pub(super) link: Option<&'a str>,
}

/// Compiles the text of one side as far as possible.
///
/// # Errors
/// Returns a message for standard error if the text is a script without YAML.
pub(super) fn understood(
    bytes: &[u8],
    Named { shown, path, stdin, link }: Named<'_>,
    layers: &Layers,
    files: &dyn Files,
) -> Result<Input, String> {
    let script = std::str::from_utf8(bytes).ok().and_then(|text| Some((text, emit::made_by(text)?)));
    let Some((script, made)) = script else {
        let options = front::options(path, stdin).shown(shown.as_str());
        let options = match link {
            Some(link) => options.stem(link),
            None => options,
        };
        let compiled = front::compiled(bytes, &layers.chosen(options), files);
        return Ok(Input { shown, compiled, script: None });
    };
    let Some(carried) = emit::carried(script) else {
        return Err(format!(
            "`{}` is a script of qosc {} without its YAML: this version did not include it, or the end of the script is missing",
            for_terminal(&shown),
            made.version
        ));
    };
    // A link of several has the name of the file, a `-` and its own.
    let own = carried.link.as_ref().and_then(|own| made.link.strip_suffix(own)?.strip_suffix('-'));
    let (file, stem) = (made.source.to_owned(), link.or(own).unwrap_or(made.link).to_owned());
    let of = format!("{shown} (its YAML)");
    let files = Included::of_script(&carried, &of);
    let link = carried.link;
    let options = layers.chosen(Options { shown: of, file, stem, ..Options::of(path) });
    let options = Options { link, ..options };
    let compiled = front::compiled(carried.yaml.as_bytes(), &options, &files);
    Ok(Input { shown, compiled, script: Some(script.to_owned()) })
}
