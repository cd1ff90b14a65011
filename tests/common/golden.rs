//! Golden outputs: snapshots of texts, in lines of at most [`WIDTH`] columns.
//!
//! Tests call `golden::assert_golden!` instead of `insta::assert_snapshot!`.

#![cfg(test)]
#![allow(dead_code, unused_imports, unused_macros, reason = "every test target uses only some of these")]

/// The largest number of characters in a line of a snapshot.
pub(crate) const WIDTH: usize = 120;

/// The first character of a continuation line. A line is broken before a space if possible; the marker precedes that
/// space.
const MARKER: char = '↪';

/// Compares a text with its snapshot, like `insta::assert_snapshot!`, but wraps lines wider than [`WIDTH`].
macro_rules! assert_golden {
    ($text:expr $(,)?) => {{
        let _without_expression = $crate::golden::settings();
        insta::assert_snapshot!($crate::golden::wrap(&$text));
    }};
    ($name:expr, $text:expr $(,)?) => {{
        let _without_expression = $crate::golden::settings();
        insta::assert_snapshot!($name, $crate::golden::wrap(&$text));
    }};
}
pub(crate) use assert_golden;

/// The caller's settings without the expression, which can be wider than a line.
pub(crate) fn settings() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind_to_scope()
}

/// Breaks lines wider than [`WIDTH`], at a space where possible. [`unwrap`] restores the text.
pub(crate) fn wrap(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(wrap_line).collect();
    let wrapped = lines.join("\n");
    assert_eq!(unwrap(&wrapped), text, "the text contains a line that begins with {MARKER}");
    wrapped
}

fn wrap_line(line: &str) -> String {
    let mut rest: Vec<char> = line.chars().collect();
    let indent = rest.iter().take_while(|c| **c == ' ').count().min(20) + 4;
    let mut wrapped = String::new();
    let mut room = WIDTH;
    while rest.len() > room {
        let ends_word = |at: &usize| rest[*at] == ' ' && rest[at - 1] != ' ';
        let space = (room / 3..=room).rev().find(ends_word).or((rest[room] == ' ').then_some(room));
        wrapped.extend(rest.drain(..space.unwrap_or(room)));
        wrapped.push('\n');
        wrapped.extend(std::iter::repeat_n(' ', indent));
        wrapped.push(MARKER);
        // The space stays at the start of the next line, after the marker.
        room = WIDTH - indent - 1;
    }
    wrapped.extend(rest);
    wrapped
}

/// Restores the text that was passed to [`wrap`].
pub(crate) fn unwrap(wrapped: &str) -> String {
    let mut text = String::new();
    for (number, line) in wrapped.split('\n').enumerate() {
        match line.trim_start_matches(' ').strip_prefix(MARKER) {
            Some(rest) => text.push_str(rest),
            None if number == 0 => text.push_str(line),
            None => text.extend(["\n", line]),
        }
    }
    text
}
