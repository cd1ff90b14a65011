//! Fuzz tests: the reader of YAML, the quantities, and the whole compiler. `readers.rs` has those of all other readers.
//!
//! An input that leads to a new finding is kept for the run, and further inputs are made from it. `tests/fuzz/corpus`
//! has the inputs that earlier runs found worth keeping; every run begins with them.
//!
//! `QOSC_FUZZ_SECONDS=600 cargo test --test file mutants fuzz -- --nocapture` is a long run. `QOSC_FUZZ_SEED` chooses
//! another run. `QOSC_FUZZ_KEEP` names a folder for inputs that are worth keeping.

use super::chance::Chance;
use super::mangle::{LONGEST, mangled};
use super::pipeline::through;
use super::second_reader::agree;
use super::tree::files;
use crate::times::timed;
use qosc_compiler::compile::Compilation;
use qosc_compiler::diag::{
    CheckedFile, Diagnostic, Format, Printed, Sink, Sources, Together, render, render_together,
};
use qosc_compiler::{rules, syntax, units};
use qosc_preview::explain;
use qosc_preview::live::Dump;
use qosc_preview::plan::{Call, plan};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Data that a target needs besides the bytes.
pub struct Extra {
    pub accepted: usize,
    scripts: usize,
    /// The dump of a router to plan against.
    dump: String,
}

/// Smallest number of mutated inputs of a target.
const LEAST: usize = 100;

/// Seconds that a target runs.
fn seconds() -> u64 {
    std::env::var("QOSC_FUZZ_SECONDS").map_or(1, |text| text.parse().expect("a number of seconds"))
}

fn seeds() -> Vec<Vec<u8>> {
    let mut folders = vec!["tests/fuzz/corpus", "examples"];
    if seconds() > 60 {
        folders.extend(["tests/cases", "tests/bad", "tests/resolve"]);
    }
    folders.iter().flat_map(|folder| files(folder)).map(|(_, text)| text.into_bytes()).collect()
}

/// Runs a target of the compiler on mutated configurations.
fn run(name: &str, target: impl FnMut(&[u8], &mut Extra) -> BTreeSet<String>) {
    fuzz(name, "yaml", seeds(), target);
}

/// Runs a function under test on the seeds, and then on texts made from them. The function returns words that classify
/// its result. Inputs with new words are kept as files `NAME-HASH.ENDING`.
#[expect(clippy::print_stdout, reason = "figures for people, with --nocapture")]
pub fn fuzz(
    name: &str,
    ending: &str,
    seeds: Vec<Vec<u8>>,
    mut target: impl FnMut(&[u8], &mut Extra) -> BTreeSet<String>,
) {
    let seed = std::env::var("QOSC_FUZZ_SEED").map_or(1, |text| text.parse().expect("a number"));
    let keep = std::env::var_os("QOSC_FUZZ_KEEP");
    let dump =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan/class.dump")).unwrap();
    let mut extra = Extra { accepted: 0, scripts: 0, dump };
    let mut chance = Chance::new(seed);
    let mut corpus = seeds;
    let longest = corpus.iter().map(Vec::len).max().unwrap_or_default();
    assert!(longest <= LONGEST, "{name}: a seed of {longest} bytes is longer than any input may be");
    let (begun, seeds) = (Instant::now(), corpus.len());
    assert!(seeds > 0, "{name} has no seeds");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut inputs = 0;
    // Besides the seeds, even a slow machine tries some mutated inputs.
    while inputs < seeds + LEAST || begun.elapsed() < Duration::from_secs(seconds()) {
        let bytes = corpus.get(inputs).filter(|_| inputs < seeds).cloned();
        let bytes = bytes.unwrap_or_else(|| mangled(&mut chance, &corpus));
        let call = std::panic::AssertUnwindSafe(|| target(&bytes, &mut extra));
        let (ran, took) = timed(|| std::panic::catch_unwind(call));
        let Ok(words) = ran else { panic!("{name}: see above, at\n{}", shown(&bytes)) };
        // The limit is many times the time of any input of this size.
        assert!(took < Duration::from_secs(8), "{name}: {took:?} for\n{}", shown(&bytes));
        let new = words.into_iter().filter(|word| seen.insert(word.clone())).count();
        if new > 0 && inputs >= seeds {
            if let Some(folder) = keep.as_ref().filter(|_| bytes.len() < 3000) {
                let file = format!("{name}-{:016x}.{ending}", units::fnv1a64(&bytes));
                std::fs::write(Path::new(folder).join(file), &bytes).unwrap();
            }
            corpus.push(bytes);
        }
        inputs += 1;
    }
    println!(
        "{name}: {inputs} inputs in {} s, {} accepted, {} kept of {} kinds, {} scripts read by sh",
        begun.elapsed().as_secs(),
        extra.accepted,
        corpus.len() - seeds,
        seen.len(),
        extra.scripts
    );
    assert!(extra.accepted > 0, "{name} accepts nothing");
}

