//! `qosc compile`.

use super::args::{Compile, Emit};
use super::facts::facts;
use super::front::{reported, script};
use super::outcome::{Done, Outcome};
use super::output;
use super::output_file::{EXECUTABLE, PLAIN, Target};
#[cfg(unix)]
use super::template;
use crate::compile::Compilation;
use crate::model::Model;
use crate::tc::Program;

pub(super) fn run(args: &Compile) -> Done {
    let target = Target::new(&args.to, [args.file.as_path()])?;
    let compiled = reported(&args.file, &args.levels)?;
    let Some(made) = compiled.finished() else { return Ok(Outcome::Errors) };
    let text = emitted(args, &compiled, made)?;
    let script = args.template.is_none() && matches!(args.emit, Emit::Script | Emit::Plain);
    let mode = if script { EXECUTABLE } else { PLAIN };
    let print = if args.templates.is_some() { output::exact } else { output::verbatim };
    let done = target.put_as(&text, print, mode);
    if script && target.is_terminal() {
        let file = output::name(&args.file);
        output::say(&format!(
            "\nnext: `qosc deploy {file} root@ROUTER` tries this script on a router; `-o FILE` keeps it"
        ));
    }
    done
}

fn emitted(args: &Compile, compiled: &Compilation, made: (&Model, &Program)) -> Result<String, String> {
    #[cfg(unix)]
    if let Some(folder) = &args.templates {
        return template::rendered(args, folder, compiled, made);
    }
    match args.emit {
        Emit::Script => script(compiled),
        #[cfg(unix)]
        Emit::Batch => {
            let facts = facts(args, made.0)?;
            let lines = crate::emit::batch(made.1, facts, &compiled.options.file);
            Ok(format!(
                "# for a device that counts {} header bytes above IP, as {}\n{lines}",
                facts.header,
                crate::tc::devices_with(facts.header)
            ))
        }
        Emit::Plain => match compiled.plain(facts(args, made.0)?) {
            Some(script) => script.map_err(|e| e.to_string()),
            None => Err("the configuration has errors".to_owned()),
        },
        #[cfg(unix)]
        Emit::Context => template::context(args, compiled, made),
        #[cfg(unix)]
        Emit::Ir => output::program(made.1),
        #[cfg(unix)]
        Emit::Model => output::json(made.0),
    }
}
