//! `qosc install-files`.

use super::args_install::InstallFiles;
use super::front::{reported, script};
use super::inside::within_to_write;
use super::outcome::{Done, Outcome};
use super::output;
use super::output_file::{EXECUTABLE, OutputFile, PLAIN, cannot, kept};
use crate::install::{File, Installation, install, never_called};
use qosc_compiler::emit::quote;
use qosc_compiler::model::minutes;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// State of a file before it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Missing,
    Same,
    Different,
}

pub(super) fn run(args: &InstallFiles) -> Done {
    let compiled = reported(&args.file, &args.layers, &args.levels)?;
    let Some((model, program)) = compiled.finished() else { return Ok(Outcome::Errors) };
    let script = script(&compiled)?;
    let made = install(program, &compiled.options.file, &script, &minutes(&model.variants), &args.system)?;
    never_called(program, &args.system).iter().for_each(|words| output::warn(words));
    let states = written(args, &made.files)?;
    output::text(&report(&args.output, &made, &states))
}

/// Place of a file in the folder.
fn place(folder: &Path, file: &File) -> PathBuf {
    folder.join(file.path.trim_start_matches('/'))
}

const fn mode(file: &File) -> u32 {
    if file.executable { EXECUTABLE } else { PLAIN }
}

/// Writes the files that are missing or different. Returns the state of each before.
///
/// # Errors
/// Returns a message if a file is different and `--force` is missing. Then it writes nothing. It also fails if a file
/// cannot be written.
fn written(args: &InstallFiles, files: &[File]) -> Result<Vec<Before>, String> {
    files.iter().try_for_each(|file| within_to_write(&args.output, &place(&args.output, file)))?;
    let states: Vec<Before> =
        files.iter().map(|file| before(&args.output, file)).collect::<Result<_, _>>()?;
    let different =
        files.iter().zip(&states).filter(|(_, state)| **state == Before::Different && !args.force);
    let different: Vec<PathBuf> = different.map(|(file, _)| place(&args.output, file)).collect();
    kept(different.iter().map(PathBuf::as_path))?;
    for (file, state) in files.iter().zip(&states) {
        let path = place(&args.output, file);
        let target = OutputFile::new(&path, [args.file.as_path()])?;
        if *state == Before::Same {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| cannot(&path, &e))?;
        }
        target
            .write(file.text.as_bytes(), mode(file))
            .map_err(|words| format!("{words}\nerror: not all files were written"))?;
    }
    Ok(states)
}

/// # Errors
/// Returns a message if the file exists and cannot be read.
fn before(folder: &Path, file: &File) -> Result<Before, String> {
    let path = place(folder, file);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Before::Missing),
        Err(e) => return Err(format!("cannot read `{}`: {e}", output::name(&path))),
    };
    let mode_now = std::fs::metadata(&path).map_err(|e| cannot(&path, &e))?.permissions().mode();
    match text == file.text.as_bytes() && mode_now & 0o777 == mode(file) {
        true => Ok(Before::Same),
        false => Ok(Before::Different),
    }
}

/// The files, and the next steps.
fn report(folder: &Path, made: &Installation, states: &[Before]) -> String {
    let mut text = format!("files in {}:\n", output::name(folder));
    for (file, state) in made.files.iter().zip(states) {
        let state = match state {
            Before::Missing => "written",
            Before::Same => "unchanged",
            Before::Different => "overwritten",
        };
        let _ = writeln!(text, "  {state:11} {}", file.path.trim_start_matches('/'));
    }
    let shown = folder.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "./_+-".contains(c);
    let shown = if shown.starts_with('-') || !shown.chars().all(plain) { quote(&shown) } else { shown };
    let paths: Vec<&str> = made.files.iter().map(|file| file.path.trim_start_matches('/')).collect();
    let _ = writeln!(
        text,
        "\ncopy them to the router:\n  tar -C {shown} -cf - {} | ssh root@ROUTER tar -C / -xof -",
        paths.join(" ")
    );
    let _ = writeln!(text, "\nthen type on the router:\n  {}", made.enable.join("\n  "));
    let _ = writeln!(text, "\nto remove everything again:\n  {}", made.uninstaller);
    text
}