fn shown(bytes: &[u8]) -> String {
    format!("{}\n{bytes:?}", String::from_utf8_lossy(bytes))
}

#[test]
fn the_reader_survives_mutated_files() {
    run("reader", |bytes, extra| {
        let mut sources = Sources::default();
        let mut sink = Sink::default();
        let file = syntax::load(&mut sources, "home.yaml", bytes, &mut sink);
        let raw = file.and_then(|file| syntax::read(&sources, file, &mut sink));
        let found = sink.into_sorted();
        said_well(&found, &sources);
        if found.is_empty() {
            assert!(raw.is_some());
            extra.accepted += usize::from(agree(std::str::from_utf8(bytes).unwrap()));
        }
        kinds(&found)
    });
}

#[test]
fn the_whole_compiler_survives_mutated_files() {
    run("whole", |bytes, extra| {
        let read = through(bytes);
        said_well(&read.findings, &read.sources);
        let mut kinds = kinds(&read.findings);
        if !read.has_errors() {
            extra.accepted += 1;
            compiles(&read, bytes, extra);
            kinds.insert("accepted".to_owned());
        } else {
            assert!(read.finished().is_none());
        }
        kinds
    });
}

#[test]
fn quantity_parsers_survive_mutated_words() {
    run("quantities", |bytes, extra| {
        let text = String::from_utf8_lossy(bytes);
        let words = text.split([' ', '\n', ',', '[', ']', '{', '}']).filter(|word| !word.is_empty()).take(60);
        let mut kinds = BTreeSet::new();
        for word in words {
            quantity::<units::Address>("address", word, extra, &mut kinds);
            quantity::<units::Family>("family", word, extra, &mut kinds);
            quantity::<units::Bytes>("bytes", word, extra, &mut kinds);
            quantity::<units::Dscp>("dscp", word, extra, &mut kinds);
            quantity::<units::IfName>("device", word, extra, &mut kinds);
            quantity::<units::LinkName>("link", word, extra, &mut kinds);
            quantity::<units::LengthRange>("length", word, extra, &mut kinds);
            quantity::<units::Micros>("time", word, extra, &mut kinds);
            quantity::<units::Percent>("percent", word, extra, &mut kinds);
            quantity::<units::PortRange>("ports", word, extra, &mut kinds);
            quantity::<units::PortSet>("port set", word, extra, &mut kinds);
            quantity::<units::Protocol>("protocol", word, extra, &mut kinds);
            quantity::<units::Mark>("mark", word, extra, &mut kinds);
            quantity::<units::MarkMask>("mask", word, extra, &mut kinds);
            quantity::<units::Mac>("mac", word, extra, &mut kinds);
            quantity::<units::Rate>("rate", word, extra, &mut kinds);
        }
        kinds
    });
}

