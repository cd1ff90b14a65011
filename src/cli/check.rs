//! `qosc check`.

use super::args::{Check, Format};
use super::front::front;
use super::{Outcome, output};
use crate::diag;

pub(super) fn run(args: &Check) -> Outcome {
    let mut outcome = Outcome::Fine;
    for path in &args.files {
        let front = match front(path) {
            Ok(front) => front,
            Err(words) => {
                output::complain(&words);
                outcome = Outcome::Unable;
                continue;
            }
        };
        let errors = front.errors();
        match args.format {
            Format::Human => output::findings(&front.found, &front.sources),
            Format::Short => {
                output::result(&diag::render(&front.found, &front.sources, diag::Format::Short));
            }
            Format::Json => {
                output::result(&diag::render(&front.found, &front.sources, diag::Format::Json));
            }
        }
        if errors && outcome == Outcome::Fine {
            outcome = Outcome::Errors;
        }
    }
    outcome
}
