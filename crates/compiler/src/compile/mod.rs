//! Runs the whole compiler in one call: [`compile()`] takes a text through every stage and keeps the result of each.
//!
//! The command line and the tests call it. Only the tests of a single stage call that stage alone.

mod front;
mod gather;
mod misplaced;
mod summary;

pub use gather::gathered;
pub use summary::summary;

use crate::budget::{self, Budget};
use crate::diag::{Allows, Code, Diagnostic, FINDINGS, FileId, Severity, Sink, Sources};
use crate::emit::{self, Carried, Summary, Varied};
use crate::layers::{self, Files, Layered, NoFiles};
use crate::model::{Model, Variant};
use crate::syntax::{Raw, YamlValue};
use crate::tc::{Facts, Program};
use crate::{check, lower, resolve, syntax};
use front::{FileComments, Front};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The last stage that [`compile()`] runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// `check`: there is a model, and every rule was run on it.
    Model,
    /// `lower`: the kernel objects exist as well.
    #[default]
    Program,
}

/// Names of a text, and the last stage of its compilation.
#[derive(Debug, Clone)]
pub struct Options {
    /// Name of the file in findings; usually the path as the user typed it.
    pub shown: String,
    /// Name of the file without its folder. A script states it as its source.
    pub file: String,
    /// Name of the link if the text gives none; usually the file name without its extension.
    pub stem: String,
    /// Link of several to compile; by default the first one.
    pub link: Option<String>,
    /// Variant to compile as if it were all there is; by default none, and all variants are compiled beside the rest.
    pub variant: Option<String>,
    /// Last stage to run.
    pub last: Stage,
    /// Largest number of findings on the form of the text; usually [`FINDINGS`]. Others are only counted.
    pub most: usize,
    /// What the compilation may cost. Copies of the options share it.
    pub budget: Budget,
}

impl Options {
    /// Returns the options for the file at this path, with all stages. The file is not read.
    #[must_use]
    pub fn of(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let text = |part: Option<&std::ffi::OsStr>| part.map(|s| s.to_string_lossy().into_owned());
        Options {
            shown: path.display().to_string(),
            file: text(path.file_name()).unwrap_or_default(),
            stem: text(path.file_stem()).unwrap_or_default(),
            link: None,
            variant: None,
            last: Stage::default(),
            most: FINDINGS,
            budget: Budget::default(),
        }
    }

    /// Sets another name for a link without `name`.
    #[must_use]
    pub fn stem(mut self, stem: impl Into<String>) -> Self {
        self.stem = stem.into();
        self
    }

    /// Sets another name of the file in findings.
    #[must_use]
    pub fn shown(mut self, shown: impl Into<String>) -> Self {
        self.shown = shown.into();
        self
    }

    /// Sets another last stage.
    #[must_use]
    pub fn last(mut self, last: Stage) -> Self {
        self.last = last;
        self
    }
}

/// Results of every stage that [`compile()`] reached.
///
/// All numbers are integers with one unit for each type: rates are in bit/s, sizes in bytes, times in microseconds, and
/// percentages in millionths.
#[derive(Debug)]
pub struct Compilation {
    /// Options of the call.
    pub options: Options,
    /// Texts that the places in findings and results refer to: the user's file, those that it includes, and built-in class
    /// sets.
    pub sources: Sources,
    /// Names of the links in the file; empty if it describes one link without a name of its own.
    pub links: Vec<String>,
    /// The link that was compiled, if the file has several.
    pub link: Option<String>,
    /// All findings in the order of the text, without those that a comment `# qosc: allow(...)` suppresses.
    pub findings: Vec<Diagnostic>,
    /// Comments that suppress findings, for findings that are made later.
    allows: Vec<Allows>,
    /// Values of the text, each with its place. `None` if the text is not a YAML mapping.
    pub raw: Option<Raw>,
    /// Meaning of the text, with placeholders for values with errors. `None` if `raw` is `None`. It is also `None` if
    /// the text has no name for the link and [`Options::stem`] cannot be one.
    pub model: Option<Model>,
    /// Kernel objects. `None` if resolving or lowering found an error, or if [`Options::last`] is an earlier stage. A
    /// rule can find an error and still leave a program here; [`finished`](Self::finished) also checks the findings.
    pub program: Option<Program>,
    /// The same text with each variant, in the order of the file.
    pub variants: Vec<Compilation>,
    /// What all links and variants share.
    front: Arc<Front>,
}

