//! `qosc check`.

use super::args::{Check, Format};
use super::front::{Front, front};
use super::{Outcome, output};
use crate::diag;

pub(super) fn run(args: &Check) -> Outcome {
    let mut outcome = Outcome::Fine;
    let mut array = Vec::new();
    for path in &args.files {
        let front = match front(path) {
            Ok(front) => front,
            Err(words) => {
                output::complain(&words);
                outcome = Outcome::Unable;
                continue;
            }
        };
        let written = match args.format {
            Format::Human => {
                output::findings(&front.found, &front.sources);
                Outcome::Fine
            }
            Format::Short => output::result(&rendered(&front, diag::Format::Short)),
            Format::Json => {
                array.extend(findings(&front));
                Outcome::Fine
            }
        };
        outcome = match (outcome, written, front.errors()) {
            (Outcome::Unable, _, _) | (_, Outcome::Unable, _) => Outcome::Unable,
            (Outcome::Fine, _, true) => Outcome::Errors,
            (outcome, _, _) => outcome,
        };
    }
    if args.format == Format::Json && output::result(&one_array(&array)) == Outcome::Unable {
        return Outcome::Unable;
    }
    outcome
}

fn rendered(front: &Front, format: diag::Format) -> String {
    diag::render(&front.found, &front.sources, format)
}

/// The findings of a file as JSON values: those of all files make one array.
fn findings(front: &Front) -> Vec<serde_json::Value> {
    serde_json::from_str(&rendered(front, diag::Format::Json)).unwrap_or_default()
}

fn one_array(findings: &[serde_json::Value]) -> String {
    serde_json::to_string_pretty(findings).map(|text| text + "\n").unwrap_or_default()
}
