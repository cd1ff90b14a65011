//! `qosc man`.

use super::args::{Arguments, Man};
use super::outcome::{Done, Outcome};
use super::output;
use super::output_file::{OutputFile, PLAIN, cannot};
use clap::{Command, CommandFactory as _};
use std::path::Path;

pub(super) fn run(args: &Man) -> Done {
    let mut whole = Arguments::command().disable_help_subcommand(true);
    whole.build();
    if let Some(folder) = &args.all {
        return all(&whole, folder);
    }
    let Some(name) = &args.name else { return shown(&whole) };
    let known = pages(&whole).map(Command::get_name);
    let command = pages(&whole).find(|command| command.get_name() == name);
    shown(command.ok_or_else(|| output::no_such("command", name, known, Some("qosc help")))?)
}

/// Returns the commands for users.
fn pages(whole: &Command) -> impl Iterator<Item = &Command> {
    whole.get_subcommands().filter(|command| !command.is_hide_set())
}

fn shown(command: &Command) -> Done {
    output::verbatim(&page(command).map_err(|e| format!("cannot make the page: {e}"))?)
}

/// Writes every page.
fn all(whole: &Command, folder: &Path) -> Done {
    for command in std::iter::once(whole).chain(pages(whole)) {
        let path = folder.join(format!("{}.1", title(command)));
        let page = page(command).map_err(|e| cannot(&path, &e))?;
        OutputFile::new(&path, [])?.write(page.as_bytes(), PLAIN)?;
    }
    Ok(Outcome::Fine)
}

/// Name of a command's page: `qosc-check`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn page(command: &Command) -> std::io::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
