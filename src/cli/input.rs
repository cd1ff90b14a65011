//! Input of `diff`: a YAML file, a script that carries one, standard input, or a file of a git revision.

use super::front;
use super::layers::Layers;
use crate::compile::{Compilation, Included, Options, Stage};
use crate::diag::{for_terminal, ticked};
use crate::emit;
use crate::layers::Files;
use crate::syntax::FINDINGS;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Largest input in bytes. Scripts may be much larger than their YAML: 12,000 classes need 16 MB.
const MOST: usize = 64 << 20;

/// One side of a comparison.
pub(super) struct Input {
    /// Name in findings and headings.
    pub(super) shown: String,
    /// Compiled YAML.
    pub(super) compiled: Compilation,
    /// The script itself, if the input is one.
    pub(super) script: Option<String>,
}

/// Reads one side and compiles it as far as possible. `link` is the name of a link without `name`; by default it is
/// that of the file. `layers` choose one of several links, and are not needed for a script.
///
/// # Errors
/// Returns a message for standard error if the input cannot be read or is a script without YAML.
pub(super) fn input(argument: &Path, link: Option<&str>, layers: &Layers) -> Result<Input, String> {
    let shown = argument.display();
    let text = argument.to_str();
    let stdin = text == Some("-");
    let revision = text.filter(|_| !stdin && !argument.exists()).and_then(|text| text.split_once(':'));
    let bytes = match revision {
        Some(_) => from_git(text.unwrap_or_default())?,
        None => front::whole(argument, stdin, MOST)?,
    };
    // The name of the link follows from the file's name, even in a git revision.
    let path = revision.map_or(argument, |(_, path)| Path::new(path));
    let shown = if stdin { "<stdin>".to_owned() } else { shown.to_string() };

    let script = std::str::from_utf8(&bytes).ok().and_then(|text| Some((text, emit::made_by(text)?)));
    let Some((script, made)) = script else {
        let options = front::options(path, stdin).shown(shown.as_str());
        let options = match link {
            Some(link) => options.stem(link),
            None => options,
        }
        .link(layers.link.clone());
        let compiled = match revision {
            Some((revision, path)) => {
                front::compiled(&bytes, &options, &Revision { revision, folder: folder_of(path), layers })
            }
            None => front::compiled(&bytes, &options, &layers.files(path)),
        };
        layers.fits(&compiled)?;
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
    let options = Options { shown: of, file, stem, link, last: Stage::Program, most: FINDINGS };
    let compiled = front::compiled(carried.yaml.as_bytes(), &options, &files);
    Ok(Input { shown, compiled, script: Some(script.to_owned()) })
}

/// Included files of a revision.
struct Revision<'a> {
    revision: &'a str,
    folder: &'a str,
    layers: &'a Layers,
}

impl Files for Revision<'_> {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        let more = self.layers.include_dir.iter().filter_map(|folder| folder.to_str());
        for folder in std::iter::once(self.folder).chain(more) {
            let slash = if folder.is_empty() { "" } else { "/" };
            let name = format!("{}:{folder}{slash}{path}", self.revision);
            if let Ok(bytes) = from_git(&name) {
                return Ok((name, bytes));
            }
        }
        Err(format!("there is no such file in the revision {}", ticked(self.revision)))
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Reads the file of a revision, `REV:path`, with `git cat-file`.
///
/// A repository may come from a stranger, and its configuration can name programs. `git show` would run them for a diff,
/// for a signature and for text conversion; `git cat-file` only prints the file. No object is fetched, because a
/// transport is a program, too. Versions of git before 2.45 ignore `GIT_NO_LAZY_FETCH`, but all know
/// `GIT_ALLOW_PROTOCOL`, which takes precedence over the repository's own settings.
fn from_git(name: &str) -> Result<Vec<u8>, String> {
    let failed = |words: &str| format!("cannot read `{}`: no such file, and {words}", for_terminal(name));
    // This must not become an option of git.
    if name.starts_with('-') {
        return Err(failed("a git revision does not begin with `-`"));
    }
    let child = Command::new("git")
        .args([
            "--no-pager",
            "--no-optional-locks",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(["cat-file", "blob", name])
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|e| failed(&format!("git cannot be started: {e}")))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MOST).unwrap_or(u64::MAX).saturating_add(1);
    if let Some(stdout) = child.stdout.take() {
        stdout
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(|e| failed(&format!("git cannot be read: {e}")))?;
    }
    if bytes.len() > MOST {
        let _gone = child.kill().and_then(|()| child.wait());
        return Err(format!("cannot read `{}`: it is larger than {} MiB", for_terminal(name), MOST >> 20));
    }
    let done = child.wait_with_output().map_err(|e| failed(&format!("git cannot be read: {e}")))?;
    if done.status.success() {
        return Ok(bytes);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let said: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(failed(&format!("git says: {}", said.join("; "))))
}
