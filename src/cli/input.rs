//! Input of `diff`: a YAML file, a script that carries one, standard input, or a file of a git revision.

use super::layers::Layers;
use super::{front, git};
use qosc_compiler::compile::{Compilation, Included, Options};
use qosc_compiler::diag::{Sink, Sources, for_terminal};
use qosc_compiler::layers::{self, Files};
use qosc_compiler::{budget, emit, syntax};
use std::path::{Path, PathBuf};

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
    read(argument, link, layers)?.compiled(layers)
}

/// Reads one side.
///
/// # Errors
/// Returns a message for standard error if the input cannot be read.
pub(super) fn read<'a>(
    argument: &Path,
    link: Option<&'a str>,
    layers: &'a Layers,
) -> Result<Text<'a>, String> {
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
    let shown = if stdin { "<stdin>".to_owned() } else { argument.display().to_string() };
    let files: Box<dyn Files + 'a> = match revision {
        Some((revision, path)) => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            Box::new(git::Included::new(revision, folder, layers)?)
        }
        None => Box::new(layers.files(path)),
    };
    Ok(Text { bytes, shown, path: path.to_owned(), stdin, link, files })
}

/// Text of one side.
pub(super) struct Text<'a> {
    pub(super) bytes: Vec<u8>,
    /// Name in findings and headings.
    pub(super) shown: String,
    /// Path of its file, or `-`.
    pub(super) path: PathBuf,
    pub(super) stdin: bool,
    /// Name of a link without `name`.
    pub(super) link: Option<&'a str>,
    /// Files that it can include.
    pub(super) files: Box<dyn Files + 'a>,
}

impl Text<'_> {
    /// Returns true if the text of another side and all that it includes are the same.
    pub(super) fn is_same(&self, other: &Text<'_>, layers: &Layers) -> bool {
        let text = std::str::from_utf8(&self.bytes).ok().filter(|_| self.bytes == other.bytes);
        let Some(text) = text else { return false };
        // An escape can hide the word.
        if !text.contains('\\') && !text.contains("include") {
            return true;
        }
        let mut sink = Sink::within(&layers.budget.anew());
        let mut sources = Sources::default();
        let file = sources.add("", text);
        let Some(tree) = syntax::tree(&sources, file, &mut sink) else { return false };
        let _ = layers::with_includes(tree, &Both(&*self.files, &*other.files), &mut sources, &mut sink);
        sink.charge(1, budget::FILE) && !sink.has_errors()
    }

    /// Compiles the text as far as possible.
    ///
    /// # Errors
    /// Returns a message for standard error if the text is a script without YAML.
    pub(super) fn compiled(self, layers: &Layers) -> Result<Input, String> {
        let Text { bytes, shown, path, stdin, link, files } = self;
        let script = std::str::from_utf8(&bytes).ok().and_then(|text| Some((text, emit::made_by(text)?)));
        let Some((script, made)) = script else {
            let options = front::options(&path, stdin).shown(shown.as_str());
            let options = match link {
                Some(link) => options.stem(link),
                None => options,
            };
            let compiled = front::compiled(&bytes, &layers.chosen(options), &*files);
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
}

/// Included files of two sides, if they are the same.
struct Both<'a>(&'a dyn Files, &'a dyn Files);

impl Files for Both<'_> {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        let (one, other) = (self.0.read(path)?, self.1.read(path)?);
        if one.1 == other.1 { Ok(one) } else { Err("it differs".to_owned()) }
    }
}
