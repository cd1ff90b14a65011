//! `qosc diff` of two folders, or of a folder in two git revisions.

use super::args::{Diff, DiffFormat};
use super::diff_report::{FileDiff, FileReport, FileResult, Problem, text};
use super::folder::configurations;
use super::front;
use super::git::Tree;
use super::input::{Input, Text, read};
use super::inside::within;
use super::layers::{Layers, beyond_budget};
use super::markdown::markdown;
use super::outcome::{Done, Outcome};
use super::output;
use super::output_file::Target;
use super::variants;
use crate::pool;
use qosc_preview::compare::Comparison;
use qosc_preview::diff::Look;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Configurations of one side by their path within the folder, each with its reader.
pub(super) type Files<'a> = BTreeMap<PathBuf, Box<dyn Fn() -> Result<Text<'a>, String> + Sync + 'a>>;

/// Lists a folder on disk.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn on_disk<'a>(folder: &'a Path, layers: &'a Layers) -> Result<Files<'a>, String> {
    let mut files = Files::new();
    for path in configurations(folder, layers)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        let text = move || {
            within(folder, &path)?;
            layers.budget.add_file();
            read(&path, None, layers)
        };
        files.insert(name, Box::new(text));
    }
    Ok(files)
}

/// Lists a folder of a git revision.
pub(super) fn in_revision<'a>(tree: &'a Tree, layers: &'a Layers) -> Files<'a> {
    let mut files = Files::new();
    for name in tree.files.keys() {
        files.insert(name.clone(), Box::new(move || of_revision(tree, name, layers)));
    }
    files
}

/// Reads a file of a git revision.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn of_revision<'a>(tree: &'a Tree, name: &Path, layers: &'a Layers) -> Result<Text<'a>, String> {
    let blob = tree.files.get(name).ok_or_else(|| tree.lacks_path())?;
    let (bytes, shown) = (tree.text(blob)?, tree.shown(blob));
    let files = Box::new(tree.included(blob, &layers.include_dir));
    Ok(Text { bytes, shown, path: blob.path.clone(), stdin: false, link: None, files })
}

/// Compares two folders, and prints the result.
pub(super) fn run(args: &Diff, old: &Files<'_>, new: &Files<'_>) -> Done {
    if args.format == DiffFormat::Script {
        return Err("`--format script` compares two files: name files, not folders".to_owned());
    }
    let names = Vec::from_iter(old.keys().chain(new.keys()).collect::<BTreeSet<&PathBuf>>());
    let paths: Vec<PathBuf> =
        names.iter().flat_map(|name| [args.old.join(name), args.new.join(name)]).collect();
    let target = Target::new(&args.to, paths.iter().map(PathBuf::as_path))?;
    let result = |name: &&PathBuf| match (old.get(*name), new.get(*name)) {
        (_, None) => vec![(None, FileResult::Deleted)],
        (before, Some(after)) => {
            let (before, after) = (before.map(|read| read()), after());
            if let (Some(Ok(old)), Ok(new)) = (&before, &after)
                && old.is_same(new, &args.layers)
            {
                let (old, new) = (old.shown.clone(), new.shown.clone());
                return vec![(None, FileResult::Compared { old, new, found: Comparison::default() })];
            }
            let compiled = |read: Result<Text<'_>, String>| read?.compiled(&args.layers);
            of_links(before.map(compiled), compiled(after))
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut files, mut is_over) = (Vec::new(), false);
    pool::in_order(&names, threads, result, |name, results| {
        if is_over {
            return;
        }
        is_over = args.layers.budget.is_used_up();
        if is_over {
            return output::complain(&beyond_budget("compare", name));
        }
        for (link, result) in results {
            if let FileResult::Unusable(problems) = &result {
                problems.iter().for_each(Problem::print);
            }
            files.push(FileDiff { name: name.display().to_string(), link, result });
        }
    });
    let printed = match args.format {
        DiffFormat::Json => {
            let reports: Vec<FileReport<'_>> = files.iter().map(FileReport::of).collect();
            target.put(&output::json(&reports)?, output::verbatim)?
        }
        #[cfg(unix)]
        DiffFormat::Markdown => target.put(&markdown(&files, args.verbose), output::text)?,
        DiffFormat::Human | DiffFormat::Script => {
            let look = Look { verbose: args.verbose, colour: target.colours() };
            target.put(&text(&files, look), output::coloured)?
        }
    };
    if is_over || files.iter().any(|file| matches!(file.result, FileResult::Unusable(_))) {
        return Ok(Outcome::Unable);
    }
    Ok(printed.of_comparison(files.iter().any(|file| file.word() != "unchanged")))
}

/// Compares the links of two files, on any thread, each with its name. It prints nothing.
fn of_links(
    old: Option<Result<Input, String>>,
    new: Result<Input, String>,
) -> Vec<(Option<String>, FileResult)> {
    let of = |input: &Result<Input, String>| {
        input.as_ref().map_or_else(|_| Vec::new(), |input| input.compiled.links.clone())
    };
    let (before, after) = (old.as_ref().map(of).unwrap_or_default(), of(&new));
    let (Some(Ok(one)), Ok(other)) = (&old, &new) else { return vec![(None, compared(old, new))] };
    // Without links on a side there is nothing to tell links from, and an error may have hidden them.
    let is_wrong = |input: &Input, links: &[String]| links.is_empty() && input.compiled.has_errors();
    if before.is_empty() && after.is_empty() || is_wrong(one, &before) || is_wrong(other, &after) {
        return vec![(None, compared(old, new))];
    }
    let link = |input: &Input, links: &[String], link: &String| {
        let compiled = links.contains(link).then(|| front::of_link(&input.compiled, link))?;
        Some(Ok(Input { shown: format!("{} ({link})", input.shown), compiled, script: None }))
    };
    let gone = before.iter().filter(|link| !after.contains(link));
    let mut results: Vec<(Option<String>, FileResult)> = after
        .iter()
        .chain(gone)
        .map(|name| {
            let result = match (link(one, &before, name), link(other, &after, name)) {
                (old, Some(new)) => compared(old, new),
                (_, None) => FileResult::Deleted,
            };
            (Some(name.clone()), result)
        })
        .collect();
    // A file that had one link without a name of its own, or has one now.
    if before.is_empty() {
        results.push((None, FileResult::Deleted));
    } else if after.is_empty() {
        results.push((None, FileResult::New));
    }
    results
}

/// Compares the two files of a name, on any thread. It prints nothing.
fn compared(old: Option<Result<Input, String>>, new: Result<Input, String>) -> FileResult {
    match (old.map(usable), usable(new)) {
        (None, Ok(_)) => FileResult::New,
        (Some(Err(_)), Ok(_)) => FileResult::Repaired,
        (Some(Ok(old)), Ok(new)) => match variants::compared(&old.compiled, &new.compiled) {
            Some(found) => FileResult::Compared { old: old.shown, new: new.shown, found },
            None => FileResult::Unusable(Vec::new()),
        },
        (old, new) => FileResult::Unusable(old.and_then(Result::err).into_iter().chain(new.err()).collect()),
    }
}

/// Returns an input without errors.
fn usable(input: Result<Input, String>) -> Result<Input, Problem> {
    let input = input.map_err(Problem::Unread)?;
    match input.compiled.has_errors() {
        true => Err(Problem::Findings(input.compiled.findings, input.compiled.sources)),
        false => Ok(input),
    }
}
