//! A good file with one fault.

use super::chance::Chance;
use super::lines::{Lines, says};
use super::tree::{Key, NodeKind, Tree};
use qosc_compiler::diag::Span;

/// A damaged text.
pub struct Damage {
    pub kind: &'static str,
    pub text: String,
    /// The line numbers, from 1, at which a finding about the damage may point.
    pub lines: Vec<u32>,
    /// A short description of the damage.
    pub what: String,
}

impl Damage {
    pub fn new(kind: &'static str, text: String, lines: Vec<u32>, what: String) -> Self {
        Damage { kind, text, lines, what }
    }
}

/// Units that some value does not take; most belong to other values.
const UNITS: &[&str] = &["", "mbps", "mbits", "Mb", "kib", "MB", "ms", "%", "mbit", "hz", "m", "kbit/h"];
/// Replacements for a value, of various types.
const OTHER_TYPES: &[&str] =
    &["17", "{ a: b }", "[a, b]", "[]", "{}", "true", "\"\"", "", "1.5", "~", "-1", "no"];

/// All damages of a file. They are the same for the same seed.
pub fn damages(text: &str, seed: u64) -> Vec<Damage> {
    let mut chance = Chance::new(seed);
    let mut all = Vec::new();
    let tree = Tree::of(text);
    for key in tree.keys.iter().filter(|key| !key.name) {
        all.extend(misspelt(text, key, &mut chance));
    }
    for key in &tree.keys {
        all.extend(mistyped(text, key, &mut chance));
        all.push(twice(text, key));
    }
    for span in &tree.scalars {
        all.extend(wrong_units(text, *span, &mut chance));
        let other = *chance.one(&tree.scalars);
        let other = &text[other.start..other.end];
        all.push(replaced(text, *span, "value of another key", other));
    }
    let lines = Lines::of(text);
    // The shortest file has only four significant lines.
    let times = if lines.saying().len() < 9 { 32 } else { 2 };
    for at in lines.saying() {
        all.push(lines.deleted(at));
        all.push(lines.doubled(at));
        all.extend(lines.swapped(at));
        all.extend(lines.indented(at, &mut chance));
        for _ in 0..times {
            all.push(lines.strayed(at, &mut chance));
        }
        for _ in 0..times / 2 {
            all.push(lines.holed(at, &mut chance));
        }
    }
    all.retain(|damage| damage.text != text);
    all
}

/// Returns the text with another text in place of a span.
pub fn put(text: &str, span: Span, other: &str) -> String {
    format!("{}{other}{}", &text[..span.start], &text[span.end..])
}

fn replaced(text: &str, span: Span, kind: &'static str, other: &str) -> Damage {
    let what = format!("{:?} for {:?}", other, &text[span.start..span.end]);
    Damage::new(kind, put(text, span, other), vec![span.line], what)
}

/// Misspellings of the key: one letter dropped, one doubled, two swapped, and one replaced.
pub fn misspelt(text: &str, key: &Key, chance: &mut Chance) -> Vec<Damage> {
    let letters: Vec<char> = key.text.chars().collect();
    let mut spelt = Vec::new();
    let at = chance.below(letters.len());
    spelt.push(letters[..at].iter().chain(&letters[at + 1..]).collect::<String>());
    let at = chance.below(letters.len());
    spelt.push(letters[..=at].iter().chain(&letters[at..]).collect());
    let at = chance.below(letters.len() - 1);
    let mut other = letters.clone();
    other.swap(at, at + 1);
    spelt.push(other.iter().collect());
    let at = chance.below(letters.len());
    let mut other = letters.clone();
    other[at] = chance.letter();
    spelt.push(other.iter().collect());
    spelt.retain(|other| *other != key.text);
    spelt.iter().map(|other| replaced(text, key.span, "misspelt key", other)).collect()
}

/// Gives the key a value of another type.
fn mistyped(text: &str, key: &Key, chance: &mut Chance) -> Vec<Damage> {
    let value = &text[key.value.start..key.value.end];
    if value.contains('\n') {
        // The old value stays below the new one.
        let with = |other: &&str| {
            let mut damage =
                replaced(text, Span { start: key.span.end, ..key.span }, "value on the line", "");
            damage.text = format!("{}: {other}{}", &text[..key.span.end], &text[key.span.end + 1..]);
            damage.lines.extend(below(text, key.span.line));
            damage.what = format!("{}: {other}", key.text);
            damage
        };
        return ["17", "{ a: b }", "[a, b]"].iter().map(with).collect();
    }
    let mut others: Vec<&str> = (0..3).map(|_| *chance.one(OTHER_TYPES)).collect();
    if key.kind != NodeKind::Scalar {
        others.push("word");
    }
    let with = |other: &str| {
        let mut damage = replaced(text, key.value, "value of another type", other);
        // If the value has its own line, a finding may also point at the key.
        damage.lines.push(key.span.line);
        damage
    };
    others.into_iter().map(with).collect()
}

/// The number of the next significant line.
fn below(text: &str, line: u32) -> Option<u32> {
    let line = usize::try_from(line).unwrap();
    let next = text.lines().enumerate().skip(line).find(|(_, text)| says(text))?.0;
    u32::try_from(next + 1).ok()
}

/// Repeats the key and its value right after itself.
fn twice(text: &str, key: &Key) -> Damage {
    let whole = &text[key.span.start..key.value.end];
    let line_start = text[..key.span.start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line_start..key.span.start];
    let alone = before.trim().is_empty() || before.trim() == "-";
    let between = if alone { format!("\n{}", " ".repeat(before.len())) } else { ", ".to_owned() };
    let again = key.value.end + between.len();
    let made = format!("{}{between}{whole}{}", &text[..key.value.end], &text[key.value.end..]);
    let line = made[..again].matches('\n').count() + 1;
    Damage::new("key given twice", made, vec![u32::try_from(line).unwrap()], key.text.clone())
}

/// Gives the value other units, if it begins with a digit.
fn wrong_units(text: &str, span: Span, chance: &mut Chance) -> Vec<Damage> {
    let value = &text[span.start..span.end];
    let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    if number.is_empty() || number.contains("..") || unit.contains(['.', ':', '/', '-']) {
        return Vec::new();
    }
    (0..2).map(|_| replaced(text, span, "wrong unit", &format!("{number}{}", chance.one(UNITS)))).collect()
}
