//! `qosc check`.

use super::args::{Check, Format};
use super::fix::Fixes;
use super::folder::configurations;
use super::front::front_and_state;
use super::inside::within;
use super::layers::beyond_budget;
use super::links::{Links, claims, is_error};
use super::matrix::Matrix;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::{FileState, cannot, changed_meanwhile};
use super::statistics::Statistics;
use crate::fix::Fixed;
use crate::pool;
use qosc_compiler::check::same_link_name::same_link_name;
use qosc_compiler::check::same_router::{Claims, conflicts};
use qosc_compiler::compile::Compilation;
use qosc_compiler::diag::{
    self, CheckedFile, Code, Diagnostic, FileId, Printed, Severity, Sink, Sources, Span, Together, count,
    counts, ticked,
};
use qosc_compiler::rules;
use qosc_compiler::units::LinkName;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(super) fn run(args: &Check) -> Done {
    let mut run = Run::new(args);
    let files = files(args, &mut run.outcome);
    let stdin = files.iter().filter(|(path, _)| is_dash(path)).count();
    if stdin > 1 {
        return Err("only one file can be standard input".to_owned());
    }
    if args.same_router && run.outcome == Outcome::Fine && different(&files) < 2 {
        return Err("`--same-router` compares the files of one router: give at least two files".to_owned());
    }
    if args.fix && args.format != Format::Human && (stdin > 0 || !args.yes) {
        let what = if args.yes { "the text of `-`" } else { "a diff, without `--yes`" };
        return Err(format!("`--fix` prints {what}, so `--format` must be `human`"));
    }
    for (given, option) in [(args.statistics, "--statistics"), (args.matrix.is_some(), "--matrix")] {
        if given && args.format != Format::Human {
            return Err(format!("`{option}` prints a table for people, so `--format` must be `human`"));
        }
    }
    let check = |(path, folder): &Named<'_>| {
        if args.layers.budget.is_over() {
            return Err(beyond_budget("check", path));
        }
        if let Some(folder) = folder {
            within(folder, path)?;
            args.layers.budget.add_file();
        }
        read(path, args)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    pool::in_order(&files, threads, check, |(path, _), read| {
        // A file after the budget is left out, even if a thread has read it already.
        let is_over = run.is_over;
        run.add(path, if is_over { Err(beyond_budget("check", path)) } else { read });
    });
    Ok(run.finish(files.len()))
}

/// A file to check, and the named folder in which it was found.
type Named<'a> = (PathBuf, Option<&'a Path>);

/// Returns the named files and those in the named folders.
fn files<'a>(args: &'a Check, outcome: &mut Outcome) -> Vec<Named<'a>> {
    let mut files = Vec::new();
    for path in &args.files {
        // The playground has no folders.
        if !cfg!(unix) || !path.is_dir() {
            files.push((path.clone(), None));
            continue;
        }
        match configurations(path, &args.layers) {
            Ok(found) => files.extend(found.into_iter().map(|file| (file, Some(path.as_path())))),
            Err(words) => {
                output::complain(&words);
                *outcome = Outcome::Unable;
            }
        }
    }
    files
}

