//! `qosc explain`.

use super::args::{Explain, ExplainFormat};
use super::front::{Front, front};
use super::{Outcome, output};
use crate::explain::{Depth, explain, human};

pub(super) fn run(args: &Explain) -> Outcome {
    let front = match front(&args.file) {
        Ok(front) => front,
        Err(words) => return output::unable(&words),
    };
    output::findings(&front.found, &front.sources);
    let Front { made: Some((model, program)), base, .. } = front else { return Outcome::Errors };
    let explanation = explain(&model, &program, args.rtt);
    let explanation = match &args.class {
        None => explanation,
        Some(class) => match explanation.only(class) {
            Some(own) => own,
            None => {
                return output::unable(&output::no_such("class", class, explanation.classes(), None));
            }
        },
    };
    let depth = if args.verbose || args.class.is_some() { Depth::Full } else { Depth::Short };
    match args.format {
        ExplainFormat::Human => output::result(&human(&explanation, &base, depth)),
        ExplainFormat::Json => output::written(output::json(&explanation)),
    }
}
