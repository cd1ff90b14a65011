//! `qosc completions`.

use super::args::{Arguments, Completions};
use super::outcome::Done;
use super::output;
use clap::CommandFactory as _;

pub(super) fn run(args: &Completions) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "qosc", &mut script);
    output::verbatim(&String::from_utf8_lossy(&script))
}
