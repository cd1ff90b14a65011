//! `qosc lab`.

use super::args_lab::{Lab, LabFormat, LabGuest, LabKernel, LabPart};
use super::front::{front, script};
use super::outcome::Outcome;
use super::output;
use super::output_file::{OutputFile, PLAIN};
use super::signals::Signals;
use crate::check::expect_not_met::not_met;
use crate::diag::Sources;
use crate::lab::{
    Kernel, LabError, LabOptions, NO_START, OtherScript, Progress, Report, ScenarioGroup, become_kernel,
    human, lab, page, play, prepare,
};
use crate::model::Model;

pub(super) fn run(args: &Lab) -> Outcome {
    if args.prepare {
        return match prepare() {
            Ok(path) => {
                output::say(&format!("the lab's kernel is in `{}`", output::name(&path)));
                Outcome::Fine
            }
            Err(words) => output::unable(&words),
        };
    }
    let Some(file) = &args.file else { return output::unable("a file is required") };
    if args.script.is_some() && args.only.contains(&LabPart::Classes) {
        return output::unable(
            "`--only classes` needs the compiled script, because another script has no classes of the file\n  help: leave \
             out `classes` or `--script`",
        );
    }
    let other = args.script.as_deref().map(|path| OtherScript::new(path, &args.args)).transpose();
    let other = match other {
        Ok(other) => other,
        Err(words) => return output::unable(&words),
    };
    let kernel = Kernel::find(args.kernel.as_deref());
    // A kernel in a folder has another name than the folder.
    let program = kernel.as_ref().ok().map(|kernel| kernel.program.as_path());
    let inputs =
        [Some(file.as_path()), args.kernel.as_deref(), program, args.script.as_deref()].into_iter().flatten();
    let target = args.html.as_deref().map(|path| OutputFile::new(path, inputs)).transpose();
    let target = match target {
        Ok(target) => target,
        Err(words) => return output::unable(&words),
    };
    let compiled = match front(file) {
        Ok(compiled) => compiled,
        Err(words) => return output::unable(&words),
    };
    output::findings(&compiled.findings, &compiled.sources);
    let Some((model, program)) = compiled.finished() else { return Outcome::Errors };
    let report = script(&compiled).and_then(|script| {
        let kernel = kernel?;
        let parts = args.only.iter().map(|part| ScenarioGroup::from(*part)).collect();
        let stop = Signals::listen()?.flag();
        let options = LabOptions { rtt: args.rtt, quick: args.quick, parts, script: other, stop };
        let mut bar = super::progress::Progress::new();
        let done =
            lab((model, program, &script), &kernel, &options, &mut |progress| bar.show(|| line(progress)));
        bar.clear();
        done.map_err(|LabError::Unable(words)| words)
    });
    let report = match report {
        Ok(report) => report,
        Err(words) => return output::unable(&words),
    };
    let drawn = target.map_or(Outcome::Fine, |target| drawn(&report, &target));
    match (printed(&report, args.format), drawn) {
        (Outcome::Fine, Outcome::Fine) => judged(&report, model, &compiled.sources),
        (Outcome::Fine, other) | (other, _) => other,
    }
}

/// Reports the expectations in the file that were not met.
fn judged(report: &Report, model: &Model, sources: &Sources) -> Outcome {
    let mut found = Vec::new();
    let mut untried = false;
    for one in &report.expectations {
        let Some(expect) = model.expect.get(one.place) else { continue };
        for (place, measured) in &one.missed {
            found.extend(expect.limits.get(*place).map(|limit| not_met(model, expect, limit, measured)));
        }
        if one.met.is_none() {
            untried = true;
            let line = one.line.map_or_else(String::new, |line| format!(" of line {line}"));
            output::complain(&format!("the expectation{line} was {}", one.measured));
        }
    }
    output::findings(&found, sources);
    match (found.is_empty(), untried) {
        (false, _) => Outcome::Errors,
        (true, true) => Outcome::Unable,
        (true, false) => Outcome::Fine,
    }
}

/// Writes the report as a page into a file.
fn drawn(report: &Report, target: &OutputFile<'_>) -> Outcome {
    match page(report) {
        Ok(page) => target.write(page.as_bytes(), PLAIN),
        Err(e) => output::unable(&e.to_string()),
    }
}

fn printed(report: &Report, format: LabFormat) -> Outcome {
    match format {
        LabFormat::Human => output::coloured(&human(report, output::result_colours())),
        LabFormat::Json => output::written(output::json(report)),
    }
}

impl From<LabPart> for ScenarioGroup {
    fn from(part: LabPart) -> ScenarioGroup {
        match part {
            LabPart::Situations => ScenarioGroup::Situations,
            LabPart::Small => ScenarioGroup::Small,
            LabPart::Flows => ScenarioGroup::Flows,
            LabPart::Classes => ScenarioGroup::Classes,
            LabPart::Expect => ScenarioGroup::Expect,
        }
    }
}

/// Runs the half of the lab inside the test kernel.
pub(super) fn guest(args: &LabGuest) -> Outcome {
    match play(&args.scenes, &args.folder) {
        Ok(()) => Outcome::Fine,
        Err(e) => output::unable(&e.to_string()),
    }
}

/// Becomes the kernel of the lab.
pub(super) fn kernel(args: &LabKernel) -> Outcome {
    let error = become_kernel(args.parent, &args.command);
    // The lab reads standard output only.
    let _told = output::text(&format!("{NO_START}: {error}\n"));
    Outcome::Unable
}

/// Text of the progress line.
fn line(progress: Progress<'_>) -> String {
    const WIDTH: u64 = 24;
    let (before, all) = progress.time;
    let done = usize::try_from((before * WIDTH).checked_div(all).unwrap_or_default()).unwrap_or_default();
    let left = usize::try_from(WIDTH).unwrap_or_default().saturating_sub(done);
    let (scenario, of, words) = (progress.scenario + 1, progress.of, progress.words);
    format!("{}{} {scenario}/{of} {words}", "█".repeat(done), "░".repeat(left))
}
