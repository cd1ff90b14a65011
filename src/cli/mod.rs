//! The commands: the only place that prints or reads files. One file a command.

mod args;
mod args_lab;
mod args_measure;
mod check;
mod compile;
mod completions;
mod diff;
mod explain;
mod fit_line;
mod fix;
mod folder;
mod front;
mod graph;
mod init;
mod input;
mod lab;
mod levels;
mod man;
mod output;
mod ping;
mod plan;
mod plot;
mod pool;
mod profiles;
mod progress;
mod rule;
mod signals;

use args::{Arguments, Command};
use clap::Parser as _;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// How a run ended, as its exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// 0: nothing wrong.
    Fine,
    /// 1: the configuration has errors, or something differs, or somebody never answered.
    Errors,
    /// 2: wrong usage, or something could not be read or written.
    Unable,
}

/// Whether a path stands for standard input, or as an output for standard output.
fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Runs the program with these arguments, the first being its own name.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are errors to clap, and go to standard output with code 0.
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
        Command::Fit(a) => fit_line::run(&a),
        Command::Ping(a) => ping::run(&a),
        Command::Plot(a) => plot::run(&a),
        Command::Graph(a) => graph::run(&a),
        Command::Lab(a) => lab::run(&a),
        Command::LabGuest(a) => lab::guest(&a),
        Command::Profiles(a) => profiles::run(&a),
        Command::Rule(a) => rule::run(&a),
        Command::Schema => output::result(&crate::schema::text()),
        Command::Completions(a) => completions::run(&a),
        Command::Man(a) => man::run(&a),
    };
    ExitCode::from(match outcome {
        Outcome::Fine => 0,
        Outcome::Errors => 1,
        Outcome::Unable => 2,
    })
}