/// The files that a configuration included, which need not be read again.
#[derive(Debug, Clone)]
pub struct Included(BTreeMap<String, (String, String)>);

impl Files for Included {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        let (shown, text) = self.0.get(path).ok_or("there is no such file")?;
        Ok((shown.clone(), text.clone().into_bytes()))
    }
}

impl Included {
    /// Returns the files that a script carries. `of` is its name in findings.
    #[must_use]
    pub fn of_script(carried: &Carried, of: &str) -> Self {
        let file = |(path, text): &(String, String)| (path.clone(), (format!("{of}: {path}"), text.clone()));
        Included(carried.files.iter().map(file).collect())
    }
}

impl Compilation {
    /// Returns the model and the program if no finding is an error.
    #[must_use]
    pub fn finished(&self) -> Option<(&Model, &Program)> {
        self.model.as_ref().zip(self.program.as_ref()).filter(|_| !self.has_errors())
    }

    /// Does the same as [`finished`](Self::finished), for a caller that needs nothing else.
    #[must_use]
    pub fn into_finished(self) -> Option<(Model, Program)> {
        let fine = !self.has_errors();
        self.model.zip(self.program).filter(|_| fine)
    }

    /// Returns the findings that are errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }

    /// Returns `true` if a finding is an error, so that nothing may be made from the text.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Returns the user's text. It is empty if the file was too large or not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        self.front.own.and_then(|own| self.sources.get(own)).map_or("", |source| &source.text)
    }

    /// Returns the texts that a script carries.
    #[must_use]
    pub fn carried(&self) -> Carried {
        let text = |file| self.sources.get(file).map(|source| source.text.clone()).unwrap_or_default();
        Carried {
            yaml: self.text().to_owned(),
            link: self.link.clone(),
            files: self.front.included.iter().map(|(path, file)| (path.clone(), text(*file))).collect(),
        }
    }

    /// Returns the names of the included files, as their reader gave them.
    pub fn included(&self) -> impl Iterator<Item = &Path> {
        let source = |(_, file): &(String, FileId)| self.sources.get(*file);
        self.front.included.iter().filter_map(source).map(|source| Path::new(&source.name))
    }

    /// Returns the included files.
    #[must_use]
    pub fn files(&self) -> Included {
        let named = |(path, file): &(String, FileId)| {
            let source = self.sources.get(*file)?;
            Some((path.clone(), (source.name.clone(), source.text.clone())))
        };
        Included(self.front.included.iter().filter_map(named).collect())
    }

    /// Returns the compilation of another link of the same file. It shares the budget.
    #[must_use]
    pub fn of_link(&self, link: &str) -> Compilation {
        let options = Options { link: Some(link.to_owned()), ..self.options.clone() };
        with_variants(&self.front, self.front.copy(&options.budget), &options)
    }

    /// Returns true if the work was more than the budget. The only finding then says so.
    #[must_use]
    pub fn is_beyond_budget(&self) -> bool {
        let is_alone = matches!(self.findings.as_slice(), [only] if only.code == Code::TooLarge);
        is_alone && self.options.budget.is_used_up()
    }

    /// Returns `true` if a comment suppresses this finding.
    #[must_use]
    pub fn permits(&self, finding: &Diagnostic) -> bool {
        self.allows.iter().any(|allows| allows.permit(finding))
    }

    /// Returns the shell script for the router. `None` if [`finished`](Self::finished) returns `None`.
    #[must_use]
    pub fn script(&self) -> Option<String> {
        let (model, program) = self.finished()?;
        Some(emit::script(program, &self.summary(model, self.carried())))
    }

    /// Returns the plain script for a router with these facts, as `compile --emit plain` prints it. `None` if
    /// [`finished`](Self::finished) returns `None`.
    #[must_use]
    pub fn plain(&self, facts: Facts) -> Option<String> {
        let (model, program) = self.finished()?;
        Some(emit::plain(program, facts, &self.summary(model, Carried::default())))
    }

    /// Returns the head of the script, and what each variant has in place of the rest.
    #[must_use]
    pub fn summary(&self, model: &Model, carried: Carried) -> Summary {
        let variants = self.variants.iter().filter_map(|own| {
            let (model, program) = own.finished()?;
            let summary = own.summary(model, Carried::default());
            Some(Varied { name: own.options.variant.clone()?, program: program.clone(), summary })
        });
        Summary { variants: variants.collect(), ..summary(model, &self.options.file, carried) }
    }
}

