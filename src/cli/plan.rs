//! `qosc plan`.

use super::args::{Plan as Arguments, PlanFormat};
use super::folder::configurations;
use super::front::script;
use super::input::{any_link, input};
use super::inside::within;
use super::layers::Layers;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::Target;
use super::variants;
use qosc_compiler::compile::Compilation;
use qosc_compiler::diag::count;
use qosc_preview::diff::{Look, legend};
use qosc_preview::live::{Dump, dump_of};
use qosc_preview::plan::{Call, Plan, changes, human, plan, summary};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Largest dump in bytes. A router with a thousand classes has a smaller one.
pub(super) const MOST: usize = 64 << 20;

pub(super) fn run(args: &Arguments) -> Done {
    // A folder is no file that could be overwritten.
    let inputs = std::iter::once(&args.file).chain(&args.dump).filter(|path| !path.is_dir());
    let target = Target::new(&args.to, inputs.map(PathBuf::as_path))?;
    if args.file.is_dir() {
        return fleet(args, &target);
    }
    if args.dump.is_none() && !args.live {
        return Err(
            "there is nothing to compare the file with: give `--dump DUMP`, or `--live` for this router"
                .to_owned(),
        );
    }
    if is_dash(&args.file) && args.dump.as_deref().is_some_and(is_dash) {
        return Err("only one of FILE and DUMP can be standard input".to_owned());
    }
    let plan = one(&args.file, args.dump.as_deref(), call(args), &args.layers)?;
    let printed = match args.format {
        PlanFormat::Human => target.put(&human(&plan, look(args, &target)), output::coloured)?,
        PlanFormat::Json => target.put(&output::json(&plan)?, output::verbatim)?,
    };
    Ok(printed.of_comparison(plan.differs))
}

fn call(args: &Arguments) -> Call<'_> {
    Call { device: args.device.as_ref(), take_over: args.take_over }
}

fn look(args: &Arguments, target: &Target<'_>) -> Look {
    Look { verbose: args.verbose, colour: target.colours() }
}

/// Returns the plan of a file. Prints the findings of a file with errors.
fn one(file: &Path, dump: Option<&Path>, call: Call<'_>, layers: &Layers) -> Result<Plan, String> {
    let input = input(file, None, layers)?;
    let compiled = &input.compiled;
    let Some((_, base)) = compiled.finished() else {
        output::findings(&compiled.findings, &compiled.sources);
        let errors = compiled.errors().count();
        return Err(format!("`{}` has {}", input.shown, count(errors, "error")));
    };
    super::diff::warn_of_edits(&input, "plan");
    let text = match dump {
        Some(path) => read(path)?,
        None => script(compiled).and_then(|script| dump_of(&script, call.device, &base.wan))?,
    };
    let name = dump.map_or("this router".to_owned(), |path| format!("`{}`", output::name(path)));
    let dump = Dump::read(&text).map_err(|e| format!("{name}: {e}"))?;
    let is_due = |own: &&Compilation| own.options.variant.as_ref() == Some(&dump.head.variant);
    let due = compiled.variants.iter().find(is_due);
    let program = due.and_then(|own| own.program.as_ref()).unwrap_or(base);
    let mut plan = plan(program, &compiled.options.file, &dump, call).map_err(|e| format!("{name}: {e}"))?;
    plan.notes.extend(due.map(|_| format!("variant `{}` is due on the router", dump.head.variant)));
    plan.notes.extend(variants::prices(compiled));
    Ok(plan)
}

/// Returns the text of a dump.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let bytes = super::front::whole(path, is_dash(path), MOST)?;
    // A name that is not UTF-8 is accepted.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Result for one of several routers.
#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct Router {
    /// Path of the file within the folder.
    file: String,
    /// Path of the dump.
    dump: PathBuf,
    /// `same`, `differs` or `unusable`.
    result: &'static str,
    /// Reason why it is unusable.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Plan of the router, unless it is unusable.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
}

