//! `qosc diff`.

use super::args::{Diff, DiffFormat};
use super::diff_folders::{self, in_revision, of_revision, on_disk};
use super::diff_report::{DiffReport, FileDiff, FileResult};
use super::front::script;
use super::git::{self, Objects, Range, Tree};
use super::input::{Input, any_link};
use super::layers::Layers;
use super::markdown::markdown;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::Target;
pub(super) use super::unified::unified;
use super::variants::compared;
use qosc_compiler::budget::Budget;
use qosc_compiler::diag::for_terminal;
use qosc_compiler::emit;
use qosc_compiler::model::Origin;
use qosc_preview::compare::human;
use qosc_preview::diff::Look;
use std::path::Path;

pub(super) fn run(args: &Diff) -> Done {
    if is_dash(&args.old) && is_dash(&args.new) {
        return Err("only one of OLD and NEW can be standard input".to_owned());
    }
    // The playground has no folders and no git.
    if cfg!(unix)
        && let Some(range) = git::range(&args.old)?
    {
        return revisions(args, &range);
    }
    if cfg!(unix) && args.old.is_dir() != args.new.is_dir() {
        let folder = if args.old.is_dir() { &args.old } else { &args.new };
        return Err(format!(
            "`{}` is a folder: compare two files, two folders, or `BASE..HEAD FOLDER`",
            output::name(folder)
        ));
    }
    if cfg!(unix) && args.old.is_dir() {
        let (old, new) = (on_disk(&args.old, &args.layers)?, on_disk(&args.new, &args.layers)?);
        return diff_folders::run(args, &old, &new);
    }
    let target = Target::new(&args.to, [args.old.as_path(), args.new.as_path()])?;
    // A file that somebody names may take all the time of a run.
    let layers = Layers { budget: Budget::default(), ..args.layers.clone() };
    let new = |link: Option<&str>| any_link(&args.new, link, &layers);
    pair(args, &target, any_link(&args.old, None, &args.layers), new)
}

/// Compares a folder or a file in two git revisions.
fn revisions(args: &Diff, range: &Range) -> Done {
    let objects = Objects::new(&args.layers.budget)?;
    let read = |revision: &str| Tree::read(&objects, revision, &args.new, &args.layers);
    let (old, new) = (read(&range.old)?, read(&range.new)?);
    if old.files.is_empty() && new.files.is_empty() {
        let words = "the path starts at the current folder";
        return Err(format!("{}, and none in `{}`: {words}", old.lacks_path(), for_terminal(&range.new)));
    }
    let own = Path::new("");
    if old.files.contains_key(own) || new.files.contains_key(own) {
        let target = Target::new(&args.to, [args.new.as_path()])?;
        let read = |tree: &Tree| of_revision(tree, own, &args.layers)?.compiled(&args.layers);
        return pair(args, &target, read(&old), |_| read(&new));
    }
    let (old, new) = (in_revision(&old, &args.layers), in_revision(&new, &args.layers));
    diff_folders::run(args, &old, &new)
}

/// Compares two files. `new` reads the second one as the link of this name.
fn pair(
    args: &Diff,
    target: &Target<'_>,
    old: Result<Input, String>,
    new: impl FnOnce(Option<&str>) -> Result<Input, String>,
) -> Done {
    let old = side(old, &args.layers);
    // If neither file has a name, both describe one link, and not two links named after their files.
    let before = old.as_ref().and_then(|old| old.compiled.finished());
    let named = before.filter(|(model, _)| !matches!(model.name.origin, Origin::Given(_)));
    let name = named.and(old.as_ref()).map(|old| old.compiled.options.stem.as_str());
    // The new file is read even if the old one cannot be, so that one run reports the problems of both.
    let new = side(new(name), &args.layers);
    let (Some(old), Some(new)) = (old, new) else { return Ok(Outcome::Unable) };
    if cfg!(unix) && args.format == DiffFormat::Script {
        return scripts(old, new, target);
    }
    let Some(found) = compared(&old.compiled, &new.compiled) else { return Ok(Outcome::Unable) };
    let printed = match args.format {
        DiffFormat::Json => {
            target.put(&output::json(&DiffReport::new(&old.shown, &new.shown, &found))?, output::verbatim)?
        }
        #[cfg(unix)]
        DiffFormat::Markdown => {
            let (name, differs) = (new.shown.clone(), found.differs());
            let result = FileResult::Compared { old: old.shown, new: new.shown, found };
            let text = markdown(&[FileDiff { name, link: None, result }], args.verbose);
            return Ok(target.put(&text, output::text)?.of_comparison(differs));
        }
        DiffFormat::Human | DiffFormat::Script => {
            let look = Look { verbose: args.verbose, colour: target.colours() };
            target.put(&human(&found, look), output::coloured)?
        }
    };
    Ok(printed.of_comparison(found.differs()))
}

/// Prints the unified diff of two scripts.
fn scripts(old: Input, new: Input, target: &Target<'_>) -> Done {
    let (from, to) = (old.shown.clone(), new.shown.clone());
    // A compilation of a large file is large, so it is dropped as soon as its script is there.
    let before = script_of(&old)?;
    drop(old);
    let after = script_of(&new)?;
    drop(new);
    let printed = target.put(&unified(&from, &to, &before, &after), output::text)?;
    Ok(printed.of_comparison(before != after))
}

/// Returns a side without errors. Prints the findings of a side with errors.
fn side(input: Result<Input, String>, layers: &Layers) -> Option<Input> {
    let input = match input.and_then(|input| input.fit(layers)) {
        Ok(input) => input,
        Err(words) => {
            output::complain(&words);
            return None;
        }
    };
    if input.compiled.has_errors() {
        output::findings(&input.compiled.findings, &input.compiled.sources);
        return None;
    }
    warn_of_edits(&input, "diff");
    Some(input)
}

/// Warns if the input is a script whose objects are not those of the YAML that it carries. `call` compares the YAML.
pub(super) fn warn_of_edits(input: &Input, call: &str) {
    if let Some(given) = &input.script
        && let Ok(fresh) = script(&input.compiled)
        && !emit::same_objects(given, &fresh)
    {
        output::warn(&stale(&input.shown, given, call));
    }
}

/// Reason why a script differs from the result of its YAML.
fn stale(shown: &str, script: &str, call: &str) -> String {
    let own = env!("CARGO_PKG_VERSION");
    let why = match emit::made_by(script) {
        Some(made) if made.version != own => {
            format!("qosc {} compiled it, and this is qosc {own}", made.version)
        }
        _ => "it was edited by hand, or another build of this version compiled it".to_owned(),
    };
    format!("`{shown}` does not match the YAML that it carries ({why}): `{call}` compares the YAML")
}

/// Script of a side: the given one, or the compiled one.
fn script_of(input: &Input) -> Result<String, String> {
    input.script.clone().map_or_else(|| script(&input.compiled), Ok)
}
