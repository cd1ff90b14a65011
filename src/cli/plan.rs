//! `qosc plan`.

use super::args::{Plan as Arguments, PlanFormat};
use super::input::input;
use super::{Outcome, compile, output};
use crate::emit;
use crate::live::{Dump, dump_of};
use crate::model::Model;
use crate::plan::{Call, Look, Plan, human, plan};
use crate::tc::Program;
use std::path::Path;

/// No dump of a router with a thousand classes is larger.
const MOST: usize = 64 << 20;

pub(super) fn run(args: &Arguments) -> Outcome {
    let call = Call { device: args.device.as_ref(), take_over: args.take_over };
    let planned = one(&args.file, args.dump.as_deref(), call);
    let Some(plan) = planned else { return Outcome::Unable };
    let text = match args.format {
        PlanFormat::Human => {
            let look = Look { verbose: args.verbose, colour: output::colours(&std::io::stdout()) };
            human(&plan, look)
        }
        PlanFormat::Json => match serde_json::to_string_pretty(&plan) {
            Ok(text) => text + "\n",
            Err(e) => {
                output::complain(&format!("cannot print as JSON: {e}"));
                return Outcome::Unable;
            }
        },
    };
    match output::result(&text) {
        Outcome::Fine if plan.differs => Outcome::Errors,
        outcome => outcome,
    }
}

/// The plan of a file; what is wrong is said.
fn one(file: &Path, dump: Option<&Path>, call: Call<'_>) -> Option<Plan> {
    let said = |words: String| output::complain(&words);
    let input = input(file, None).map_err(said).ok()?;
    let Some((model, program)) = &input.front.made else {
        output::findings(&input.front.found, &input.front.sources);
        return None;
    };
    let text = match dump {
        Some(path) => read(path),
        None => script(model, program, &input.front.base, &input.front.yaml)
            .and_then(|script| dump_of(&script, call.device)),
    };
    let text = text.map_err(said).ok()?;
    let name = dump.map_or("this router".to_owned(), |path| format!("`{}`", path.display()));
    let dump = Dump::read(&text).map_err(|e| output::complain(&format!("{name}: {e}"))).ok()?;
    plan(program, &input.front.base, &dump, call).map_err(|e| output::complain(&format!("{name}: {e}"))).ok()
}

fn script(model: &Model, program: &Program, base: &str, yaml: &str) -> Result<String, String> {
    emit::script(program, &compile::summary(model, base, yaml.to_owned())).map_err(|e| e.to_string())
}

fn read(path: &Path) -> Result<String, String> {
    let stdin = path.as_os_str() == "-";
    let bytes = super::front::read(path, stdin, MOST)
        .map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
    // A name of a class that is no UTF-8 is no reason to refuse.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
