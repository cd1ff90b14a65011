//! `qosc diff`.

use super::args::{Diff, DiffFormat};
use super::front::Front;
use super::input::{Input, input};
use super::{Outcome, compile, is_dash, output};
use crate::compare::{Comparison, compare, human};
use crate::diff::Cost;
use crate::diff::Look;
use crate::emit;
use crate::model::{Model, Origin};
use crate::tc::Program;
use serde::Serialize;
use similar::TextDiff;

pub(super) fn run(args: &Diff) -> Outcome {
    if is_dash(&args.old) && is_dash(&args.new) {
        return output::unable("only one of the two can be standard input");
    }
    let old = side(input(&args.old, None));
    // Where neither says a name, it is one link in two files, and not two links that are called after them.
    let name = old.as_ref().map(|(_, (model, _))| &model.name);
    let name =
        name.filter(|name| !matches!(name.origin, Origin::Given(_))).map(|name| name.value.to_string());
    // The new one is read even where the old one cannot be: what is wrong with either comes in one go.
    let new = side(input(&args.new, name.as_deref()));
    let (Some((old, before)), Some((new, after))) = (&old, &new) else { return Outcome::Unable };
    let found = compare((&before.0, &before.1), (&after.0, &after.1));
    let (text, differs) = match args.format {
        DiffFormat::Human => {
            let look = Look { verbose: args.verbose, colour: output::colours(&std::io::stdout()) };
            (Ok(human(&found, look)), found.differs())
        }
        DiffFormat::Json => (json(old, new, &found), found.differs()),
        DiffFormat::Script => {
            let scripts = script((old, before)).and_then(|old| Ok((old, script((new, after))?)));
            let differs = !scripts.as_ref().is_ok_and(|(old, new)| old == new);
            (scripts.map(|(a, b)| unified(&old.shown, &new.shown, &a, &b)), differs)
        }
    };
    match output::written(text) {
        Outcome::Fine if differs => Outcome::Errors,
        outcome => outcome,
    }
}

/// A side with what was made of it; what is wrong with it is said.
fn side(input: Result<Input, String>) -> Option<(Input, (Model, Program))> {
    let mut input = match input {
        Ok(input) => input,
        Err(words) => {
            output::complain(&words);
            return None;
        }
    };
    let Some(made) = input.front.made.take() else {
        output::findings(&input.front.found, &input.front.sources);
        return None;
    };
    if let (Some(script), Ok(compiled)) = (&input.script, fresh(&input.front, &made))
        && !emit::same_objects(script, &compiled)
    {
        output::warn(&stale(&input.shown, script));
    }
    Some((input, made))
}

/// Why a script is not what its YAML gives.
fn stale(shown: &str, script: &str) -> String {
    let own = env!("CARGO_PKG_VERSION");
    let why = match emit::made_by(script) {
        Some(made) if made.version != own => format!("qosc {} made it, and this is {own}", made.version),
        _ => "it was edited by hand, or by another build of this version".to_owned(),
    };
    format!("`{shown}` does not do what its YAML says: {why}; what is compared is the YAML")
}

/// The script of a side: as it is, or as it would be made.
fn script((input, made): (&Input, &(Model, Program))) -> Result<String, String> {
    input.script.clone().map_or_else(|| fresh(&input.front, made), Ok)
}

fn fresh(front: &Front, (model, program): &(Model, Program)) -> Result<String, String> {
    let summary = compile::summary(model, &front.base, front.yaml.clone());
    emit::script(program, &summary).map_err(|e| e.to_string())
}

pub(super) fn unified(old: &str, new: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().header(old, new).to_string()
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Report<'a> {
    old: &'a str,
    new: &'a str,
    differs: bool,
    #[serde(flatten)]
    found: &'a Comparison,
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    changes: usize,
    in_place: usize,
    own_backlog: usize,
    rebuild: usize,
    text: String,
}

fn json(old: &Input, new: &Input, found: &Comparison) -> Result<String, String> {
    let summary = Summary {
        changes: found.changes.len(),
        in_place: found.count(Cost::InPlace),
        own_backlog: found.count(Cost::OwnBacklog),
        rebuild: found.count(Cost::Rebuild),
        text: found.summary(),
    };
    let report = Report { old: &old.shown, new: &new.shown, differs: found.differs(), found, summary };
    output::json(&report)
}
