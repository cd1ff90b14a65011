//! `qosc explain`.

use super::args::{Explain, ExplainFormat};
use super::front::{Front, front};
use super::{Outcome, output};
use crate::explain::{explain, human};

pub(super) fn run(args: &Explain) -> Outcome {
    let front = match front(&args.file) {
        Ok(front) => front,
        Err(words) => {
            output::complain(&words);
            return Outcome::Unable;
        }
    };
    output::findings(&front.found, &front.sources);
    let Front { made: Some((model, _)), base, .. } = front else { return Outcome::Errors };
    let explanation = explain(&model);
    match args.format {
        ExplainFormat::Human => output::result(&human(&explanation, &base)),
        ExplainFormat::Json => match serde_json::to_string_pretty(&explanation) {
            Ok(text) => output::result(&(text + "\n")),
            Err(e) => {
                output::complain(&format!("cannot print as JSON: {e}"));
                Outcome::Unable
            }
        },
    }
}
