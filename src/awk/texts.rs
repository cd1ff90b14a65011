//! Functions of awk that take texts apart.

use super::machine::Machine;
use super::number::{from_place, to_place};
use super::record::words;
use super::regex::Regex;
use super::value::{Text, Value};

/// Returns the part of a text from a place, counted from 1, of this length at most.
pub(super) fn substr(text: &[u8], from: f64, length: Option<f64>) -> &[u8] {
    // As POSIX says, the place and the length are rounded first, and places before the text count.
    let round = f64::round_ties_even;
    let begin = to_place(round(from)).max(1) - 1;
    let end =
        length.map_or(text.len(), |length| to_place(end_of(round(from), round(length))).min(text.len()));
    text.get(begin..end).unwrap_or_default()
}

#[expect(clippy::float_arithmetic, reason = "the numbers of awk are floating-point numbers")]
fn end_of(from: f64, length: f64) -> f64 {
    from + length - 1.0
}

/// Returns the place of a text in another one, counted from 1; 0 if it is not there.
pub(super) fn index(text: &[u8], part: &[u8]) -> f64 {
    memchr::memmem::find(text, part).map_or(0.0, |at| from_place(at + 1))
}

/// Splits a text at blanks, or at a separator of one byte.
pub(super) fn split(text: &[u8], separator: Option<&[u8]>) -> Option<Vec<Value>> {
    let input = |bytes: &[u8]| Value::Input(Text::from(bytes));
    match separator {
        None | Some(b" ") => {
            let mut places = Vec::new();
            words(text, &mut places);
            Some(places.iter().filter_map(|(from, to)| text.get(*from..*to)).map(input).collect())
        }
        Some(_) if text.is_empty() => Some(Vec::new()),
        Some([separator]) if *separator != b'\\' => {
            Some(text.split(|byte| byte == separator).map(input).collect())
        }
        Some(_) => None,
    }
}

/// Replaces the first match, or all. Returns the text and the number of matches, or `None` if there is none.
pub(super) fn replace(
    machine: &mut Machine<'_>,
    regex: &Regex,
    text: &[u8],
    with: &[u8],
    all: bool,
) -> Option<(Vec<u8>, usize)> {
    let mut found = machine.find(regex, text, 0)?;
    let (mut out, mut done, mut count) = (Vec::with_capacity(text.len() + with.len()), 0, 0);
    loop {
        let (begin, end) = found;
        out.extend_from_slice(text.get(done..begin).unwrap_or_default());
        insert(with, text.get(begin..end).unwrap_or_default(), &mut out);
        count += 1;
        done = end;
        if !all {
            break;
        }
        // An empty match directly after another one does not count.
        let mut from = end;
        if begin == end {
            out.extend(text.get(end));
            from += 1;
            done = from;
        }
        let next = if from > text.len() { None } else { machine.find(regex, text, from) };
        let next = match next {
            Some((begin, end)) if begin == end && begin == done && count > 0 && found.0 != found.1 => {
                out.extend(text.get(done));
                done += 1;
                if done > text.len() { None } else { machine.find(regex, text, done) }
            }
            next => next,
        };
        match next {
            Some(next) => found = next,
            None => break,
        }
    }
    out.extend_from_slice(text.get(done..).unwrap_or_default());
    Some((out, count))
}

/// Appends a replacement: `&` stands for the match, and a backslash before `&` or a backslash for the byte itself.
fn insert(with: &[u8], found: &[u8], out: &mut Vec<u8>) {
    let mut bytes = with.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'&' => out.extend_from_slice(found),
            b'\\' => out.push(bytes.next_if(|next| b"&\\".contains(next)).unwrap_or(byte)),
            byte => out.push(byte),
        }
    }
}
