//! `qosc plot`.

use super::args_measure::Plot;
use super::{Outcome, front, is_dash, output};
use crate::diag::for_terminal;
use crate::probe::{Run, table};
use std::path::Path;

/// Some ten million samples.
const MOST: usize = 256 << 20;

pub(super) fn run(args: &Plot) -> Outcome {
    let read: Result<Vec<(String, Run)>, String> = args.runs.iter().map(|path| read(path)).collect();
    let runs = match read {
        Ok(runs) => runs,
        Err(words) => return output::unable(&words),
    };
    let named: Vec<(String, &Run)> = runs.iter().map(|(name, run)| (name.clone(), run)).collect();
    output::result(&table(&named))
}

/// A run, and what it is called.
///
/// # Errors
/// When it cannot be read: the file, and what is wrong with it.
fn read(path: &Path) -> Result<(String, Run), String> {
    let stdin = is_dash(path);
    let shown = if stdin { "<stdin>".to_owned() } else { for_terminal(&path.display().to_string()) };
    let bytes = front::read(path, stdin, MOST).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
    if bytes.len() > MOST {
        return Err(format!("`{shown}` is larger than 256 MiB, and no run is"));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("`{shown}` is not text"))?;
    let run = Run::read(&text).map_err(|words| format!("`{shown}`: {words}"))?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = run.label.clone().or(stem.filter(|_| !stdin)).unwrap_or_else(|| "stdin".to_owned());
    Ok((for_terminal(&name), run))
}
