//! `qosc import`.

use super::args_import::{Import as Arguments, Tool};
use super::front;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::{OutputFile, PLAIN, differs, kept};
use super::plan;
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::diag::{Severity, Sink, Sources, count, for_terminal};
use qosc_compiler::syntax;
use qosc_import::{Compared, Import, Imported, Wanted, fireqos, sqm, tc};
use std::path::{Path, PathBuf};

pub(super) fn run(args: &Arguments) -> Done {
    let output = args.output.as_deref().filter(|path| !is_dash(path));
    let folder = output.is_some_and(Path::is_dir);
    if let Some(path) = output.filter(|_| !folder) {
        file(args, path)?;
    }
    let stdin = is_dash(&args.file);
    let most = if args.tool == Tool::Tc { plan::MOST } else { syntax::MAX_BYTES };
    let bytes = front::whole(&args.file, stdin, most)?;
    let shown = if stdin { "<stdin>".to_owned() } else { args.file.display().to_string() };
    let mut sources = Sources::default();
    let Some(text) = text(args.tool, &bytes, &shown, &mut sources) else { return Ok(Outcome::Errors) };
    let wanted = match (&args.section, folder) {
        (Some(name), _) => Wanted::Named(name),
        (None, true) => Wanted::All,
        (None, false) => Wanted::First,
    };
    let lan = args.lan.as_deref();
    let import = match args.tool {
        Tool::Sqm => sqm(&text, wanted, lan),
        Tool::Fireqos => fireqos(&text, wanted),
        Tool::Tc => tc(&text, wanted, lan),
    };
    output::findings(&import.findings, &sources);
    finished(args, &import, output)
}

/// Returns the text of the input. If it is not text, reports that and returns `None`.
fn text(tool: Tool, bytes: &[u8], shown: &str, sources: &mut Sources) -> Option<String> {
    // The dump of a script may contain names in any encoding.
    if tool == Tool::Tc {
        let text = String::from_utf8_lossy(bytes).into_owned();
        sources.add(shown.to_owned(), text.as_str());
        return Some(text);
    }
    // On other systems than OpenWrt, sqm has a file for each device.
    let device = Path::new(shown).file_name().and_then(|name| name.to_str()?.strip_suffix(".iface.conf"));
    let more = device.map_or_else(String::new, |device| format!("\nIFACE={device}\n"));
    let bytes = &[bytes, more.as_bytes()].concat();
    let mut sink = Sink::default();
    let file = syntax::load(sources, shown, bytes, &mut sink);
    output::findings(&sink.into_sorted(), sources);
    Some(sources.get(file?)?.text.clone())
}

/// Returns the file for a result. It is not the input.
fn file<'a>(args: &Arguments, path: &'a Path) -> Result<OutputFile<'a>, String> {
    OutputFile::new(path, [args.file.as_path()])
}

/// Writes the results. Reports errors that they have as configurations.
fn finished(args: &Arguments, import: &Import, output: Option<&Path>) -> Done {
    let mut outcome = Outcome::Fine;
    if import.findings.iter().any(|finding| finding.severity == Severity::Error) {
        outcome = Outcome::Errors;
    }
    let place = |result| match output {
        Some(folder) if folder.is_dir() => folder.join(file_name(result)),
        path => path.unwrap_or(Path::new("-")).to_owned(),
    };
    let files: Vec<(PathBuf, &Imported)> =
        import.results.iter().map(|result| (place(result), result)).collect();
    let differs = |(path, result): &&(PathBuf, &Imported)| differs(path, result.yaml.as_bytes());
    let different = files.iter().filter(|_| output.is_some() && !args.force).filter(differs);
    kept(different.map(|(path, _)| path.as_path()))?;
    for (path, result) in &files {
        if let Some(Compared { packets, equal }) = result.compared {
            let found = if equal { "equal" } else { "the findings name the differences" };
            output::say(&format!("compared with {}: {found}", count(packets, "packet")));
        }
        if has_errors(result, &file_name(result)) {
            outcome = Outcome::Errors;
        }
        match output {
            Some(_) => file(args, path)?.write(result.yaml.as_bytes(), PLAIN)?,
            None => output::verbatim(&result.yaml)?,
        };
    }
    Ok(outcome)
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
