//! `qosc fit`.

use super::args_measure::{Fit, FitFormat, Size};
use super::outcome::{Done, Outcome};
use super::{output, read};
use qosc_compiler::units::Rate;
use qosc_measure::fit::{self, Data};
use std::path::Path;

/// Largest input in bytes: a week of seconds, each with its line.
const MOST: usize = 64 << 20;

pub(super) fn run(args: &Fit) -> Done {
    if let Some(host) = &args.plan {
        let host = Some(host.as_str()).filter(|host| !host.is_empty());
        return output::verbatim(&fit::plan(host, args.rate)?);
    }
    let path = args.data.as_deref().unwrap_or(Path::new("-"));
    let report = match read(path, args.size).and_then(|data| said(&data, args.rate)) {
        Ok(report) => report,
        Err(words) => {
            output::error(&format!("{}\n", words.trim_end()), output::colours());
            return Ok(Outcome::Unable);
        }
    };
    match args.format {
        FitFormat::Human => output::text(&fit::human(&report)),
        FitFormat::Json => output::verbatim(&output::json(&report)?),
    }
}

/// Reads the measurements.
///
/// # Errors
/// Returns all problems for standard error if the file cannot be read.
fn read(path: &Path, size: Size) -> Result<Data, String> {
    let stdin = path.to_str() == Some("-");
    let shown = if stdin { "<stdin>".to_owned() } else { output::name(path) };
    let bytes = read::read(path, stdin, MOST).map_err(|e| format!("error: cannot read `{shown}`: {e}"))?;
    if bytes.len() > MOST {
        return Err(format!("error: `{shown}` is larger than 64 MiB, the most that measurements can have"));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("error: `{shown}` is not text"))?;
    let size = match size {
        Size::Ip => fit::Size::Ip,
        Size::Udp => fit::Size::Udp,
        Size::Udp6 => fit::Size::Udp6,
        Size::Frame => fit::Size::Frame,
    };
    let colour = output::colours();
    fit::read(&text, size)
        .map_err(|slips| slips.iter().map(|slip| fit::drawn(slip, &text, &shown, colour)).collect())
}

/// Returns the report on the measurements.
///
/// # Errors
/// Returns an error if they do not suffice.
fn said(data: &Data, rate: Option<Rate>) -> Result<fit::FitReport, String> {
    let fitted = fit::fit(data, rate).map_err(|words| format!("error: {words}"))?;
    Ok(fit::report(data, &fitted, rate))
}
