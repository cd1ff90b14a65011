//! `qosc explain`.

use super::args::{Explain, ExplainFormat};
use super::front::{Front, front};
use super::{Outcome, output};
use crate::diag::{did_you_mean, ticked};
use crate::explain::{Depth, Explanation, explain, human};

pub(super) fn run(args: &Explain) -> Outcome {
    let front = match front(&args.file) {
        Ok(front) => front,
        Err(words) => {
            output::complain(&words);
            return Outcome::Unable;
        }
    };
    output::findings(&front.found, &front.sources);
    let Front { made: Some((model, program)), base, .. } = front else { return Outcome::Errors };
    let explanation = explain(&model, &program, args.rtt);
    let explanation = match &args.class {
        None => explanation,
        Some(class) => match only(explanation, class) {
            Ok(explanation) => explanation,
            Err(words) => {
                output::complain(&words);
                return Outcome::Unable;
            }
        },
    };
    let depth = if args.verbose || args.class.is_some() { Depth::Full } else { Depth::Short };
    match args.format {
        ExplainFormat::Human => output::result(&human(&explanation, &base, depth)),
        ExplainFormat::Json => match serde_json::to_string_pretty(&explanation) {
            Ok(text) => output::result(&(text + "\n")),
            Err(e) => {
                output::complain(&format!("cannot print as JSON: {e}"));
                Outcome::Unable
            }
        },
    }
}

/// What is of one class.
fn only(explanation: Explanation, class: &str) -> Result<Explanation, String> {
    let near = did_you_mean(class, explanation.classes());
    let hint = near.map(|near| format!("; did you mean {}?", ticked(near))).unwrap_or_default();
    explanation.only(class).ok_or_else(|| format!("there is no class {}{hint}", ticked(class)))
}
