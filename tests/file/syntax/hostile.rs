//! Files made to break the reader are refused at once, and cost little.
//!
//! Each file is read in a process of its own, which reports its peak memory. With `QOSC_TIMES=yes`, the time limit is a
//! second, and ten with debug assertions. In every build, the time must then grow no faster than the file.

use crate::times::{asserted, timed};
use qosc_compiler::diag::{Format, Sink, Sources, render};
use qosc_compiler::syntax::{self, MAX_BYTES};
use std::process::Command;
use std::time::Duration;

/// A function that makes a file of about this many bytes.
type Make = fn(usize) -> Vec<u8>;

/// The limit for the peak memory of a process that reads a hostile file, in KiB.
const MEMORY: u64 = 200 << 10;

fn repeat(piece: &str, bytes: usize) -> Vec<u8> {
    piece.repeat(bytes / piece.len()).into_bytes()
}

fn around(before: &str, piece: &str, after: &str, bytes: usize) -> Vec<u8> {
    [before.as_bytes(), &repeat(piece, bytes), after.as_bytes()].concat()
}

fn numbered(before: &str, bytes: usize, line: fn(usize) -> String) -> Vec<u8> {
    let mut text = before.to_owned();
    (0..)
        .map(line)
        .take_while(|line| {
            text.push_str(line);
            text.len() < bytes
        })
        .count();
    text.into_bytes()
}

fn noise(bytes: usize, byte: fn(u64) -> u8) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..bytes)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            byte(state >> 20)
        })
        .collect()
}

/// Each line repeats the one before ten times.
fn laughs(_: usize) -> Vec<u8> {
    let mut text = "x-a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for (before, name) in ('a'..'i').zip('b'..='i') {
        text.push_str(&format!("x-{name}: &{name} [{}]\n", vec![format!("*{before}"); 10].join(", ")));
    }
    text.into_bytes()
}

/// The largest tree that would be accepted, and one more entry.
fn merges(_: usize) -> Vec<u8> {
    let base: String = (0..1000).map(|n| format!("k{n}: 1, ")).collect();
    let uses: String = (0..1000).map(|n| format!("x-{n}: {{ <<: *a }}\n")).collect();
    format!("x-a: &a {{ {base} }}\n{uses}").into_bytes()
}

/// The files by name. All of them are refused.
const FILES: &[(&str, Make)] = &[
    ("brackets", |n| repeat("[", n)),
    ("braces", |n| repeat("{a: ", n)),
    ("dashes", |n| repeat("- ", n)),
    ("questions", |n| repeat("? ", n)),
    ("stairs", |n| numbered("", n, |i| format!("{}a:\n", " ".repeat(i)))),
    ("colons", |n| repeat(": ", n)),
    ("anchored brackets", |n| repeat("&a [ ", n)),
    ("bracketed keys", |n| repeat("{a: b}: ", n)),
    ("items", |n| around("hosts: [", "a,", "]", n)),
    ("empty mappings", |n| around("expect: [", "{},", "]", n)),
    ("the same key", |n| repeat("a: b\n", n)),
    ("unknown keys", |n| numbered("", n, |i| format!("k{i}: 1\n"))),
    ("hosts without anything", |n| numbered("hosts:\n", n, |i| format!("  0{i}: {{}}\n"))),
    ("unknown aliases", |n| around("a: [", "*a,", "]", n)),
    ("anchors", |n| numbered("", n, |i| format!("k{i}: &a{i} 1\n"))),
    ("aliases", |n| around("a: &a x\nb: [", "*a,", "]", n)),
    ("a long text, often", |_| around(&format!("a: &a {}\nb: [", "x".repeat(100_000)), "*a,", "]", 60_000)),
    ("laughs", laughs),
    ("merges", merges),
    ("copies inside copies", |n| around(&"&a [ ".repeat(30), "x, ", &"]".repeat(30), n)),
    ("comments", |n| repeat("# x\n", n)),
    ("blanks", |n| repeat(" ", n)),
    ("lines", |n| repeat("\n", n)),
    ("documents", |n| repeat("---\n", n)),
    ("document ends", |n| repeat("...\n", n)),
    ("directives", |n| repeat("%A b\n", n)),
    ("a long directive", |n| around("%TAG ! ", "x", "", n)),
    ("a long tag", |n| repeat("!", n)),
    ("a long anchor", |n| repeat("&", n)),
    ("a long alias", |n| repeat("*", n)),
    ("a long word", |n| repeat("x", n)),
    ("a long key", |n| around("", "x", ": 1\n", n)),
    ("a long number", |n| around("link: { mtu: ", "1", " }\n", n)),
    ("a long rate", |n| around("link: { up: ", "1", "mbit }\n", n)),
    ("a long name", |n| around("hosts: { ? \"", "x", "\" : {} }\n", n)),
    ("quotes in quotes", |n| around("a: '", "''", "'", n)),
    ("an open quote", |n| around("a: \"", "x\n ", "", n)),
    ("escapes", |n| around("a: \"", "\\n", "\"", n)),
    ("a long text", |n| around("a:", "\n x", "\n", n)),
    ("a block of text", |n| around("a: |\n", " x\n", "", n)),
    ("noise", |n| noise(n, |x| x as u8)),
    ("printable noise", |n| noise(n, |x| if x.is_multiple_of(80) { b'\n' } else { b' ' + (x % 95) as u8 })),
    ("zeros", |n| vec![0; n]),
    ("a zero at the end", |n| around("", "# x\n", "\0", n)),
    ("50 MB", |_| vec![b'a'; 50_000_000]),
];

