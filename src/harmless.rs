//! Text that is safe to show: it cannot control a terminal, hide or reorder other text, or give a CI system commands.

use std::fmt::Write as _;

/// True for a character that is not visible as itself:
///
/// - control characters (a terminal may take U+009B as the start of an escape sequence),
/// - characters that change the direction of text (as in "Trojan Source", CVE-2021-42574),
/// - invisible characters, with which two different names would look the same,
/// - line breaks that YAML does not have.
///
/// The joiners U+200C and U+200D are none of these: Persian words and emoji need them.
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Returns the character to show. ASCII control characters become their pictures, and U+FFFD replaces other hidden ones.
#[must_use]
pub fn shown(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Returns whole lines for a terminal or a log. Line feeds and tabs stay, and so do colours if `coloured` says that the
/// text has its own. No line can be a command of a CI system. GitHub obeys lines such as `::error::words`, also behind
/// blanks, and any line with `##[`. Azure Pipelines obeys `##vso[`.
#[must_use]
pub fn lines(text: &str, coloured: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = out.len();
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let style = if coloured { style(rest) } else { 0 };
            if style > 0 {
                out.push_str(rest.get(..style).unwrap_or_default());
                rest = rest.get(style..).unwrap_or_default();
                continue;
            }
            out.push(if matches!(c, '\n' | '\t') { c } else { shown(c) });
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
        disarm(&mut out, start);
    }
    out
}

/// Returns the length of the style at the start of a text, such as `ESC [ 1 m`, and 0 if there is none. Styles that hide
/// text do not count.
fn style(text: &str) -> usize {
    let Some((numbers, _)) = text.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m')) else {
        return 0;
    };
    let known = |number: &str| {
        number.parse::<u8>().is_ok_and(|number| matches!(number, 0..=4 | 22..=24 | 30..=37 | 39 | 90..=97))
    };
    if numbers.split(';').all(known) { numbers.len() + 3 } else { 0 }
}

/// Replaces the characters that make a command of the line that begins at `start`.
fn disarm(out: &mut String, start: usize) {
    const STAND_IN: &str = "\u{fffd}";
    let line = out.get(start..).unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    if is_command(line.trim_start()) {
        out.replace_range(start + indent..start + indent + 1, STAND_IN);
    }
    for command in ["##[", "##vso["] {
        while let Some(at) = out.get(start..).and_then(|line| line.find(command)) {
            out.replace_range(start + at..start + at + 1, STAND_IN);
        }
    }
}

/// True for a line such as `::error file=a::words`, even without its end. An IPv6 address such as `::1` is no command.
fn is_command(line: &str) -> bool {
    let rest = line.strip_prefix("::").unwrap_or_default();
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_group = word.len() <= 4 && word.chars().all(|c| c.is_ascii_hexdigit());
    rest.starts_with(|c: char| c.is_ascii_alphabetic()) && (!is_group || rest.contains("::"))
}

/// Returns the same JSON without hidden characters or commands of a CI system. They occur only in strings, where an
/// escape has the same meaning.
#[must_use]
pub fn json(text: String) -> String {
    let is_bad = |c: char| c != '\n' && is_hidden(c);
    // A report of many files is long, so it is only copied if it must be.
    if !text.contains(is_bad) && !text.contains("##[") && !text.contains("##vso[") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !is_bad(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _infallible = write!(out, "\\u{unit:04x}");
        }
    }
    out.replace("##[", "#\\u0023[").replace("##vso[", "#\\u0023vso[")
}

#[cfg(test)]
#[path = "harmless_tests.rs"]
mod tests;
