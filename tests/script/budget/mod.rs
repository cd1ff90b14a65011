//! No file costs more than the budget of a run: neither the files of known attacks, nor any two or three features that
//! multiply each other.
//!
//! Costs are compared with those of reading: the largest text that the budget can read takes a known part of it. In each
//! run, the budget is a part of the whole one, so that the test is short. `QOSC_TIMES=yes` takes the whole one, larger files
//! and three features, and `--nocapture` prints the table.

#![cfg(test)]

mod attacks;
mod features;

use crate::times::{self, timed};
use features::{FEATURES, FOLDER, Feature, file};
use qosc_compiler::budget::Budget;
use qosc_compiler::compile::{Compilation, Options, compile_with};
use qosc_compiler::layers::{Files, NoFiles};
use qosc_preview::compare::compare;
use std::time::Duration;

/// Largest cost of a file, as a multiple of reading a text that takes a tenth of the budget.
const MOST: u32 = 30;

/// The part of the budget, as in [`Budget::parts`].
fn parts() -> usize {
    if times::asserted() { 1 } else { 50 }
}

/// Files of a folder.
const FILES: usize = 20;

/// A file: its name in the table, what it can include, its text, and how often it is in its folder.
type File<'t> = (String, &'t dyn Files, String, usize);

/// Compiles a file as often as it is in its folder. Returns the links of the last one.
fn checked(text: &str, files: &dyn Files, times: usize) -> Vec<Compilation> {
    let budget = Budget::parts(parts());
    let mut last = linked(text, files, &budget);
    for _ in 1..times {
        if last.last().is_some_and(Compilation::is_beyond_budget) {
            break;
        }
        budget.add_file();
        drop(std::mem::take(&mut last));
        last = linked(text, files, &budget.anew());
    }
    last
}

/// Compiles all links of a file, as `check` does.
fn linked(text: &str, files: &dyn Files, budget: &Budget) -> Vec<Compilation> {
    let options = Options { budget: budget.clone(), ..Options::of("many.yaml") };
    let first = compile_with(text, &options, files);
    let links = first.links.clone();
    let mut all = vec![first];
    for link in links.iter().skip(1) {
        if let Some(first) = all.first().filter(|first| !first.is_beyond_budget()) {
            let next = first.of_link(link);
            all.push(next);
        }
    }
    all
}

/// Costs of a file: of `check`, of its script, and of a comparison with itself.
struct Costs {
    check: Duration,
    compile: Duration,
    diff: Duration,
    is_beyond: bool,
}

fn costs(text: &str, files: &dyn Files, times: usize) -> Costs {
    let (all, check) = timed(|| checked(text, files, times));
    let last = all.last().expect("a compilation");
    let is_beyond = last.is_beyond_budget();
    if is_beyond {
        assert_eq!(last.findings.len(), 1, "{:#?}", last.findings.iter().take(3).collect::<Vec<_>>());
        assert!(last.findings[0].message.contains("than one run may take"), "{:#?}", last.findings);
        assert!(last.program.is_none() && last.variants.is_empty());
    }
    let (_, compile) = timed(|| last.script());
    let (_, diff) =
        timed(|| last.finished().map(|(model, program)| compare((model, program), (model, program))));
    Costs { check, compile, diff, is_beyond }
}

/// Returns the time of reading keys and values for a tenth of the budget.
fn reading() -> Duration {
    let text: String = (0..100_000 / parts()).map(|n| format!("x-{n}: y\n")).collect();
    (0..3).map(|_| timed(|| checked(&text, &NoFiles, 1)).1).min().unwrap_or_default()
}

/// Asserts that no file costs too much, and prints the costs.
#[expect(clippy::print_stdout, reason = "a table for people, with --nocapture")]
fn assert_bounded<'t>(files: impl Iterator<Item = File<'t>>) -> usize {
    let reading = reading();
    println!("reading for a tenth of the budget: {reading:?}");
    let (mut dear, mut beyond) = (Vec::new(), 0);
    for (name, included, text, times) in files {
        let Costs { check, compile, diff, is_beyond } = costs(&text, included, times);
        beyond += usize::from(is_beyond);
        let word = if is_beyond { "refused" } else { "" };
        println!("{name:50} {:>9} {check:>12.3?} {compile:>12.3?} {diff:>12.3?} {word}", text.len());
        // A short time is mostly fixed costs.
        if check.max(compile).max(diff) > MOST * reading + Duration::from_millis(100) {
            dear.push(format!("{name}: {check:?}, {compile:?}, {diff:?}, and reading takes {reading:?}"));
        }
    }
    assert!(dear.is_empty(), "{dear:#?}");
    beyond
}

#[test]
fn known_attacks_are_bounded() {
    let beyond = assert_bounded(attacks::attacks(parts()).iter().map(|(name, text)| {
        let files: &dyn Files = &attacks::Pieces;
        ((*name).to_owned(), files, text.clone(), 1)
    }));
    assert!(beyond >= 6, "{beyond} refused");
}

/// Returns each choice of two features, and of three for the whole test.
fn choices() -> Vec<Vec<&'static Feature>> {
    let mut all = Vec::new();
    for (first, one) in FEATURES.iter().enumerate() {
        for (second, other) in FEATURES.iter().enumerate().skip(first + 1) {
            all.push(vec![one, other]);
            let third = FEATURES.iter().skip(second + 1).filter(|_| times::asserted());
            all.extend(third.map(|third| vec![one, other, third]));
        }
    }
    all
}

#[test]
fn products_of_features_are_bounded() {
    let sizes: &[usize] =
        if times::asserted() { &[2_000, 20_000, 200_000, 4_000_000] } else { &[20_000, 80_000] };
    let choices = choices();
    let files = choices.iter().flat_map(|features| sizes.iter().map(move |size| (features, *size)));
    let texts = files.map(|(features, size)| {
        let names: Vec<&str> = features.iter().map(|feature| feature.name).collect();
        let none: &dyn Files = &NoFiles;
        let times = if names.contains(&FOLDER) { FILES } else { 1 };
        (names.join(" x "), none, file(features, size / features.len()), times)
    });
    let beyond = assert_bounded(texts);
    assert!(beyond > choices.len() / 4, "{beyond} refused");
}

/// The margin: what the examples and the largest cases use of the budget.
#[test]
#[expect(clippy::print_stdout, reason = "figures for people, with --nocapture")]
fn real_files_use_little_of_the_budget() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let examples = std::fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let cases = std::fs::read_dir(root.join("tests/cases")).unwrap().map(|entry| entry.unwrap().path());
    let below =
        |folder: std::path::PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let cases = cases.filter(|path| path.is_dir()).flat_map(below);
    for path in examples.chain(cases).filter(|path| path.extension().is_some_and(|end| end == "yaml")) {
        let options = Options::of(&path);
        let compiled = compile_with(std::fs::read(&path).unwrap(), &options, &NoFiles);
        for link in compiled.links.iter().skip(1) {
            let _ = compiled.of_link(link);
        }
        let (time, memory) = options.budget.used();
        println!(
            "{:40} {time:3} % of the time, {memory:3} % of the memory",
            path.file_name().unwrap().display()
        );
        assert!(time <= 5 && memory <= 10, "{}: {time} %, {memory} %", path.display());
    }
}