/// Previews every configuration in a folder, with the dump of the same name in that folder or in another one.
fn fleet(args: &Arguments, target: &Target<'_>) -> Done {
    if args.live {
        return Err("`--live` reads one router: give one file, not a folder".to_owned());
    }
    let files = configurations(&args.file, &args.layers)?;
    let dumps = args.dump.as_deref().unwrap_or(&args.file);
    let routers: Vec<Router> = files.iter().flat_map(|file| routers(file, args, dumps)).collect();
    let number = |result: &str| routers.iter().filter(|router| router.result == result).count();
    let (differ, unusable) = (number("differs"), number("unusable"));
    let printed = match args.format {
        PlanFormat::Json => target.put(&output::json(&routers)?, output::verbatim)?,
        PlanFormat::Human => {
            let mut text = table(&routers, look(args, target));
            let _infallible = writeln!(
                text,
                "\n{}: {} as described, {differ} {}, {unusable} unusable",
                count(routers.len(), "router"),
                number("same"),
                if differ == 1 { "differs" } else { "differ" },
            );
            let items = routers.iter().filter_map(|router| router.plan.as_ref()).flat_map(|plan| &plan.items);
            text.push_str(&legend(items.map(|item| item.price.cost), args.verbose));
            target.put(&text, output::coloured)?
        }
    };
    Ok(match printed.of_comparison(differ > 0) {
        _ if unusable > 0 => Outcome::Unable,
        outcome => outcome,
    })
}

/// Plans each link of a file. The dump of a link of several has its name after that of the file.
fn routers(file: &Path, args: &Arguments, dumps: &Path) -> Vec<Router> {
    let readable = within(&args.file, file).and_then(|()| any_link(file, None, &args.layers));
    let links = readable.map_or_else(|_| Vec::new(), |input| input.compiled.links);
    match args.layers.link {
        None if !links.is_empty() => links.iter().map(|link| router(file, Some(link), args, dumps)).collect(),
        _ => vec![router(file, None, args, dumps)],
    }
}

fn router(file: &Path, link: Option<&String>, args: &Arguments, dumps: &Path) -> Router {
    let own = file.strip_prefix(&args.file).unwrap_or(file);
    let mut dump = dumps.join(own).with_extension("dump");
    if let (Some(link), Some(stem)) = (link, file.file_stem()) {
        dump.set_file_name(format!("{}-{link}.dump", stem.display()));
    }
    let layers = Layers { link: link.or(args.layers.link.as_ref()).cloned(), ..args.layers.clone() };
    let planned = match within(&args.file, file).and_then(|()| within(dumps, &dump)) {
        Ok(()) if dump.exists() => one(file, Some(&dump), call(args), &layers),
        Ok(()) => Err(format!("there is no dump `{}`", output::name(&dump))),
        Err(words) => Err(words),
    };
    let file = own.display().to_string() + &link.map_or_else(String::new, |link| format!(" ({link})"));
    match planned {
        Ok(plan) => {
            let result = if plan.differs { "differs" } else { "same" };
            Router { file, dump, result, error: None, plan: Some(plan) }
        }
        Err(words) => Router { file, dump, result: "unusable", error: Some(words), plan: None },
    }
}

/// Table with a line for each router; if requested, with all of its changes.
fn table(routers: &[Router], look: Look) -> String {
    let device = |router: &Router| router.plan.as_ref().map_or(String::new(), |plan| plan.device.clone());
    let width = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or_default();
    let names = width(&mut routers.iter().map(|router| router.file.chars().count()));
    let devices = width(&mut routers.iter().map(|router| device(router).chars().count()));
    let mut out = String::new();
    for router in routers {
        let said = match (&router.plan, &router.error) {
            (Some(plan), _) => summary(plan),
            (None, Some(words)) => format!("unusable: {words}"),
            (None, None) => String::new(),
        };
        let said = qosc_compiler::diag::for_terminal(&said);
        let name = qosc_compiler::diag::for_terminal(&router.file);
        let _infallible = writeln!(out, "{name:names$}  {:devices$}  {said}", device(router));
        if let Some(plan) = router.plan.as_ref().filter(|plan| look.verbose && plan.differs) {
            for line in changes(plan, Look { verbose: false, ..look }).lines() {
                let _infallible = writeln!(out, "  {line}");
            }
            out.push('\n');
        }
    }
    out
}
