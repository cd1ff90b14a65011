//! `qosc lab`.

use super::args_lab::{Lab, LabFormat, LabGuest, LabKernel, LabPart};
use super::front::{reported, script};
use super::outcome::{Done, Outcome};
use super::output;
use super::output_file::{OutputFile, PLAIN};
use super::read;
use super::signals::Signals;
use qosc_compiler::check::expect_not_met::not_met;
use qosc_compiler::diag::{Levels, Sources};
use qosc_compiler::model::Model;
use qosc_measure::lab::{
    Clock, Kernel, LabOptions, LabReport, NO_START, OtherScript, Progress, ScenarioGroup, Trace,
    become_kernel, human, lab, page, play, prepare, shell, varying,
};
use serde::Serialize;
use std::io::IsTerminal as _;
use std::path::Path;

/// Largest trace, and most commands for a shell, in bytes.
const MOST: usize = 4 << 20;

pub(super) fn run(args: &Lab) -> Done {
    if args.prepare {
        output::say(&format!("the lab's kernel is in `{}`", output::name(&prepare()?)));
        return Ok(Outcome::Fine);
    }
    let Some(file) = &args.file else { return Err("a file is required".to_owned()) };
    if args.script.is_some() && args.only.contains(&LabPart::Classes) {
        return Err("`--only classes` needs the compiled script, because another script has no classes of the file\n  help: leave \
             out `classes` or `--script`"
            .to_owned());
    }
    let other = args.script.as_deref().map(|path| OtherScript::new(path, &args.args)).transpose()?;
    let kernel = Kernel::find(args.kernel.as_deref());
    // A kernel in a folder has another name than the folder.
    let program = kernel.as_ref().ok().map(|kernel| kernel.program.as_path());
    let [script_path, trace_path] = [&args.script, &args.trace].map(Option::as_deref);
    let inputs = [Some(file.as_path()), args.kernel.as_deref(), program, script_path, trace_path]
        .into_iter()
        .flatten();
    let target = args.html.as_deref().map(|path| OutputFile::new(path, inputs)).transpose()?;
    let compiled = reported(file, &args.layers, &Levels::default())?;
    let Some((model, program)) = compiled.finished() else { return Ok(Outcome::Errors) };
    let trace = trace_path.map(trace).transpose()?;
    let subject = (model, program, &*script(&compiled)?);
    let kernel = kernel?;
    if other.is_none() {
        kernel.fits(program)?;
    }
    let parts = args.only.iter().map(|part| ScenarioGroup::from(*part)).collect();
    let is_piped = args.shell && !std::io::stdin().is_terminal();
    let commands = is_piped.then(|| read::whole(Path::new("-"), true, MOST)).transpose()?;
    let stop = Signals::listen()?.flag();
    let options = LabOptions { rtt: args.rtt, quick: args.quick, parts, script: other, stop };
    let clock = if kernel.clock == Clock::Virtual && !args.shell { "virtual" } else { "real" };
    let shown = format!("in {clock} time, with the kernel `{}`", output::name(&kernel.program));
    if args.shell {
        output::say(&format!("lab: a shell on the router, {shown}"));
        return shell(subject, &kernel, &options, (commands, output::to_share()?)).map(Outcome::Code);
    }
    let mut bar = super::progress::Progress::new();
    let tell = &mut |progress: Progress<'_>| {
        if progress.scenario == 0 {
            output::say(&format!("lab: about {} min, {shown}", ((progress.seconds + 30) / 60).max(1)));
        }
        if output::columns().is_none() {
            output::say(&progress_line(progress));
        }
        bar.show(|| progress_line(progress));
    };
    // The report is printed even if the page cannot be written.
    let write = |page: Result<String, String>| match &target {
        Some(target) => page.and_then(|page| target.write(page.as_bytes(), PLAIN)),
        None => Ok(Outcome::Fine),
    };
    if let Some(trace) = trace {
        let done = varying(subject, &kernel, (&options, &trace), tell);
        bar.clear();
        let report = done?;
        let written = write(report.page());
        printed(args.format, &report, |colour| report.human(colour))?;
        return written;
    }
    let done = lab(subject, &kernel, &options, tell);
    bar.clear();
    let report = done?;
    let written = write(page(&report));
    printed(args.format, &report, |colour| human(&report, colour))?;
    written?;
    Ok(judged(&report, model, &compiled.sources))
}

/// Reads a trace.
fn trace(path: &Path) -> Result<Trace, String> {
    let failed = |why: String| format!("the trace `{}`: {why}", output::name(path));
    let text = String::from_utf8(read::whole(path, false, MOST)?)
        .map_err(|_| failed("it is not text".to_owned()))?;
    Trace::read(&text).map_err(failed)
}

/// Reports the expectations in the file that were not met.
fn judged(report: &LabReport, model: &Model, sources: &Sources) -> Outcome {
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

fn printed(format: LabFormat, report: &impl Serialize, human: impl Fn(bool) -> String) -> Done {
    match format {
        LabFormat::Human => output::coloured(&human(output::result_colours())),
        LabFormat::Json => output::verbatim(&output::json(report)?),
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
pub(super) fn guest(args: &LabGuest) -> Done {
    play(&args.scenes, &args.folder).map(|()| Outcome::Fine).map_err(|e| e.to_string())
}

/// Becomes the kernel of the lab.
pub(super) fn kernel(args: &LabKernel) -> Done {
    let error = become_kernel(args.parent, &args.command);
    // The lab reads standard output only.
    output::text(&format!("{NO_START}: {error}\n"))?;
    Ok(Outcome::Unable)
}

/// Text of the progress line.
fn progress_line(progress: Progress<'_>) -> String {
    const WIDTH: u64 = 24;
    let (before, all) = progress.time;
    let done = usize::try_from((before * WIDTH).checked_div(all).unwrap_or_default()).unwrap_or_default();
    let left = usize::try_from(WIDTH).unwrap_or_default().saturating_sub(done);
    let Progress { scenario, of, words, .. } = progress;
    format!("{}{} {scenario}/{of} {words}", "█".repeat(done), "░".repeat(left))
}
