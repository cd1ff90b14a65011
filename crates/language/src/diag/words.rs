//! Words of messages: counts, plurals, lists of names in backticks, and wrapped lines.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Largest number of characters of user input in a message.
const LONGEST: usize = 60;

/// Largest width of a text for people, if its words can be wrapped.
static LINE: AtomicUsize = AtomicUsize::new(100);

/// Wraps further texts at the width of a terminal, in columns, but at 100 columns if it is wider.
pub fn wrap_at(columns: usize) {
    LINE.store(columns.clamp(40, 100), Ordering::Relaxed);
}

/// Number of columns that a text takes. Colours take none.
fn columns(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(|part| part.chars().count()).sum()
}

/// Puts user input into backticks and cuts it if it is too long for a message.
#[must_use]
pub fn ticked(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some(_) => format!("`{}…`", text.chars().take(LONGEST - 1).collect::<String>()),
        None => format!("`{text}`"),
    }
}

/// Adds a line that begins with `start`. Words that do not fit continue on further lines, indented by `indent` spaces.
pub fn wrapped(out: &mut String, start: &str, words: &str, indent: usize) {
    out.push_str(start);
    let (mut at, most) = (columns(start), LINE.load(Ordering::Relaxed));
    let mut first = true;
    for word in whole_words(words) {
        let length = word.chars().count();
        if !first && at + 1 + length > most {
            let _infallible = write!(out, "\n{:indent$}{word}", "");
            at = indent + length;
        } else {
            out.push_str(if first { "" } else { " " });
            out.push_str(word);
            at += length + usize::from(!first);
        }
        first = false;
    }
    out.push('\n');
}

/// Splits a text at its blanks, but not at those between backticks: what is to be copied stays on one line.
fn whole_words(text: &str) -> impl Iterator<Item = &str> {
    let mut ticks = 0;
    text.split(move |c| {
        ticks += usize::from(c == '`');
        c == ' ' && ticks % 2 == 0
    })
}

/// Wraps words for a place that already is `indent` columns to the right.
#[must_use]
pub fn folded(words: &str, indent: usize) -> String {
    let mut out = String::new();
    let blank = " ".repeat(indent);
    wrapped(&mut out, &blank, words, indent);
    out.lines().map(|line| line.trim_start_matches(' ')).collect::<Vec<_>>().join("\n")
}

/// Formats a count with its noun: `1 error`, `2 errors`, `2 classes`, `2 entries`.
#[must_use]
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("{n} {noun}") } else { format!("{n} {}", plural(noun)) }
}

/// Returns the plural of an English noun, as far as our messages need it.
fn plural(noun: &str) -> String {
    let vowel_before_y = ["ay", "ey", "oy", "uy"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('y') {
        Some(stem) if !vowel_before_y => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Lists names to choose from: `` `a`, `b` or `c` ``. The text is empty for an empty list.
#[must_use]
pub fn or_ticked<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list(names, "or")
}

/// Lists names that belong together: `` `a`, `b` and `c` ``. The text is empty for an empty list.
#[must_use]
pub fn and_ticked<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list(names, "and")
}

/// Lists the first names that belong together, and the number of the others if there are more than `most`.
#[must_use]
pub fn some_ticked(names: &[&str], most: usize) -> String {
    match names.split_at_checked(most) {
        Some((first, others @ [_, ..])) => {
            let first: Vec<String> = first.iter().copied().map(ticked).collect();
            format!("{} and {} more", first.join(", "), others.len())
        }
        _ => and_ticked(names.iter().copied()),
    }
}

fn list<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> String {
    let ticked: Vec<String> = names.into_iter().map(ticked).collect();
    match ticked.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} {word} {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{and_ticked, count, or_ticked, some_ticked, ticked};

    #[test]
    fn counts_use_the_plural_form() {
        let texts = ["error", "class", "entry", "key", "match", "box"].map(|noun| count(2, noun));
        assert_eq!(texts, ["2 errors", "2 classes", "2 entries", "2 keys", "2 matches", "2 boxes"]);
        assert_eq!((count(1, "class"), count(0, "error")), ("1 class".into(), "0 errors".into()));
    }

    #[test]
    fn lists_end_with_and_or_or() {
        assert_eq!(or_ticked([]), "");
        assert_eq!(or_ticked(["a"]), "`a`");
        assert_eq!(or_ticked(["a", "b"]), "`a` or `b`");
        assert_eq!(and_ticked(["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(some_ticked(&["a", "b", "c"], 3), "`a`, `b` and `c`");
        assert_eq!(some_ticked(&["a", "b", "c", "d"], 3), "`a`, `b`, `c` and 1 more");
    }

    #[test]
    fn long_input_is_cut_at_a_character_boundary() {
        assert_eq!(ticked("ä"), "`ä`");
        assert_eq!(ticked(&"ä".repeat(60)), format!("`{}`", "ä".repeat(60)));
        assert_eq!(ticked(&"ä".repeat(61)), format!("`{}…`", "ä".repeat(59)));
    }
}