/// Returns the number of different files; two names of one file count once.
fn different(files: &[Named<'_>]) -> usize {
    files.iter().map(|(path, _)| without_links(path)).collect::<BTreeSet<_>>().len()
}

/// Returns the path without symbolic links. Standard input, and a file that cannot be read, keep their path.
fn without_links(path: &Path) -> PathBuf {
    let found = if is_dash(path) { None } else { std::fs::canonicalize(path).ok() };
    found.unwrap_or_else(|| path.to_owned())
}

/// Findings on a file, without the results of the stages.
struct Checked {
    compiled: Compilation,
    links: Vec<Link>,
    /// Claims of the links without errors, with `--same-router`.
    claims: Vec<Claims>,
    /// Rates of its classes, with `--matrix`.
    matrix: Matrix,
    /// Result of `--fix`, which may be empty, and the compilation of its text.
    fixed: Option<(Fixed, Option<Compilation>)>,
    /// State of a regular file when it was read.
    state: Option<FileState>,
}

/// Link of a file that can be understood.
struct Link {
    /// Its folder, and its name as device names hold it.
    key: (PathBuf, String),
    name: LinkName,
    /// Path of the file without symbolic links.
    file: PathBuf,
    span: Span,
}

/// Reads and checks a file, on any thread. It prints nothing.
fn read(path: &Path, args: &Check) -> Result<Checked, String> {
    let (compiled, state) = front_and_state(path, &args.layers)?;
    args.layers.exists(&compiled)?;
    let mut links = Links::of(compiled, &args.levels);
    let mut fixed = (cfg!(unix) && args.fix).then(|| links.fix(&args.levels));
    let after = fixed.as_mut().filter(|_| args.yes).and_then(|(_, after)| after.as_mut());
    let last = after.unwrap_or(&mut links);
    let claims = last.each().filter(|_| args.same_router).filter_map(|link| claims(link)).collect();
    let mut matrix = Matrix::default();
    last.each().filter(|_| args.matrix.is_some()).for_each(|link| matrix.add(link));
    let names = last.each().filter_map(|compiled| link(path, compiled)).collect();
    let fixed = fixed.map(|(fixed, after)| (fixed, after.map(Links::together)));
    Ok(Checked { compiled: links.together(), links: names, claims, matrix, fixed, state })
}

/// Returns the link that a file describes, even if `--deny` turns a warning into an error. Drops the results of the
/// stages, so that those of many files do not fill the memory.
fn link(path: &Path, compiled: &mut Compilation) -> Option<Link> {
    let (model, program) = (compiled.model.take(), compiled.program.take());
    let model = model.filter(|_| program.is_some() && !compiled.findings.iter().any(is_error))?;
    let file = std::fs::canonicalize(path).ok().filter(|_| !is_dash(path))?;
    let key = (file.parent()?.to_owned(), model.name.value.in_devices());
    // A link that is named after its file has its name nowhere in the text.
    Some(Link { key, file, span: model.name.span().unwrap_or_default(), name: model.name.value })
}

/// Adds the file whose configuration a finding is about, if the finding only shows places in included files.
fn name_includer(finding: &mut Diagnostic, file: &str) {
    let shown = || finding.labels.iter().map(|label| label.span.file).filter(|shown| shown.is_own());
    if shown().next().is_some() && shown().all(|shown| shown != FileId::OWN) {
        finding.help.push(format!("this is about {}, which includes this file", ticked(file)));
    }
}

/// State of a run over several files.
struct Run<'a> {
    args: &'a Check,
    colour: bool,
    outcome: Outcome,
    wrong: usize,
    unread: usize,
    unwritten: usize,
    /// True after the finding that no time is left for further files.
    is_over: bool,
    severities: BTreeMap<Severity, usize>,
    codes: BTreeSet<Code>,
    /// Numbers of findings, with `--statistics`.
    statistics: Statistics,
    /// Cures that `--fix` makes or could make.
    fixes: Fixes,
    /// States of the files that `--fix` wrote: before and after.
    written: Vec<(FileState, FileState)>,
    /// True if a file was not written because it was changed or removed meanwhile.
    changed: bool,
    /// The first file of each link, without links and as it was named, and the link's name.
    links: BTreeMap<(PathBuf, String), (PathBuf, String, LinkName)>,
    /// Claims of each file, and its path without symbolic links, with `--same-router`.
    claims: Vec<(PathBuf, Claims)>,
    /// Reports for the formats that are printed at the end.
    reports: Vec<CheckedFile>,
}

