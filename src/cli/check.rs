//! `qosc check`.

use super::args::{Check, Format};
use super::folder::configurations;
use super::front::{Front, front};
use super::{Outcome, output};
use crate::diag::{self, Code, count};
use std::collections::BTreeSet;
use std::path::PathBuf;

pub(super) fn run(args: &Check) -> Outcome {
    let mut outcome = Outcome::Fine;
    let mut array = Vec::new();
    let mut codes = BTreeSet::new();
    let (mut all, mut wrong, mut unread) = (0, 0, 0);
    for path in files(&args.files, &mut outcome) {
        all += 1;
        let front = match front(&path) {
            Ok(front) => front,
            Err(words) => {
                output::complain(&words);
                unread += 1;
                outcome = Outcome::Unable;
                continue;
            }
        };
        wrong += usize::from(front.errors());
        let written = match args.format {
            Format::Human => {
                output::findings(&front.found, &front.sources);
                codes.extend(front.found.iter().map(|finding| finding.code));
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
    if let Some(words) = more(&codes) {
        output::say(&words);
    }
    if args.format == Format::Human && args.files.iter().any(|path| path.is_dir()) {
        output::say(&summary(all, wrong, unread));
    }
    outcome
}

/// The files that were named, and those of the folders that were.
fn files(named: &[PathBuf], outcome: &mut Outcome) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        match configurations(path) {
            Ok(found) => files.extend(found),
            Err(words) => {
                output::complain(&words);
                *outcome = Outcome::Unable;
            }
        }
    }
    files
}

/// `12 files: 10 fine, 2 with errors`.
fn summary(all: usize, wrong: usize, unread: usize) -> String {
    let mut text = format!("{}: {} fine", count(all, "file"), all - wrong - unread);
    for (number, what) in [(wrong, "with errors"), (unread, "that cannot be read")] {
        if number > 0 {
            text.push_str(&format!(", {number} {what}"));
        }
    }
    text
}

/// Where more is to be read about what was found.
fn more(codes: &BTreeSet<Code>) -> Option<String> {
    let first = codes.first()?;
    Some(match codes.len() {
        1 => format!("for more about {first}: qosc rule {first}"),
        _ => format!("for more about a code: qosc rule {first}"),
    })
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
