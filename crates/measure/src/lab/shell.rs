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

/// Longest time of a session: longer than a machine runs.
const ENDLESS: Duration = Duration::from_secs(u32::MAX as u64);

/// Runs a shell on the router of the lab, with the script in its folder, and returns its exit code. The shell runs these
/// commands, or is for the user at standard input. `tell` gets a description of the lab.
///
/// # Errors
/// Returns an error if the configuration cannot be tried, or if the guest fails.
pub fn shell(
    (model, script): (&Model, &str),
    kernel: &Kernel,
    options: &LabOptions,
    (commands, output): (Option<String>, File),
    tell: &dyn Fn(&str),
) -> Result<u8, String> {
    let topology = Topology::of(model, options.rtt, STRANGERS)?;
    // In virtual time, the clock would jump while the shell waits for a key.
    let kernel = Kernel { clock: Clock::Real, ..kernel.clone() };
    let mut files = vec![("shell.sh", include_str!("../../../../templates/lab/shell.sh").to_owned())];
    let name = format!("{}.sh", model.name.value);
    let mut settings = format!("SCRIPT='{name}'\n");
    let terminal = commands.is_none().then(|| tcgetattr(stdin()).ok()).flatten();
    if let Some(size) = terminal.as_ref().and_then(|_| tcgetwinsize(stdin()).ok()) {
        settings += &format!("SIZE='rows {} cols {}'\n", size.ws_row, size.ws_col);
    }
    files.extend(commands.map(|text| ("commands", text)));
    files.push(("shell.env", settings));
    tell(&topology.summary(&name));
    let job = boot::Job {
        topology: &topology,
        script,
        other: None,
        scenarios: Vec::new(),
        files: files.into_iter().map(|(name, text)| (name.to_owned(), text)).collect(),
        limit: ENDLESS,
        stop: &options.stop,
        console: Some(&Console { output: Arc::new(output), terminal }),
    };
    let folder = boot::run(&kernel, &job, &mut |_| {})?;
    let code = std::fs::read_to_string(folder.path().join("out/shell")).unwrap_or_default();
    code.trim().parse().map_err(|_| "the shell left no exit code".to_owned())
}
