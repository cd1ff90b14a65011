//! The way from a file to a checked model, as every command takes it.

use crate::diag::{ALLOW_MARK, Allows, Code, Diagnostic, FileId, Severity, Sink, Sources};
use crate::model::Model;
use crate::tc::Program;
use crate::{check, lower, resolve, syntax};
use std::io::Read as _;
use std::path::Path;

/// What came of a file.
pub(super) struct Front {
    pub(super) sources: Sources,
    /// Without those that a comment allows.
    pub(super) found: Vec<Diagnostic>,
    pub(super) allows: Allows,
    /// Only where nothing is an error.
    pub(super) made: Option<(Model, Program)>,
    /// The file's own name, without its folder.
    pub(super) base: String,
    /// Its text, as far as it is text.
    pub(super) yaml: String,
}

impl Front {
    pub(super) fn errors(&self) -> bool {
        self.found.iter().any(|d| d.severity == Severity::Error)
    }
}

/// Reads a file and takes it as far as it goes.
///
/// # Errors
/// When the file cannot be read: the words for standard error.
pub(super) fn front(path: &Path) -> Result<Front, String> {
    let stdin = path.as_os_str() == "-";
    let bytes =
        read(path, stdin, syntax::MAX_BYTES).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
    let shown = if stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    let (base, stem) = names(path, stdin);
    Ok(through(&shown, base, &stem, &bytes))
}

/// The same of a text that is the file's instead of what it holds, as `front` called the file.
pub(super) fn instead(path: &Path, before: &Front, text: &str) -> Front {
    let shown = before.sources.get(FileId::OWN).map_or("", |source| &source.name);
    let (base, stem) = names(path, path.as_os_str() == "-");
    through(shown, base, &stem, text.as_bytes())
}

/// A file's own name, and that without its ending.
pub(super) fn names(path: &Path, stdin: bool) -> (String, String) {
    if stdin {
        return ("stdin".to_owned(), "stdin".to_owned());
    }
    let text = |part: Option<&std::ffi::OsStr>| part.map(|s| s.to_string_lossy().into_owned());
    (text(path.file_name()).unwrap_or_else(|| "stdin".to_owned()), text(path.file_stem()).unwrap_or_default())
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

/// Takes a text as far as it goes: `stem` names the link where the text does not.
pub(super) fn through(shown: &str, base: String, stem: &str, bytes: &[u8]) -> Front {
    let mut sources = Sources::default();
    let mut sink = Sink::default();
    let file = syntax::load(&mut sources, shown, bytes, &mut sink);
    let yaml = file.and_then(|file| sources.get(file)).map(|s| s.text.clone()).unwrap_or_default();
    let made = file.and_then(|file| compile(file, stem, &mut sources, &mut sink));
    let allows = file.map(|file| allows(file, &sources)).unwrap_or_default().settle(&mut sink);
    let made = made.filter(|_| !sink.has_errors());
    let mut found = sink.into_sorted();
    only_certain(&mut found);
    Front { made, sources, found, allows, base, yaml }
}

/// Takes back cures that rest on what could not be read: where a protocol is misspelt, a match seems to take all, and the next
/// one to say nothing new; where a host is, its name seems to be missing.
fn only_certain(found: &mut [Diagnostic]) {
    let errors = || found.iter().filter(|finding| finding.severity == Severity::Error);
    let (fine, read) = (errors().count() == 0, errors().all(|error| error.code >= Code::UndefinedName));
    for finding in found {
        let rests = finding.severity != Severity::Error || finding.code >= Code::UndefinedName;
        if rests && !(fine || read && finding.severity == Severity::Error) {
            finding.fix = None;
        }
    }
}

/// What the comments of a file allow; they are looked for only where there can be some.
fn allows(file: FileId, sources: &Sources) -> Allows {
    let text = sources.get(file).map(|source| source.text.as_str()).unwrap_or_default();
    match text.contains(ALLOW_MARK) {
        true => Allows::read(&syntax::comments(sources, file), text),
        false => Allows::default(),
    }
}

fn compile(file: FileId, stem: &str, sources: &mut Sources, sink: &mut Sink) -> Option<(Model, Program)> {
    let raw = syntax::read(sources, file, sink)?;
    let model = resolve::resolve(&raw, stem, sources, file, sink)?;
    // A model with errors has stand-ins in it, and what lowering says of those would not be the file's fault.
    let whole = !sink.has_errors();
    check::check(&model, sink);
    let program = if whole { lower::lower(&model, sink) } else { None }?;
    Some((model, program))
}
