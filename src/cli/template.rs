//! `qosc compile --templates`: templates from a folder of the user.

use super::args::{Compile, Emit};
use super::facts::facts;
use super::{output, read};
use qosc_compiler::compile::{Compilation, values};
use qosc_compiler::diag::{did_you_mean, ticked};
use qosc_compiler::emit::{self, Carried, TemplateError, Templates};
use qosc_compiler::model::Model;
use qosc_compiler::tc::Program;
use std::path::Path;

/// Largest template in bytes, and largest sum of all templates of a folder.
const MOST_BYTES: usize = 4 << 20;
/// Largest number of templates in a folder.
const MOST_FILES: usize = 100;
const ENDING: &str = ".tera";

/// Returns what the arguments ask for, with the templates of a folder.
///
/// # Errors
/// Returns a message for standard error if a template cannot be read or does not render.
pub(super) fn rendered(
    args: &Compile,
    folder: &Path,
    compiled: &Compilation,
    (model, program): (&Model, &Program),
) -> Result<String, String> {
    let texts = read(folder)?;
    let failed = |error: TemplateError| message(folder, error);
    let templates = || Templates::new(&texts, values(model)).map_err(failed);
    let summary = |carried| compiled.summary(model, carried);
    match (&args.template, args.emit) {
        (Some(name), _) => {
            let file = format!("{name}{ENDING}");
            if texts.iter().all(|(own, _)| *own != file) {
                return Err(no_template(folder, name, &texts));
            }
            emit::rendered(&templates()?, &file, program, &summary(compiled.carried())).map_err(failed)
        }
        (None, Emit::Script | Emit::Digest) => {
            emit::script_with(&templates()?, program, &summary(compiled.carried())).map_err(failed)
        }
        (None, Emit::Plain) => {
            let facts = facts(args, model)?;
            emit::plain_with(&templates()?, program, facts, &summary(Carried::default())).map_err(failed)
        }
        (None, Emit::Batch | Emit::Ir | Emit::Model | Emit::Context) => Err(
            "`--templates` changes only the scripts: use it with `--emit script`, `--emit plain` or `--template NAME`"
                .to_owned(),
        ),
    }
}

/// Returns the values for templates as JSON: those of the script, and with `plain` those of the plain script if the
/// header of the device is known.
///
/// # Errors
/// Returns a message for standard error if the values are too large.
pub(super) fn context(
    args: &Compile,
    compiled: &Compilation,
    (model, program): (&Model, &Program),
) -> Result<String, String> {
    let values = values(model);
    let summary = |carried| compiled.summary(model, carried);
    let failed = |e: serde_json::Error| format!("cannot print as JSON: {e}");
    let mut context = emit::context(program, &summary(compiled.carried()), &values).map_err(failed)?;
    if let (Ok(facts), Some(fields)) = (facts(args, model), context.as_object_mut()) {
        let plain =
            emit::plain_context(program, facts, &summary(Carried::default()), &values).map_err(failed)?;
        fields.extend(plain.get("plain").map(|plain| ("plain".to_owned(), plain.clone())));
    }
    output::json(&context)
}

/// Reads the templates in a folder, in the order of their names. Folders in it, names that begin with a point, and other
/// files are left out.
fn read(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let failed =
        |path: &Path, why: &dyn std::fmt::Display| format!("cannot read `{}`: {why}", output::name(path));
    let here = folder.canonicalize().map_err(|e| failed(folder, &e))?;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| failed(folder, &e))? {
        let name = entry.map_err(|e| failed(folder, &e))?.file_name();
        let name = name.to_string_lossy().into_owned();
        if name.ends_with(ENDING) && !name.starts_with('.') {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Err(format!("there is no template (`*{ENDING}`) in {}", ticked(&output::name(folder))));
    }
    if names.len() > MOST_FILES {
        return Err(failed(folder, &format!("it has more than {MOST_FILES} templates")));
    }
    names.sort();
    let mut left = MOST_BYTES;
    let mut texts = Vec::new();
    for name in names {
        let path = folder.join(&name);
        let target = path.canonicalize().map_err(|e| failed(&path, &e))?;
        if !target.starts_with(&here) {
            return Err(failed(&path, &"it is a link to a file outside of the folder"));
        }
        let bytes = read::read(&path, false, left).map_err(|e| failed(&path, &e))?;
        left = left.checked_sub(bytes.len()).ok_or_else(|| {
            failed(&path, &format!("the templates of the folder are larger than {} MiB", MOST_BYTES >> 20))
        })?;
        let text = String::from_utf8(bytes).map_err(|_| failed(&path, &"it is not UTF-8"))?;
        texts.push((name, text));
    }
    Ok(texts)
}

/// Returns the message for a failure: the file and the place as an editor understands them, and the reason.
fn message(folder: &Path, error: TemplateError) -> String {
    let TemplateError { file, place, reason } = error;
    let own = !file.is_empty() && !file.starts_with("qosc/") && folder.join(&file).exists();
    let file = if own { folder.join(file).display().to_string() } else { file };
    match (file.as_str(), place) {
        ("", _) => format!("in the templates of `{}`: {reason}", output::name(folder)),
        (file, None) => format!("{}: {reason}", output::name(Path::new(file))),
        (file, Some((line, column))) => {
            format!("{}:{line}:{column}: {reason}", output::name(Path::new(file)))
        }
    }
}

fn no_template(folder: &Path, name: &str, texts: &[(String, String)]) -> String {
    let names: Vec<&str> = texts.iter().filter_map(|(name, _)| name.strip_suffix(ENDING)).collect();
    let hint = match did_you_mean(name, names.iter().copied()) {
        Some(near) => format!("; did you mean {}?", ticked(near)),
        None => {
            format!("; the templates are {}", names.iter().map(|n| ticked(n)).collect::<Vec<_>>().join(", "))
        }
    };
    format!("there is no template {} in {}{hint}", ticked(name), ticked(&output::name(folder)))
}