/// Checks that an accepted quantity prints as a text that reads the same, and that a refused one has a message.
fn quantity<T>(what: &str, text: &str, extra: &mut Extra, kinds: &mut BTreeSet<String>)
where
    T: FromStr<Err = units::UnitError> + std::fmt::Display + PartialEq + std::fmt::Debug,
{
    match text.parse::<T>() {
        Ok(value) => {
            extra.accepted += 1;
            assert_eq!(value.to_string().parse::<T>(), Ok(value), "{text:?}");
        }
        Err(error) => {
            assert!(!error.message.trim().is_empty());
            kinds.insert(format!("{what}: {}", shape(&error.message)));
        }
    }
}

/// Checks conditions of all findings: their spans lie in the text, and every format can show them.
fn said_well(found: &[Diagnostic], sources: &Sources) {
    for finding in found {
        assert!(!finding.message.trim().is_empty() && !finding.labels.is_empty());
        for span in finding.labels.iter().map(|label| label.span) {
            let text = &sources.get(span.file).expect("a file").text;
            assert!(
                text.get(span.start..span.end).is_some(),
                "{span:?} is not in the text: {}",
                finding.message
            );
            assert!(span.line >= 1 && span.column >= 1, "{span:?}");
            if !text.contains('\r') {
                let line = text[..span.start].matches('\n').count() + 1;
                assert_eq!(usize::try_from(span.line).unwrap(), line, "{span:?}: {}", finding.message);
            }
        }
    }
    for format in [Format::Human { colour: true }, Format::Short, Format::Json] {
        assert!(found.is_empty() || !render(found, sources, format).is_empty());
    }
    let report =
        CheckedFile { file: "home.yaml".to_owned(), found: Printed::all(found, sources), unread: None };
    for format in [Together::Json, Together::Sarif(rules::page), Together::Github, Together::Junit] {
        let text = render_together(std::slice::from_ref(&report), format);
        assert!(found.is_empty() || !text.is_empty());
    }
}

/// The shapes of the messages, and the combination of their codes.
fn kinds(found: &[Diagnostic]) -> BTreeSet<String> {
    let mut kinds: BTreeSet<String> =
        found.iter().map(|finding| format!("{} {}", finding.code, shape(&finding.message))).collect();
    let codes: BTreeSet<&str> = found.iter().map(|finding| finding.code.as_str()).collect();
    kinds.insert(codes.into_iter().collect::<Vec<_>>().join(" "));
    kinds
}

/// A message without its quotations from the file.
fn shape(message: &str) -> String {
    let outside: String = message.split('`').step_by(2).collect();
    outside.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Checks an accepted text: it compiles, twice to the same script, and can be explained and planned. Now and then, a
/// shell reads the script.
fn compiles(read: &Compilation, bytes: &[u8], extra: &mut Extra) {
    let (model, program) = read.finished().expect("what check accepts compiles");
    let explained = explain::explain(model, program, None);
    assert!(!serde_json::to_string(&explained).unwrap().is_empty());
    let dump = Dump::read(&extra.dump).unwrap();
    let _ = plan(program, "home.yaml", &dump, Call::default());
    if extra.accepted % 16 != 1 {
        return;
    }
    let script = |read: &Compilation| read.script().unwrap();
    let text = script(read);
    assert!(text == script(&through(bytes)), "compiled twice, not the same");
    if extra.accepted % 64 == 1 {
        extra.scripts += 1;
        let mut sh = Command::new("sh").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
        sh.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(sh.wait().unwrap().success(), "sh cannot read the script");
    }
}

#[test]
fn the_fuzz_corpus_is_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    let sizes: Vec<u64> = (std::fs::read_dir(folder).expect("the corpus"))
        .map(|entry| entry.expect("an entry").metadata().expect("a file").len())
        .collect();
    assert!((20..600).contains(&sizes.len()), "{} files", sizes.len());
    assert!(sizes.iter().all(|bytes| *bytes < 3000));
}
