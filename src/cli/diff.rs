//! `qosc diff`.

use super::args::{Diff, DiffFormat};
use super::front::script;
use super::input::{Input, input};
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::Target;
pub(super) use super::unified::unified;
use crate::compare::{Comparison, compare, human};
use crate::diff::Cost;
use crate::diff::Look;
use crate::emit;
use crate::model::Origin;
use serde::Serialize;

pub(super) fn run(args: &Diff) -> Done {
    if is_dash(&args.old) && is_dash(&args.new) {
        return Err("only one of OLD and NEW can be standard input".to_owned());
    }
    let target = Target::new(&args.to, [args.old.as_path(), args.new.as_path()])?;
    let old = side(input(&args.old, None, &args.layers));
    // If neither file has a name, both describe one link, and not two links named after their files.
    let before = old.as_ref().and_then(|old| old.compiled.finished());
    let named = before.filter(|(model, _)| !matches!(model.name.origin, Origin::Given(_)));
    let name = named.and(old.as_ref()).map(|old| old.compiled.options.stem.as_str());
    // The new file is read even if the old one cannot be, so that one run reports the problems of both.
    let new = side(input(&args.new, name, &args.layers));
    let (Some(old), Some(new)) = (old, new) else { return Ok(Outcome::Unable) };
    if args.format == DiffFormat::Script {
        return scripts(old, new, &target);
    }
    let (Some(before), Some(after)) = (old.compiled.finished(), new.compiled.finished()) else {
        return Ok(Outcome::Unable);
    };
    let found = compare(before, after);
    let printed = match args.format {
        DiffFormat::Json => target.put(&json(&old, &new, &found)?, output::verbatim)?,
        DiffFormat::Human | DiffFormat::Script => {
            let look = Look { verbose: args.verbose, colour: target.colours() };
            target.put(&human(&found, look), output::coloured)?
        }
    };
    Ok(outcome(printed, found.differs()))
}

/// Prints the unified diff of two scripts.
fn scripts(old: Input, new: Input, target: &Target<'_>) -> Done {
    let (from, to) = (old.shown.clone(), new.shown.clone());
    // A compilation of a large file is large, so it is dropped as soon as its script is there.
    let before = script_of(&old)?;
    drop(old);
    let after = script_of(&new)?;
    drop(new);
    Ok(outcome(target.put(&unified(&from, &to, &before, &after), output::text)?, before != after))
}

/// Returns the outcome of a comparison that was printed.
const fn outcome(printed: Outcome, differs: bool) -> Outcome {
    match printed {
        Outcome::Fine if differs => Outcome::Errors,
        outcome => outcome,
    }
}

/// Returns a side without errors. Prints the findings of a side with errors.
fn side(input: Result<Input, String>) -> Option<Input> {
    let input = match input {
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

/// Output of `--format json`.
#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct Report<'a> {
    /// First configuration.
    old: &'a str,
    /// Second configuration.
    new: &'a str,
    /// True if anything differs in effect.
    differs: bool,
    #[serde(flatten)]
    found: &'a Comparison,
    /// Number of changes by cost.
    summary: Summary,
}

/// Number of changes by cost.
#[derive(Serialize, schemars::JsonSchema)]
struct Summary {
    /// Number of changes.
    changes: usize,
    /// Number of changes without effect on traffic.
    in_place: usize,
    /// Number of changes that drop the backlog of one class.
    own_backlog: usize,
    /// Number of changes that give a direction a new tree.
    swap: usize,
    /// Number of changes that rebuild the root of a direction.
    rebuild: usize,
    /// Summary as a sentence.
    text: String,
}

fn json(old: &Input, new: &Input, found: &Comparison) -> Result<String, String> {
    let summary = Summary {
        changes: found.changes.len(),
        in_place: found.count(Cost::InPlace),
        own_backlog: found.count(Cost::OwnBacklog),
        swap: found.count(Cost::Swap),
        rebuild: found.count(Cost::Rebuild),
        text: found.summary(),
    };
    let report = Report { old: &old.shown, new: &new.shown, differs: found.differs(), found, summary };
    output::json(&report)
}
