//! `qosc compile`.

use super::args::{Compile, Emit};
use super::facts::facts;
use super::front::report;
use super::front::{reported, script};
#[cfg(unix)]
#[cfg(unix)]
use super::inside::within_to_write;
#[cfg(unix)]
use super::links::Links;
use super::outcome::{Done, Outcome};
use super::output;
#[cfg(unix)]
use super::output_file::OutputFile;
use super::output_file::{EXECUTABLE, PLAIN, Target};
use qosc_compiler::compile::Compilation;
#[cfg(unix)]
use qosc_compiler::emit::digest_of;
use qosc_compiler::model::Model;
use qosc_compiler::tc::Program;

pub(super) fn run(args: &Compile) -> Done {
    #[cfg(unix)]
    if let Some(folder) = args.to.output.as_deref().filter(|path| path.is_dir()) {
        return into_folder(args, folder);
    }
    let target = Target::new(&args.to, [args.file.as_path()])?;
    let compiled = reported(&args.file, &args.layers, &args.levels)?;
    let Some(made) = compiled.finished() else { return Ok(Outcome::Errors) };
    // The included files are known only now.
    Target::new(&args.to, compiled.included())?;
    let text = emitted(args, &compiled, made)?;
    #[cfg(unix)]
    let text = match args.emit {
        Emit::Digest => format!("{}\n", digest_of(&text).unwrap_or_default()),
        _ => text,
    };
    let script = matches!(args.emit, Emit::Script | Emit::Plain);
    let mode = if script { EXECUTABLE } else { PLAIN };
    let done = target.put_as(&text, output::verbatim, mode);
    if script && target.is_terminal() {
        let file = output::name(&args.file);
        output::say(&format!(
            "\nnext: `qosc deploy {file} root@ROUTER` tries this script on a router; `-o FILE` keeps it"
        ));
    }
    done
}

/// Writes the script of each link to a folder, or none if one has an error.
#[cfg(unix)]
fn into_folder(args: &Compile, folder: &std::path::Path) -> Done {
    if !matches!(args.emit, Emit::Script | Emit::Plain) {
        return Err("only scripts can be written to a folder: give `-o` the name of a file".to_owned());
    }
    let mut links = Links::read(&args.file, &args.layers, &args.levels)?;
    let mut made = Vec::new();
    for compiled in links.each() {
        let Some((model, program)) = compiled.finished() else { continue };
        made.push((
            folder.join(format!("{}.sh", model.name.value)),
            emitted(args, compiled, (model, program))?,
        ));
    }
    let together = links.together();
    report(&args.file, &together);
    if together.has_errors() {
        return Ok(Outcome::Errors);
    }
    made.iter().try_for_each(|(path, _)| within_to_write(folder, path))?;
    for (path, text) in &made {
        let file = OutputFile::new(path, std::iter::once(args.file.as_path()).chain(together.included()))?;
        file.write(text.as_bytes(), EXECUTABLE)?;
        output::say(&format!("wrote `{}`", file.shown()));
    }
    Ok(Outcome::Fine)
}

fn emitted(args: &Compile, compiled: &Compilation, made: (&Model, &Program)) -> Result<String, String> {
    match args.emit {
        Emit::Script => script(compiled),
        #[cfg(unix)]
        Emit::Digest => script(compiled),
        #[cfg(unix)]
        Emit::Batch => {
            let facts = facts(args, made.0)?;
            let lines = qosc_compiler::emit::batch(made.1, facts, &compiled.options.file);
            Ok(format!(
                "# for a device that counts {} header bytes above IP, as {}\n{lines}",
                facts.header,
                qosc_compiler::tc::devices_with(facts.header)
            ))
        }
        Emit::Plain => {
            compiled.plain(facts(args, made.0)?).ok_or_else(|| "the configuration has errors".to_owned())
        }
        #[cfg(unix)]
        Emit::Ir => output::program(made.1),
        #[cfg(unix)]
        Emit::Model => output::json(made.0),
    }
}