/// The most expensive files, which are always tried at their full size. The others are smaller with debug assertions.
const DEAREST: &[&str] = &["items", "anchors", "aliases"];

/// Reads a file as the command line does, up to the text for a terminal.
fn refuse(name: &str, bytes: &[u8]) {
    let mut sources = Sources::default();
    let mut sink = Sink::default();
    if let Some(file) = syntax::load(&mut sources, "hostile.yaml", bytes, &mut sink) {
        let _ = syntax::read(&sources, file, &mut sink);
    }
    assert!(sink.has_errors(), "{name} is accepted");
    let text = render(&sink.into_sorted(), &sources, Format::Human { colour: false });
    assert!(text.len() < 500_000, "{name} is answered with {} bytes", text.len());
}

/// A line on standard output, for the parent process and for `--nocapture`.
#[expect(clippy::print_stdout, reason = "a test's measurements are read by its parent, and by people")]
fn report(line: std::fmt::Arguments<'_>) {
    println!("{line}");
}

fn file(name: &str) -> Make {
    FILES.iter().find(|(known, _)| *known == name).unwrap().1
}

/// Not a test by itself: [`hostile_files_cost_little_time_and_memory`] starts it.
#[test]
fn child() {
    let Ok(name) = std::env::var("QOSC_TEST_HOSTILE") else { return };
    let full = !cfg!(debug_assertions) || DEAREST.contains(&name.as_str());
    let bytes = file(&name)(if full { MAX_BYTES - 100 } else { MAX_BYTES / 8 });
    let ((), took) = timed(|| refuse(&name, &bytes));
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    report(format_args!("took {} peak {}", took.as_millis(), peak.trim().trim_end_matches(" kB")));
}

#[test]
fn hostile_files_cost_little_time_and_memory() {
    let mut dear = Vec::new();
    for (name, _) in FILES {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["syntax::hostile::child", "--exact", "--nocapture", "--test-threads=1"])
            .env("QOSC_TEST_HOSTILE", name)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let words: Vec<&str> = text.split_once("took ").unwrap().1.split_whitespace().collect();
        let (took, peak): (u64, u64) = (words[0].parse().unwrap(), words[2].parse().unwrap());
        report(format_args!("{name:25} {took:6} ms {:4} MiB", peak >> 10));
        let limit = if cfg!(debug_assertions) { 10_000 } else { 1000 };
        if took > limit && asserted() || peak > MEMORY {
            dear.push(format!("{name}: {took} ms, {} MiB", peak >> 10));
        }
    }
    assert!(dear.is_empty(), "{dear:#?}");
}

#[test]
fn reading_time_grows_at_most_linearly() {
    if !asserted() {
        return;
    }
    for (name, make) in FILES {
        let time = |bytes: &[u8]| timed(|| refuse(name, bytes)).1;
        let best = |bytes: usize| (0..2).map(|_| time(&make(bytes))).min().unwrap();
        let (small, large) = (best(20_000), best(160_000));
        // The file is eight times as large. The fixed part allows for times that are too short to measure.
        assert!(large < small * 24 + Duration::from_millis(50), "{name}: {small:?}, then {large:?}");
    }
}
