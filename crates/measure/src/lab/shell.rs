//! A shell on the router of the lab.

use super::console::Console;
use super::kernel::{Clock, Kernel};
use super::topology::Topology;
use super::{LabOptions, STRANGERS, boot};
use qosc_compiler::model::Model;
use rustix::termios::{tcgetattr, tcgetwinsize};
use std::fs::File;
use std::io::stdin;
use std::sync::Arc;
use std::time::Duration;

/// Runs a shell on the router of the lab, with the script in its folder, and returns its exit code. The shell runs these
/// commands, or is for the user at standard input.
///
/// # Errors
/// Returns an error if the configuration cannot be tried, or if the guest fails.
pub fn shell(
    (model, _, script): (&Model, &qosc_compiler::tc::Program, &str),
    kernel: &Kernel,
    options: &LabOptions,
    (commands, output): (Option<Vec<u8>>, File),
) -> Result<u8, String> {
    let topology = Topology::of(model, options.rtt, STRANGERS)?;
    // In virtual time, the clock would jump while the shell waits for a key.
    let kernel = Kernel { clock: Clock::Real, ..kernel.clone() };
    let terminal = commands.is_none().then(|| tcgetattr(stdin()).ok()).flatten();
    let size = terminal.as_ref().and_then(|_| tcgetwinsize(stdin()).ok());
    let size = size.map_or_else(String::new, |size| format!("rows {} cols {}", size.ws_row, size.ws_col));
    let settings = format!("SCRIPT='{}.sh' SIZE='{size}'\n", model.name.value);
    let commands = commands.map(|bytes| ("commands", String::from_utf8_lossy(&bytes).into_owned()));
    let session = include_str!("../../../../templates/lab/shell.sh").to_owned();
    let files = [("shell.sh", session), ("shell.env", settings)].into_iter().chain(commands);
    let job = boot::Job {
        topology: &topology,
        script,
        other: None,
        scenarios: Vec::new(),
        files: files.map(|(name, text)| (name.to_owned(), text)).collect(),
        // Longer than a machine runs.
        limit: Duration::from_secs(u32::MAX.into()),
        stop: &options.stop,
        console: Some(&Console { output: Arc::new(output), terminal }),
    };
    let code = boot::play(&kernel, &job, &mut |_| {})?.said;
    code.parse().map_err(|_| "the shell left no exit code".to_owned())
}
