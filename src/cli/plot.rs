//! `qosc plot`.

use super::args_measure::Plot;
use super::outcome::{Done, is_dash};
use super::output_file::{OutputFile, PLAIN};
use super::{output, read};
use qosc_compiler::diag::for_terminal;
use qosc_measure::page;
use qosc_measure::plot::{self, Look, Style};
use qosc_measure::probe::{Run, table};
use std::path::{Path, PathBuf};

/// Sizes of all runs of a call together.
struct Sizes {
    bytes: usize,
    /// Each series is a line of the picture and a row of the table.
    series: usize,
    samples: usize,
}

/// Largest sizes. A single run of `ping` can have as many samples.
const MOST: Sizes = Sizes { bytes: 128 << 20, series: 1000, samples: 5_000_000 };

pub(super) fn run(args: &Plot) -> Done {
    let mut left = MOST;
    let read: Result<Vec<(String, Run)>, String> =
        args.runs.iter().map(|path| read(path, &mut left)).collect();
    let runs = distinguished(read?, &args.runs);
    let mut pictures = Vec::new();
    for path in &args.output {
        let target = OutputFile::new(path, args.runs.iter().map(PathBuf::as_path))?;
        pictures.push((target, drawn(&runs, style(args, &runs), path)?));
    }
    for (target, bytes) in &pictures {
        target.write(bytes, PLAIN)?;
    }
    let named: Vec<(String, &Run)> = runs.iter().map(|(name, run)| (name.clone(), run)).collect();
    output::text(&table(&named))
}

/// Replaces the names of runs with equal names by their files.
fn distinguished(mut runs: Vec<(String, Run)>, paths: &[PathBuf]) -> Vec<(String, Run)> {
    let names: Vec<String> = runs.iter().map(|(name, _)| name.clone()).collect();
    for ((name, _), path) in runs.iter_mut().zip(paths) {
        if names.iter().filter(|other| *other == name).count() > 1 {
            *name = output::name(path);
        }
    }
    runs
}

/// Draws the picture in the format of the file name's ending.
///
/// # Errors
/// Returns an error if the ending is unknown.
fn drawn(runs: &[(String, Run)], style: Style, path: &Path) -> Result<Vec<u8>, String> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(plot::picture(runs, style).into_bytes()),
        Some("html") => {
            let page = page::html(&plot::report(runs, style)).map_err(|e| e.to_string())?;
            Ok(page.into_bytes())
        }
        _ => {
            let shown = output::name(path);
            Err(format!(
                "the name `{shown}` does not tell the format\n  help: write a name that ends in `.svg` or `.html`"
            ))
        }
    }
}

fn style(args: &Plot, runs: &[(String, Run)]) -> Style {
    let look = match (args.scatter, args.cdf) {
        (true, _) => Look::Scatter,
        (_, true) => Look::Cdf,
        _ => Look::Lines,
    };
    // a largest value is given to see the short ones, on any scale
    let is_log = args.log || (!args.linear && args.max.is_none() && plot::needs_log(runs));
    Style { look, is_log, most_us: args.max.map(|time| time.us()) }
}

/// Reads a run and its name. `left` has the sizes that this run and all others may still have.
///
/// # Errors
/// Returns the file and its problem if it cannot be read.
fn read(path: &Path, left: &mut Sizes) -> Result<(String, Run), String> {
    let stdin = is_dash(path);
    let shown = if stdin { "<stdin>".to_owned() } else { output::name(path) };
    let take = |left: &mut usize, taken: usize, limit: String| {
        let beyond = || format!("cannot plot `{shown}`: the runs have more than {limit} together");
        *left = left.checked_sub(taken).ok_or_else(beyond)?;
        Ok::<(), String>(())
    };
    let bytes = read::read(path, stdin, left.bytes).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
    take(&mut left.bytes, bytes.len(), format!("{} MiB", MOST.bytes >> 20))?;
    // Each sample is a list.
    let samples = bytes.iter().filter(|byte| **byte == b'[').count();
    take(&mut left.samples, samples, format!("{} samples", MOST.samples))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("`{shown}` is not text"))?;
    let run = Run::read(&text).map_err(|words| format!("`{shown}`: {words}"))?;
    take(&mut left.series, run.series.len(), format!("{} series", MOST.series))?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = run.label.clone().or(stem.filter(|_| !stdin)).unwrap_or_else(|| "stdin".to_owned());
    Ok((for_terminal(&name), run))
}
