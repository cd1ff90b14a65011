//! Commands, with a file for each. No other module prints or reads files.

#![cfg_attr(
    not(unix),
    allow(dead_code, unused_imports, reason = "the playground has only the commands that need no router")
)]

mod args;
#[cfg(unix)]
mod args_deploy;
#[cfg(unix)]
mod args_import;
#[cfg(unix)]
mod args_install;
#[cfg(unix)]
mod args_lab;
#[cfg(unix)]
mod args_measure;
mod args_output;
#[cfg(unix)]
mod args_watch;
mod check;
mod compile;
#[cfg(unix)]
mod completions;
#[cfg(unix)]
mod countdown;
#[cfg(unix)]
mod deploy;
#[cfg(unix)]
mod deploy_folder;
mod diff;
mod diff_folders;
mod diff_report;
mod explain;
mod facts;
#[cfg(unix)]
mod fit_line;
mod fix;
mod folder;
mod front;
mod git;
mod graph;
#[cfg(unix)]
mod import;
mod init;
mod input;
mod inside;
#[cfg(unix)]
mod install_files;
#[cfg(unix)]
mod inventory;
#[cfg(unix)]
mod lab;
mod layers;
mod levels;
mod links;
#[cfg(unix)]
mod man;
mod markdown;
mod matrix;
mod names;
mod outcome;
mod output;
mod output_file;
#[cfg(unix)]
mod ping;
mod plan;
#[cfg(unix)]
mod plot;
mod profiles;
mod progress;
mod read;
mod rule;
#[cfg(unix)]
mod signals;
mod statistics;
mod unified;
mod variants;
#[cfg(unix)]
mod watch;

use args::{Arguments, Command};
use clap::Parser as _;
use outcome::Outcome;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with these arguments. The first is its own name.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(words) = names::ambiguous(&arguments) {
        output::complain(&words);
        return ExitCode::from(2);
    }
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // To clap, help and version are errors; they go to standard output with code 0.
            let failed = error.use_stderr();
            output::parsed(&error);
            return ExitCode::from(if failed { 2 } else { 0 });
        }
    };
    output::fit_terminal();
    let done = match arguments.command {
        Command::Init(a) => init::run(&a),
        Command::Compile(a) => compile::run(&a),
        #[cfg(unix)]
        Command::InstallFiles(a) => install_files::run(&a),
        #[cfg(unix)]
        Command::Deploy(a) if a.file.is_dir() => deploy_folder::run(&a),
        #[cfg(unix)]
        Command::Deploy(a) => deploy::run(&a),
        Command::Check(a) => check::run(&a),
        Command::Diff(a) => diff::run(&a),
        #[cfg(unix)]
        Command::Plan(a) => plan::run(&a),
        Command::Explain(a) => explain::run(&a),
        #[cfg(unix)]
        Command::Fit(a) => fit_line::run(&a),
        #[cfg(unix)]
        Command::Ping(a) => ping::run(&a),
        #[cfg(unix)]
        Command::Plot(a) => plot::run(&a),
        Command::Graph(a) => graph::run(&a),
        #[cfg(unix)]
        Command::Import(a) => import::run(&a),
        #[cfg(unix)]
        Command::Lab(a) => lab::run(&a),
        #[cfg(unix)]
        Command::LabGuest(a) => lab::guest(&a),
        #[cfg(unix)]
        Command::LabKernel(a) => lab::kernel(&a),
        #[cfg(unix)]
        Command::Watch(a) => watch::run(&a),
        Command::Profiles(a) => profiles::run(&a),
        #[cfg(unix)]
        Command::Rule(a) => rule::run(&a),
        #[cfg(unix)]
        Command::Schema(a) => output_file::Target::new(&a.to, [])
            .and_then(|target| target.put(qosc_compiler::schema::text(), output::verbatim)),
        #[cfg(unix)]
        Command::Completions(a) => completions::run(&a),
        #[cfg(unix)]
        Command::Man(a) => man::run(&a),
    };
    let outcome = done.unwrap_or_else(|words| {
        output::complain(&words);
        Outcome::Unable
    });
    ExitCode::from(match outcome {
        Outcome::Fine => 0,
        Outcome::Errors => 1,
        Outcome::Unable => 2,
        Outcome::Code(code) => code,
    })
}

#[cfg(all(test, unix))]
mod schemas_tests;