/// Compiles a text as far as possible.
///
/// The call never fails. A problem of the text is a [`Diagnostic`] in [`Compilation::findings`], and every stage
/// continues after an error as far as it can. A text of more than [`syntax::MAX_BYTES`] bytes gives a single error.
/// Nothing is read, written or printed, and the text cannot include files: see [`compile_with`].
///
/// ```
/// use qosc_compiler::compile::Options;
///
/// let yaml = "link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }\n";
/// let home = qosc_compiler::compile(yaml, &Options::of("home.yaml"));
/// let (model, program) = home.finished().expect("a text without errors");
/// assert_eq!(model.link.shaped.up.value.to_string(), "6.272mbit");
/// assert_eq!(program.ifb.as_str(), "ifb-home");
/// assert!(home.script().unwrap().starts_with("#!/bin/sh\n"));
///
/// let wrong = qosc_compiler::compile(yaml.replace("6.5mbit", "6500"), &Options::of("home.yaml"));
/// assert!(wrong.finished().is_none() && wrong.raw.is_some());
/// let messages: Vec<&str> = wrong.errors().map(|error| error.message.as_str()).collect();
/// assert_eq!(messages, ["the rate `6500` has no unit"]);
/// ```
#[must_use]
pub fn compile(text: impl AsRef<[u8]>, options: &Options) -> Compilation {
    compile_with(text, options, &NoFiles)
}

/// Does the same with the files that the text includes.
#[must_use]
pub fn compile_with(text: impl AsRef<[u8]>, options: &Options, files: &dyn Files) -> Compilation {
    let sink = Sink::within(&options.budget).up_to(options.most);
    let (front, tree) = Front::read(text.as_ref(), &options.shown, sink, files);
    with_variants(&Arc::new(front), tree, options)
}

/// Compiles a link, and then with each variant.
fn with_variants(front: &Arc<Front>, tree: Option<YamlValue>, options: &Options) -> Compilation {
    let mut base = stages(front, tree, options);
    let variants: &[Variant] = base.model.as_ref().map_or(&[], |model| &model.variants);
    let with = |variant: &Variant| {
        let options = Options { variant: Some(variant.name.clone()), ..options.clone() };
        let tree = front.copy(&options.budget)?;
        Some(Compilation { raw: None, ..stages(front, Some(tree), &options) })
    };
    base.variants = variants.iter().filter(|_| options.variant.is_none()).map_while(with).collect();
    if options.budget.is_used_up() {
        base.findings = vec![front.beyond_budget()];
        base.program = None;
        base.variants.clear();
    } else if !base.variants.is_empty() {
        let rest = std::mem::take(&mut base.findings);
        // A warning of a variant means nothing beside an error of the rest, or beside the same one at another place.
        let says_more = |own: &&Diagnostic| {
            let is_same = |other: &Diagnostic| (other.code, &other.message) == (own.code, &own.message);
            let hides = |other: &Diagnostic| is_same(other) && other.labels != own.labels;
            let is_error = |own: &Diagnostic| own.severity == Severity::Error;
            is_error(own) || !rest.iter().any(|other| is_error(other) || hides(other))
        };
        let of = |own: &Compilation| own.findings.iter().filter(says_more).cloned().collect();
        let mut all = vec![(None, rest.clone())];
        all.extend(base.variants.iter().map(|own| (own.options.variant.clone(), of(own))));
        base.findings = gathered(all, "variant");
    }
    base
}

