//! Converts bytes to text.

use super::MAX_BYTES;
use super::quote::quote;
use crate::budget;
use crate::diag::{Code, Diagnostic, FileId, Sink, Sources, Span, count};

/// Converts the bytes of a file to text. If they are too many or not text, reports that and returns `None`.
///
/// A caller that reads from a stream should read at most [`MAX_BYTES`] + 1 bytes, because longer input is rejected
/// unseen.
#[must_use]
pub fn load(sources: &mut Sources, name: &str, bytes: &[u8], sink: &mut Sink) -> Option<FileId> {
    if bytes.len() > MAX_BYTES {
        let start = Span { file: sources.add(name, ""), start: 0, end: 0, line: 1, column: 1 };
        sink.push(too_large(start));
        return None;
    }
    if !sink.charge(bytes.len() / 16, budget::TEXT) {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(sources.add(name, text)),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let good = std::str::from_utf8(good).unwrap_or_default();
            // Only the readable beginning can be shown; the rest may be anything.
            let file = sources.add(name, good);
            let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
            let message = format!("the byte 0x{byte:02x} is not valid UTF-8");
            let help = match bytes {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                    "the file begins with the byte order mark of UTF-16: save it as UTF-8"
                }
                _ => "save the file as UTF-8",
            };
            sink.push(Diagnostic::new(Code::Syntax, end_of(file, good), message).help(help));
            None
        }
    }
}

/// Returns `true` if a text is within the limits and only contains characters that YAML allows; reports an error
/// otherwise.
pub(super) fn is_fit(text: &str, file: FileId, sink: &mut Sink) -> bool {
    if text.len() > MAX_BYTES {
        sink.push(too_large(Span { file, start: 0, end: 0, line: 1, column: 1 }));
        return false;
    }
    let Some((at, c)) = text.char_indices().find(|(_, c)| is_forbidden(*c)) else { return true };
    let mut span = end_of(file, text.get(..at).unwrap_or_default());
    span.end = at + c.len_utf8();
    let shown = quote(&c.to_string());
    let message = if is_break_to_some(c) {
        format!("some YAML readers end the line at the character `{shown}`, and others do not")
    } else {
        format!("YAML does not allow the character `{shown}`")
    };
    let help = if c == '\0' {
        "check that this is a text file, or remove the character"
    } else {
        "remove the character"
    };
    sink.push(Diagnostic::new(Code::Syntax, span, message).help(help));
    false
}

/// Returns the first tabs or no-break spaces in the indentation of a text. YAML allows some tabs, such as those before a
/// comment, but not all readers do. No-break spaces come from web pages and look like spaces.
pub(super) fn tab(text: &str, file: FileId) -> Option<Span> {
    let start = tabs(text).next()?;
    let run: usize = text.get(start..)?.chars().take_while(|c| is_blank(*c)).map(char::len_utf8).sum();
    Some(Span { end: start + run, ..end_of(file, text.get(..start)?) })
}

/// Returns the finding about the first tabs.
pub(super) fn tabbed(text: &str, first: Span) -> Diagnostic {
    if text.starts_with("config ") {
        let message = "this is a configuration of OpenWrt (UCI), not YAML";
        return Diagnostic::new(Code::Syntax, first, message)
            .help("`qosc import sqm FILE` converts one of sqm-scripts");
    }
    let (message, help) = match text.get(first.start..).is_some_and(|rest| rest.starts_with('\t')) {
        true => TAB,
        false => (
            "YAML does not indent with a no-break space",
            "use spaces: this one is from a web page or an office program",
        ),
    };
    let finding = Diagnostic::new(Code::Syntax, first, message).help(help);
    match tabs(text).count() {
        0 | 1 => finding,
        lines => finding.label(format!("and in {}", count(lines - 1, "other line"))),
    }
}

/// Returns the first tab or no-break space of each line that has one among its leading spaces and dashes.
fn tabs(text: &str) -> impl Iterator<Item = usize> {
    // most texts have none at all
    let text = if text.contains(is_blank) { text } else { "" };
    let starts = std::iter::once(0).chain(text.match_indices(['\n', '\r']).map(|(at, _)| at + 1));
    starts.filter_map(|start| {
        let rest = text.get(start..)?;
        let at = rest.find(|c| !matches!(c, ' ' | '-'))?;
        let dashes = rest.get(..at)?;
        // a dash only begins a list item if a space or a tab follows
        let words = dashes.split(' ').all(|word| word.len() < 2);
        (words && rest.get(at..)?.starts_with(is_blank)).then_some(start + at)
    })
}

/// Returns `true` for a character that looks like indentation and is none: a tab, or a space that is no space to YAML.
const fn is_blank(c: char) -> bool {
    matches!(c, '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Message and help for a forbidden tab.
pub(super) const TAB: (&str, &str) = ("YAML does not allow a tab here", "use spaces");

fn too_large(span: Span) -> Diagnostic {
    let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
    Diagnostic::new(Code::TooLarge, span, message)
        .help("a configuration usually has a few kilobytes: check that this is the right file")
}

/// Returns `true` for characters that are not printable in YAML 1.2 (section 5.1), for DEL, and for line breaks of YAML
/// 1.1 only.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
        || is_break_to_some(c)
}

/// Returns `true` for a character that ends a line in YAML 1.1 (section 5.4) and not in 1.2. Text after it would belong
/// to a comment for some readers.
fn is_break_to_some(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns the empty place at the end of the text before it.
fn end_of(file: FileId, before: &str) -> Span {
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    Span {
        file,
        start: before.len(),
        end: before.len(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u32::try_from(column).unwrap_or(u32::MAX),
    }
}
