//! Text that is safe to show: it cannot control a terminal, hide or reorder other text, or give a CI system commands.

use std::fmt::Write as _;

/// True for a character that is not visible as itself:
///
/// - control characters (a terminal may take U+009B as the start of an escape sequence),
/// - characters that change the direction of text (as in "Trojan Source", CVE-2021-42574),
/// - invisible characters, with which two different names would look the same: those with the property
///   `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt` of Unicode 16),
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
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns `true` if a text begins with a hidden character, or with a command that a CI system obeys within a line.
#[must_use]
pub fn is_harmful(text: &str) -> bool {
    text.starts_with(is_hidden) || is_bracketed(text)
}

/// Returns a text for a place within a line. U+FFFD replaces hidden characters and the beginnings of commands.
#[must_use]
pub fn inline(text: &str) -> String {
    let harmless = |(at, c)| match text.get(at..).is_some_and(is_harmful) {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    };
    text.char_indices().map(harmless).collect()
}

/// Returns the number of the first line that a CI system takes for a command, see [`lines`]. Lines also end with a
/// carriage return.
#[must_use]
pub fn command(text: &str) -> Option<usize> {
    let has_bracket =
        |part: &str| part.match_indices("##").any(|(at, _)| part.get(at..).is_some_and(is_bracketed));
    let is_obeyed = |part: &str| is_command(part.trim_start()) || has_bracket(part);
    text.split('\n').position(|line| line.split('\r').any(is_obeyed)).map(|before| before + 1)
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

/// Returns whole lines for a terminal or a log. Line feeds and tabs stay, carriage returns before a line feed, and
/// styles if `coloured` says that the text has its own. No line can be a command of a CI system. GitHub obeys lines such
/// as `::error::words`, also behind blanks, and any line with `##[`. Azure Pipelines obeys `##vso[`, and TeamCity
/// `##teamcity[`.
#[must_use]
pub fn lines(text: &str, coloured: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n');
        let body = body.strip_suffix('\r').filter(|_| line.len() > body.len()).unwrap_or(body);
        let indent = body.len() - body.trim_start().len();
        let (blanks, words) = body.split_at_checked(indent).unwrap_or(("", body));
        out.extend(blanks.chars().map(|c| if c == '\t' { c } else { shown(c) }));
        let mut rest = words;
        // A hidden character is shown by another, which is no blank.
        if is_command(words) && !blanks.contains(|c| c != '\t' && is_hidden(c)) {
            out.push(char::REPLACEMENT_CHARACTER);
            rest = words.get(1..).unwrap_or_default();
        }
        while let Some(c) = rest.chars().next() {
            let style = if coloured { style(rest) } else { 0 };
            let length = if style > 0 { style } else { c.len_utf8() };
            let (piece, more) = rest.split_at_checked(length).unwrap_or((rest, ""));
            match c {
                _ if style > 0 => out.push_str(piece),
                '\t' => out.push(c),
                '#' if is_bracketed(rest) => out.push(char::REPLACEMENT_CHARACTER),
                c => out.push(shown(c)),
            }
            rest = more;
        }
        out.push_str(line.get(body.len()..).unwrap_or_default());
    }
    out
}

/// Returns the length of the style at the start of a text, such as `ESC [ 1 m`, and 0 if there is none. These are the
/// styles of our output. Black, white and dim text would be invisible on some backgrounds.
fn style(text: &str) -> usize {
    let Some((numbers, _)) = text.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m')) else {
        return 0;
    };
    let known = |number: &str| {
        number
            .parse::<u8>()
            .is_ok_and(|number| matches!(number, 0 | 1 | 3 | 4 | 22..=24 | 31..=36 | 39 | 91..=96))
    };
    if numbers.split(';').all(known) { numbers.len() + 3 } else { 0 }
}

/// Returns `true` for a line such as `::error file=a::words`, even without its end. An IPv6 address such as `::1` is no
/// command, and neither is `::: b.yaml:1:2`, the place of a finding in a second file.
fn is_command(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("::") else { return false };
    let end = rest.find([' ', '\t', ',', '/', ')']).unwrap_or(rest.len());
    let address = line.get(..end + 2).is_some_and(|word| word.parse::<std::net::Ipv6Addr>().is_ok());
    let words = rest.strip_prefix(':').unwrap_or(rest);
    (!address || rest.contains("::")) && !words.starts_with(char::is_whitespace) && !rest.is_empty()
}

/// Returns `true` if a text begins with two hashes, letters or none, and an opening bracket: `##[`, `##vso[`.
fn is_bracketed(text: &str) -> bool {
    let name = text.strip_prefix("##").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    name.is_some_and(|rest| rest.starts_with('['))
}

/// Returns the same JSON without hidden characters or commands of a CI system. They occur only in strings, where an
/// escape has the same meaning.
#[must_use]
pub fn json(text: String) -> String {
    let is_bad = |c: char| c != '\n' && is_hidden(c);
    // A report of many files is long, so it is only copied if it must be.
    if !text.contains(is_bad) && !text.contains("##") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        if !is_bad(c) && (c, last) != ('#', '#') {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _infallible = write!(out, "\\u{unit:04x}");
            }
        }
        last = c;
    }
    out
}

#[cfg(test)]
#[path = "harmless_tests.rs"]
mod tests;