fn stages(front: &Arc<Front>, tree: Option<YamlValue>, options: &Options) -> Compilation {
    let mut sink = Sink::within(&options.budget).up_to(options.most);
    sink.charge(1, budget::COMPILATION);
    sink.extend(front.findings.iter().cloned());
    let mut sources = front.sources.clone();
    let (link, variant) = (options.link.as_deref(), options.variant.as_deref());
    let layered = tree.map(|tree| layers::merged(tree, link, variant, &mut sources, &mut sink));
    let (raw, links, link, root) = match layered {
        Some(Layered { root, sections, links, link }) => {
            (syntax::read_tree(&root, sections, &mut sink), links, link, Some(root))
        }
        None => Default::default(),
    };
    let model = front
        .own
        .zip(raw.as_ref())
        .filter(|_| !options.budget.is_used_up())
        .and_then(|(own, raw)| resolve::resolve(raw, &options.stem, link.as_deref(), own, &mut sink));
    // A model with errors contains placeholders. Lowering would report problems of those, which the file does not have.
    let whole = !sink.has_errors();
    if let Some(model) = model.as_ref().filter(|_| !options.budget.is_used_up()) {
        check::check(model, &mut sink);
    }
    let lowered = model.as_ref().filter(|_| whole && options.last == Stage::Program);
    let program = lowered
        .and_then(|model| lower::lower(model, &mut sink))
        .filter(|program| sink.charge(emit::estimated_size(program, &options.file) / 16, budget::LINES));
    let files = || front.included.iter().map(|(path, _)| path.clone()).collect();
    let program = program.map(|program| Program { files: files(), ..program });
    let allows = |own: &FileComments| {
        Allows::read(own.file, &own.comments, &sources.get(own.file)?.text, &sink).settle(&mut sink).into()
    };
    let allows = front.comments.iter().filter_map(allows).collect();
    let mut findings = sink.into_sorted();
    only_causes(&mut findings);
    root.iter().for_each(|root| misplaced::advise(root, &mut findings));
    only_certain(&mut findings);
    Compilation {
        options: options.clone(),
        sources,
        links: links.into_iter().map(|link| link.value).collect(),
        link,
        findings,
        allows,
        raw,
        model,
        program,
        variants: Vec::new(),
        front: Arc::clone(front),
    }
}

/// Removes what follows from another finding at the same place: a misspelt name of a class adds a class without a match.
fn only_causes(findings: &mut Vec<Diagnostic>) {
    let place = |own: &Diagnostic| own.labels.first().map(|label| label.span);
    let of = |code| move |own: &&Diagnostic| own.code == code;
    let causes: Vec<_> = findings.iter().filter(of(Code::NewInLayer)).map(place).collect();
    findings.retain(|own| own.code != Code::NothingMatches || !causes.contains(&place(own)));
}

/// Removes fixes that depend on a value with an error. If a protocol is misspelt, its match seems to match all packets,
/// and the next match seems useless. If a host is misspelt, its name seems to be missing.
fn only_certain(findings: &mut [Diagnostic]) {
    let errors = || findings.iter().filter(|finding| finding.severity == Severity::Error);
    let (fine, read) = (errors().count() == 0, errors().all(|error| error.code >= Code::UndefinedName));
    for finding in findings {
        let rests = finding.severity != Severity::Error || finding.code >= Code::UndefinedName;
        if rests && !(fine || read && finding.severity == Severity::Error) {
            finding.fix = None;
        }
    }
}

#[cfg(test)]
#[path = "compile_tests.rs"]
mod tests;
