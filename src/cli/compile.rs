//! `qosc compile`.

use super::args::{Compile, Device, Emit};
use super::front::{front, script};
use super::{Outcome, is_dash, output};
use crate::compile::Compilation;
use crate::emit;
use crate::model::Model;
use crate::tc::{Facts, Program};

pub(super) fn run(args: &Compile) -> Outcome {
    let mut compiled = match front(&args.file) {
        Ok(compiled) => compiled,
        Err(words) => return output::unable(&words),
    };
    args.levels.apply(&mut compiled.findings);
    output::findings(&compiled.findings, &compiled.sources);
    let Some(made) = compiled.finished() else { return Outcome::Errors };
    let text = match emitted(args, &compiled, made) {
        Ok(text) => text,
        Err(words) => return output::unable(&words),
    };
    match args.output.as_deref().filter(|path| !is_dash(path)) {
        None => output::result(&text),
        Some(path) => output::filed(path, output::file(path, &text, args.emit == Emit::Script)),
    }
}

fn emitted(
    args: &Compile,
    compiled: &Compilation,
    (model, program): (&Model, &Program),
) -> Result<String, String> {
    match args.emit {
        Emit::Script => script(compiled),
        Emit::Batch => {
            let header = match args.assume {
                Device::Ethernet => 14,
                Device::PppoeFrames => 22,
                Device::RawIp => 0,
            };
            Ok(emit::batch(program, Facts { header, split_in_leaves: false }, &compiled.options.file))
        }
        Emit::Ir => output::json_lines(program),
        Emit::Model => output::json(model),
    }
}
