//! Commands, with a file for each. No other module prints or reads files.

mod args;
#[cfg(feature = "lab")]
mod args_lab;
#[cfg(feature = "measure")]
mod args_measure;
mod check;
mod compile;
#[cfg(feature = "reference")]
mod completions;
mod diff;
mod explain;
#[cfg(feature = "measure")]
mod fit_line;
mod fix;
mod folder;
mod front;
mod graph;
mod init;
mod input;
#[cfg(feature = "lab")]
mod lab;
mod levels;
#[cfg(feature = "reference")]
mod man;
mod output;
#[cfg(feature = "measure")]
mod ping;
mod plan;
#[cfg(feature = "measure")]
mod plot;
mod profiles;
#[cfg(feature = "measure")]
mod progress;
mod rule;
#[cfg(feature = "measure")]
mod signals;

use args::{Arguments, Command};
use clap::Parser as _;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Result of a run, as in its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// 0: no problem.
    Fine,
    /// 1: the configuration has errors, something differs, or a target never answered.
    Errors,
    /// 2: wrong usage, or something could not be read or written.
    Unable,
}

/// True if a path stands for standard input or standard output.
fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Error message for a part of the program that this build leaves out.
#[cfg(not(all(feature = "lab", feature = "measure", feature = "png", feature = "reference")))]
fn missing(part: &str, feature: &str) -> String {
    format!(
        "this build of qosc leaves out {part}
  help: build qosc with the cargo feature `{feature}`: `cargo build --release --features {feature}`"
    )
}

/// Runs the program with these arguments. The first is its own name.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // To clap, help and version are errors; they go to standard output with code 0.
            let failed = error.use_stderr();
            let _ = error.print();
            return ExitCode::from(if failed { 2 } else { 0 });
        }
    };
    let outcome = match arguments.command {
        Command::Init(a) => init::run(&a),
        Command::Compile(a) => compile::run(&a),
        Command::Check(a) => check::run(&a),
        Command::Diff(a) => diff::run(&a),
        Command::Plan(a) => plan::run(&a),
        Command::Explain(a) => explain::run(&a),
        #[cfg(feature = "measure")]
        Command::Fit(a) => fit_line::run(&a),
        #[cfg(feature = "measure")]
        Command::Ping(a) => ping::run(&a),
        #[cfg(feature = "measure")]
        Command::Plot(a) => plot::run(&a),
        Command::Graph(a) => graph::run(&a),
        #[cfg(feature = "lab")]
        Command::Lab(a) => lab::run(&a),
        #[cfg(feature = "lab")]
        Command::LabGuest(a) => lab::guest(&a),
        Command::Profiles(a) => profiles::run(&a),
        Command::Rule(a) => rule::run(&a),
        Command::Schema => output::result(crate::schema::text()),
        #[cfg(feature = "reference")]
        Command::Completions(a) => completions::run(&a),
        #[cfg(feature = "reference")]
        Command::Man(a) => man::run(&a),
        #[cfg(not(feature = "lab"))]
        Command::Lab(_) => output::unable(&missing("the command `lab`", "lab")),
        #[cfg(not(feature = "measure"))]
        Command::Fit(_) | Command::Ping(_) | Command::Plot(_) => {
            output::unable(&missing("the commands `fit`, `ping` and `plot`", "measure"))
        }
        #[cfg(not(feature = "reference"))]
        Command::Completions(_) | Command::Man(_) => {
            output::unable(&missing("the commands `completions` and `man`", "reference"))
        }
    };
    ExitCode::from(match outcome {
        Outcome::Fine => 0,
        Outcome::Errors => 1,
        Outcome::Unable => 2,
    })
}
