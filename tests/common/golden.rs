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

use serde_json::{Map, Value};

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

/// Prints JSON for a snapshot. An object that contains a list of objects has a line for each key, and such a list has a
/// line for each object. All other values stay on one line.
pub(crate) fn json_lines(value: &Value) -> String {
    let mut text = String::new();
    print(value, 0, &mut text);
    text.push('\n');
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), *value);
    text
}

fn is_list_of_objects(value: &Value) -> bool {
    matches!(value, Value::Array(items) if items.iter().any(Value::is_object))
}

fn has_list_of_objects(fields: &Map<String, Value>) -> bool {
    fields.values().any(|value| match value {
        Value::Object(fields) => has_list_of_objects(fields),
        other => is_list_of_objects(other),
    })
}

fn print(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(fields) if has_list_of_objects(fields) => {
            separated('{', '}', fields, Some(depth), text, |(key, value), text| {
                print_key(key, text);
                print(value, depth + 1, text);
            });
        }
        Value::Array(items) if is_list_of_objects(value) => {
            separated('[', ']', items, Some(depth), text, print_inline);
        }
        other => print_inline(other, text),
    }
}

fn print_inline(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => separated('{', '}', fields, None, text, |(key, value), text| {
            print_key(key, text);
            print_inline(value, text);
        }),
        Value::Array(items) => separated('[', ']', items, None, text, print_inline),
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn print_key(key: &str, text: &mut String) {
    text.push_str(&Value::from(key).to_string());
    text.push_str(": ");
}

/// Prints elements between brackets. If `depth` is given, each element has its own line; otherwise all share one line.
fn separated<T>(
    open: char,
    close: char,
    elements: impl IntoIterator<Item = T>,
    depth: Option<usize>,
    text: &mut String,
    mut element: impl FnMut(T, &mut String),
) {
    let new_line = |depth: usize, text: &mut String| {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    };
    text.push(open);
    for (number, one) in elements.into_iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        match depth {
            Some(depth) => new_line(depth + 1, text),
            None if number > 0 => text.push(' '),
            None => {}
        }
        element(one, text);
    }
    if let Some(depth) = depth {
        new_line(depth, text);
    }
    text.push(close);
}
