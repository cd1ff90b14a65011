//! `qosc diff` of two folders, or of a folder in two git revisions.

use super::args::{Diff, DiffFormat};
use super::diff_report::{FileDiff, FileReport, FileResult, Problem, text};
use super::folder::{configurations, within};
use super::front;
use super::git::Tree;
use super::input::{Input, Named, any_link, understood};
use super::layers::Layers;
use super::markdown::markdown;
use super::outcome::{Done, Outcome};
use super::output;
use super::output_file::Target;
use crate::compare::compare;
use crate::diff::Look;
use crate::pool;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Configurations of one side, each with its path within the folder.
pub(super) enum Folder<'a> {
    /// A folder on disk.
    Disk(&'a Path, BTreeSet<PathBuf>),
    /// A folder of a git revision.
    Revision(Tree),
}

impl<'a> Folder<'a> {
    /// Lists a folder on disk.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn on_disk(folder: &'a Path, layers: &Layers) -> Result<Folder<'a>, String> {
        let files = configurations(folder, &layers.include_dir)?;
        let within = files.iter().filter_map(|file| file.strip_prefix(folder).ok());
        Ok(Folder::Disk(folder, within.map(Path::to_owned).collect()))
    }

    fn names(&self) -> BTreeSet<&Path> {
        match self {
            Folder::Disk(_, names) => names.iter().map(PathBuf::as_path).collect(),
            Folder::Revision(tree) => tree.files.keys().map(PathBuf::as_path).collect(),
        }
    }

    /// Paths of the files on disk.
    fn paths(&self) -> Vec<PathBuf> {
        match self {
            Folder::Disk(folder, names) => names.iter().map(|name| folder.join(name)).collect(),
            Folder::Revision(_) => Vec::new(),
        }
    }

    fn read(&self, name: &Path, layers: &Layers) -> Result<Input, String> {
        match self {
            Folder::Disk(folder, _) => {
                let path = folder.join(name);
                within(folder, &path)?;
                any_link(&path, None, layers)
            }
            Folder::Revision(tree) => of_revision(tree, name, layers),
        }
    }
}

/// Reads a file of a git revision.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn of_revision(tree: &Tree, name: &Path, layers: &Layers) -> Result<Input, String> {
    let blob = tree.files.get(name).ok_or_else(|| tree.lacks_path())?;
    let named = Named { shown: tree.shown(blob), path: &blob.path, stdin: false, link: None };
    understood(&tree.text(blob)?, named, layers, &tree.included(blob, &layers.include_dir))
}

/// Compares two folders, and prints the result.
pub(super) fn run(args: &Diff, old: &Folder<'_>, new: &Folder<'_>) -> Done {
    let paths = [old.paths(), new.paths()].concat();
    let target = Target::new(&args.to, paths.iter().map(PathBuf::as_path))?;
    if args.format == DiffFormat::Script {
        return Err("`--format script` compares two files: name files, not folders".to_owned());
    }
    let (before, after) = (old.names(), new.names());
    let names: Vec<&Path> = before.union(&after).copied().collect();
    let read = |folder: &Folder<'_>, name: &Path| folder.read(name, &args.layers);
    let result = |name: &&Path| match (before.contains(name), after.contains(name)) {
        (true, false) => vec![(String::new(), FileResult::Deleted)],
        (had, _) => of_links(had.then(|| read(old, name)), read(new, name)),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut files = Vec::new();
    pool::in_order(&names, threads, result, |name, results| {
        for (link, result) in results {
            if let FileResult::Unusable(problems) = &result {
                problems.iter().for_each(Problem::print);
            }
            files.push(FileDiff { name: format!("{}{link}", name.display()), result });
        }
    });
    let printed = match args.format {
        DiffFormat::Json => {
            let reports: Vec<FileReport<'_>> = files.iter().map(FileReport::of).collect();
            target.put(&output::json(&reports)?, output::verbatim)?
        }
        DiffFormat::Markdown => target.put(&markdown(&files, args.verbose), output::text)?,
        DiffFormat::Human | DiffFormat::Script => {
            let look = Look { verbose: args.verbose, colour: target.colours() };
            target.put(&text(&files, look), output::coloured)?
        }
    };
    if files.iter().any(|file| matches!(file.result, FileResult::Unusable(_))) {
        return Ok(Outcome::Unable);
    }
    Ok(printed.of_comparison(files.iter().any(|file| file.word() != "unchanged")))
}

/// Compares the links of two files, on any thread, each with its name for people. It prints nothing.
fn of_links(old: Option<Result<Input, String>>, new: Result<Input, String>) -> Vec<(String, FileResult)> {
    let of = |input: &Result<Input, String>| {
        input.as_ref().map_or_else(|_| Vec::new(), |input| input.compiled.links.clone())
    };
    let (before, after) = (old.as_ref().map(of).unwrap_or_default(), of(&new));
    let (Some(Ok(one)), Ok(other)) = (&old, &new) else { return vec![(String::new(), compared(old, new))] };
    if before.is_empty() && after.is_empty() {
        return vec![(String::new(), compared(old, new))];
    }
    let link = |input: &Input, links: &[String], link: &String| {
        let compiled = links.contains(link).then(|| front::of_link(&input.compiled, link))?;
        Some(Ok(Input { shown: format!("{} ({link})", input.shown), compiled, script: None }))
    };
    let gone = before.iter().filter(|link| !after.contains(link));
    let mut results: Vec<(String, FileResult)> = after
        .iter()
        .chain(gone)
        .map(|name| {
            let result = match (link(one, &before, name), link(other, &after, name)) {
                (old, Some(new)) => compared(old, new),
                (_, None) => FileResult::Deleted,
            };
            (format!(" ({name})"), result)
        })
        .collect();
    // A file that had one link without a name of its own, or has one now.
    if before.is_empty() {
        results.push((String::new(), FileResult::Deleted));
    } else if after.is_empty() {
        results.push((String::new(), FileResult::New));
    }
    results
}

/// Compares the two files of a name, on any thread. It prints nothing.
fn compared(old: Option<Result<Input, String>>, new: Result<Input, String>) -> FileResult {
    let mut problems = Vec::new();
    let mut usable = |input: Result<Input, String>| match input {
        Ok(input) if input.compiled.has_errors() => {
            problems.push(Problem::Findings(input.compiled.findings, input.compiled.sources));
            None
        }
        Ok(input) => Some(input),
        Err(words) => {
            problems.push(Problem::Unread(words));
            None
        }
    };
    let is_new = old.is_none();
    let (old, new) = (old.and_then(&mut usable), usable(new));
    if is_new && new.is_some() {
        return FileResult::New;
    }
    let (Some(old), Some(new)) = (old, new) else { return FileResult::Unusable(problems) };
    match old.compiled.finished().zip(new.compiled.finished()) {
        Some((before, after)) => {
            let found = compare(before, after);
            FileResult::Compared { old: old.shown, new: new.shown, found }
        }
        None => FileResult::Unusable(problems),
    }
}