impl<'a> Run<'a> {
    fn new(args: &'a Check) -> Self {
        Run {
            args,
            colour: output::colours(),
            outcome: Outcome::Fine,
            wrong: 0,
            unread: 0,
            unwritten: 0,
            is_over: false,
            severities: BTreeMap::new(),
            codes: BTreeSet::new(),
            statistics: Statistics::default(),
            fixes: Fixes::default(),
            written: Vec::new(),
            changed: false,
            links: BTreeMap::new(),
            claims: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// Adds the result of the next file.
    fn add(&mut self, path: &Path, read: Result<Checked, String>) {
        let file = path.display().to_string();
        let Checked { mut compiled, links, claims, matrix, fixed, state } = match read {
            Ok(checked) => checked,
            Err(words) => {
                self.unread += 1;
                return self.leave_out(file, words);
            }
        };
        self.is_over |= compiled.is_beyond_budget() && self.args.layers.budget.is_over();
        if let Some((fixed, after)) = fixed {
            let writes = state.filter(|_| self.args.yes && fixed.text.is_some());
            let same = writes.map_or(Ok(()), |state| self.unchanged(path, state));
            compiled =
                match same.and_then(|()| self.fixes.apply(path, compiled, (fixed, after), self.args.yes)) {
                    Ok(now) => {
                        let after = writes.zip(FileState::now(path).ok());
                        self.written.extend(after);
                        now
                    }
                    // Its findings would be those of a text that nobody has.
                    Err(words) => {
                        self.unwritten += 1;
                        return self.leave_out(file, words);
                    }
                };
        }
        let mut across = match self.args.same_router {
            true => self.same_router(path, claims, &mut compiled.sources),
            false => links.into_iter().filter_map(|link| self.same_name(link, &file)).collect(),
        };
        across.retain(|finding| !compiled.permits(finding));
        if !across.is_empty() {
            compiled.findings.append(&mut across);
            compiled.findings = Sink::from(compiled.findings).into_sorted();
        }
        self.args.levels.apply(&mut compiled.findings);
        compiled.findings.iter_mut().for_each(|finding| name_includer(finding, &file));
        for finding in &compiled.findings {
            *self.severities.entry(finding.severity).or_default() += 1;
            self.codes.insert(finding.code);
            self.fixes.could(finding, &compiled.sources);
        }
        self.wrong += usize::from(compiled.has_errors());
        if compiled.has_errors() && self.outcome == Outcome::Fine {
            self.outcome = Outcome::Errors;
        }
        if let Some(format) = self.args.matrix {
            self.reported(matrix.print(&file, format));
        }
        let (found, sources) = (&compiled.findings, &compiled.sources);
        match self.args.format {
            Format::Human if cfg!(unix) && self.args.statistics => self.statistics.add(found),
            Format::Human => output::drawn(found, sources, self.colour),
            Format::Short => {
                self.reported(output::text(&diag::render(found, sources, diag::Format::Short)));
            }
            _ => {
                let file = sources.get(FileId::OWN).map_or(file, |source| source.name.clone());
                self.reports.push(CheckedFile { file, found: Printed::all(found, sources), unread: None });
            }
        }
    }

    /// Reports why a text could not be printed.
    fn reported(&mut self, printed: Done) {
        if let Err(words) = printed {
            output::complain(&words);
            self.outcome = Outcome::Unable;
        }
    }

    /// Checks that a file to write still has the text that was read. This run itself may have written it, if the file was
    /// named twice. It then wrote the same text.
    fn unchanged(&mut self, path: &Path, state: FileState) -> Result<(), String> {
        let why = match FileState::now(path) {
            Ok(now) if now == state || self.written.contains(&(state, now)) => return Ok(()),
            Ok(_) => changed_meanwhile(),
            Err(e) => e,
        };
        self.changed = true;
        Err(cannot(path, &why))
    }

    /// Reports why a file has no findings here.
    fn leave_out(&mut self, file: String, words: String) {
        // One finding on the budget is enough. The summary counts the files.
        if !self.is_over {
            output::complain(&words);
        }
        self.is_over |= self.args.layers.budget.is_over();
        self.outcome = Outcome::Unable;
        self.reports.push(CheckedFile { file, found: Vec::new(), unread: Some(words) });
    }

    /// A finding where another file of the folder has a link of the same name, or one whose devices have the same names.
    /// Files of other folders may well be for other routers.
    fn same_name(&mut self, link: Link, shown: &str) -> Option<Diagnostic> {
        let Some((file, first, name)) = self.links.get(&link.key) else {
            self.links.insert(link.key, (link.file, shown.to_owned(), link.name));
            return None;
        };
        if *file == link.file {
            return None;
        }
        Some(same_link_name(&link.name, link.span, (name, first)))
    }

    /// Returns the findings on claims that conflict with those of an earlier file.
    fn same_router(&mut self, path: &Path, claims: Vec<Claims>, sources: &mut Sources) -> Vec<Diagnostic> {
        let path = without_links(path);
        if claims.is_empty() || self.claims.iter().any(|(known, _)| *known == path) {
            return Vec::new();
        }
        let mut found: Vec<Diagnostic> = Vec::new();
        for (_, first) in &self.claims {
            found.extend(claims.iter().flat_map(|second| conflicts(first, second, sources)));
        }
        // A device or name that several earlier files have is only one problem of this file.
        let mut seen = BTreeSet::new();
        found.retain(|finding| {
            let once = matches!(finding.code, Code::SameRouterDevice | Code::SameRouterNames);
            !once || seen.insert((finding.code, finding.labels.first().map(|label| label.span)))
        });
        self.claims.extend(claims.into_iter().map(|claims| (path.clone(), claims)));
        found
    }

    /// Prints the texts at the end of the run.
    fn finish(mut self, files: usize) -> Outcome {
        let together = match self.args.format {
            Format::Human | Format::Short => None,
            Format::Json => Some(Together::Json),
            #[cfg(unix)]
            Format::Sarif => Some(Together::Sarif(rules::page)),
            #[cfg(unix)]
            Format::Github => Some(Together::Github),
            #[cfg(unix)]
            Format::Junit => Some(Together::Junit),
        };
        if let Some(format) = together {
            let text = diag::render_together(&self.reports, format);
            self.reported(match format {
                Together::Github => output::printed(&text),
                _ => output::verbatim(&text),
            });
        }
        output::error(&self.statistics.table(), false);
        if let Some(words) = self.more().filter(|_| self.args.format == Format::Human) {
            output::say(&words);
        }
        let fixes = self.fixes.words(self.args).filter(|_| self.args.format == Format::Human);
        // "Nothing to fix" would be wrong for a file that was changed meanwhile.
        if let Some(words) = fixes.filter(|_| !self.changed || !self.written.is_empty()) {
            output::say(&words);
        }
        let clean = self.severities.is_empty() && self.outcome == Outcome::Fine;
        if files > 1 || self.args.files.iter().any(|path| path.is_dir()) {
            output::say(&if clean {
                format!("{}: no findings", count(files, "file"))
            } else {
                self.summary(files)
            });
        } else if clean && self.args.format == Format::Human {
            output::say("no findings");
        }
        self.outcome
    }

    /// Hint where to read more about the findings.
    fn more(&self) -> Option<String> {
        let first = self.codes.first()?;
        Some(match self.codes.len() {
            1 => format!("for more about {first}: qosc rule {first}"),
            _ => format!("for more about a code: qosc rule {first}"),
        })
    }

    /// Summary: `12 files: 10 without errors, 2 with errors; 3 warnings`.
    fn summary(&self, files: usize) -> String {
        let fine = files.saturating_sub(self.wrong + self.unread + self.unwritten);
        let mut text = format!("{}: {fine} without errors", count(files, "file"));
        let parts = [
            (self.wrong, "with errors"),
            (self.unread, "that cannot be read"),
            (self.unwritten, "that cannot be written"),
        ];
        for (number, what) in parts {
            if number > 0 {
                text.push_str(&format!(", {number} {what}"));
            }
        }
        let others = counts(|severity| match severity {
            Severity::Error => 0,
            Severity::Warning | Severity::Note => self.severities.get(&severity).copied().unwrap_or(0),
        });
        if !others.is_empty() {
            text.push_str(&format!("; {others}"));
        }
        text
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
