//! The `qosc` binary: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    qosc::cli::run(std::env::args_os())
}
