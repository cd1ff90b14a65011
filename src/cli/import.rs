//! `qosc import`.

use super::args_import::{Import as Arguments, Tool};
use super::front;
use super::outcome::{Outcome, is_dash};
use super::output;
use super::output_file::{OutputFile, PLAIN};
use crate::compile::{Options, compile};
use crate::diag::{Severity, Sink, Sources, count, for_terminal};
use crate::import::{Import, Imported, Wanted, fireqos, sqm, tc};
use crate::live::as_text;
use crate::syntax;
use std::path::Path;

pub(super) fn run(args: &Arguments) -> Outcome {
    let output = args.output.as_deref().filter(|path| !is_dash(path));
    let folder = output.filter(|path| path.is_dir());
    let target = output.filter(|_| folder.is_none());
    let target = match target.map(|path| OutputFile::new(path, [args.file.as_path()])).transpose() {
        Ok(target) => target,
        Err(words) => return output::unable(&words),
    };
    let stdin = is_dash(&args.file);
    let bytes = match front::whole(&args.file, stdin, syntax::MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(words) => return output::unable(&words),
    };
    let shown = if stdin { "<stdin>".to_owned() } else { args.file.display().to_string() };
    let mut sources = Sources::default();
    let Some(text) = text(args.tool, &bytes, &shown, &mut sources) else { return Outcome::Errors };
    let wanted = match (&args.section, folder) {
        (Some(name), _) => Wanted::Named(name),
        (None, Some(_)) => Wanted::All,
        (None, None) => Wanted::First,
    };
    let import = match args.tool {
        Tool::Sqm => sqm(&text, wanted),
        Tool::Fireqos => fireqos(&text, wanted),
        Tool::Tc => tc(&text, wanted),
    };
    output::findings(&import.findings, &sources);
    finished(&import, folder, target.as_ref())
}

/// Returns the text of the input. If it is not text, reports that and returns `None`.
fn text(tool: Tool, bytes: &[u8], shown: &str, sources: &mut Sources) -> Option<String> {
    // The dump of a script may contain names in any encoding.
    if tool == Tool::Tc {
        let text = String::from_utf8_lossy(bytes);
        let plain = as_text(&text).into_owned();
        let shown = if plain == text { shown.to_owned() } else { format!("{shown} (as text)") };
        sources.add(shown, plain.as_str());
        return Some(plain);
    }
    let mut sink = Sink::default();
    let file = syntax::load(sources, shown, bytes, &mut sink);
    output::findings(&sink.into_sorted(), sources);
    Some(sources.get(file?)?.text.clone())
}

/// Writes the results. Reports errors that they have as configurations.
fn finished(import: &Import, folder: Option<&Path>, target: Option<&OutputFile<'_>>) -> Outcome {
    let mut outcome = Outcome::Fine;
    if import.findings.iter().any(|finding| finding.severity == Severity::Error) {
        outcome = Outcome::Errors;
    }
    for result in &import.results {
        let name = file_name(result);
        if has_errors(result, &name) {
            outcome = Outcome::Errors;
        }
        let written = match (folder, target) {
            (Some(folder), _) => in_folder(&folder.join(name), result),
            (None, Some(target)) => target.write(result.yaml.as_bytes(), PLAIN),
            (None, None) => output::verbatim(&result.yaml),
        };
        if written != Outcome::Fine {
            return written;
        }
    }
    outcome
}

fn in_folder(path: &Path, result: &Imported) -> Outcome {
    match OutputFile::new(path, []) {
        Ok(target) => target.write(result.yaml.as_bytes(), PLAIN),
        Err(words) => output::unable(&words),
    }
}

/// Returns the name of the file for a result: letters, digits, `-`, `_` and inner dots.
fn file_name(result: &Imported) -> String {
    let letters = result.name.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() || "-_.".contains(c) => c,
        _ => '-',
    });
    let name: String = letters.take(60).collect();
    let name = name.trim_start_matches(['-', '.']);
    if name.is_empty() { "imported.yaml".to_owned() } else { format!("{name}.yaml") }
}

/// Reports the errors of a result, such as rates that no kernel can hold.
fn has_errors(result: &Imported, name: &str) -> bool {
    let compiled = compile(&result.yaml, &Options::of(name).stem("imported").shown(format!("<{name}>")));
    let errors: Vec<_> = compiled.errors().cloned().collect();
    if errors.is_empty() {
        return false;
    }
    output::say(&format!(
        "the result `{}` is no valid configuration yet; it has {}:",
        for_terminal(name),
        count(errors.len(), "error")
    ));
    output::findings(&errors, &compiled.sources);
    true
}
