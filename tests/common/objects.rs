//! JSON as short text for snapshots, and the parser for it. Each object of a list has one line of `key=value` fields.
//!
//! - A field that is null, an empty list or an empty object is left out. `tests/script/compile.rs` checks that each field of
//!   the intermediate representation has only one of these forms. A missing field therefore has one meaning.
//! - An object with one key whose value is an object is `key{...}`.
//! - An origin is `(name what line)`, and a selector's words are `(value/mask@offset ...)` in hexadecimal.
//! - Consecutive objects of a list that agree in their [`shared`] fields have one heading in brackets with these
//!   fields.

#![cfg(test)]

use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The fields that consecutive objects of a list often have in common.
fn shared(list: &str) -> &'static [&'static str] {
    match list {
        "qdiscs" => &["dev", "kind", "instead"],
        "classes" => &["dev", "ceil", "cburst", "charge"],
        "filters" => &["dev", "hook", "pref", "protocol", "flowid", "why"],
        _ => &[],
    }
}

/// Returns true for a value that is left out of an object.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// The value without the fields that are left out.
pub(crate) fn pruned(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(pruned).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !is_empty(value));
            Value::Object(kept.map(|(key, value)| (key.clone(), pruned(value))).collect())
        }
        other => other.clone(),
    }
}

/// Returns the text of a value.
pub(crate) fn print(value: &Value) -> String {
    let mut text = String::new();
    print_at("", value, &mut text);
    text
}

fn is_list_of_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_object))
}

fn has_list_of_objects(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(has_list_of_objects),
        other => is_list_of_objects(other),
    }
}

fn print_at(path: &str, value: &Value, text: &mut String) {
    if is_list_of_objects(value) {
        writeln!(text, "{path}").unwrap();
        print_list(shared(path), value.as_array().unwrap(), text);
    } else if let Value::Object(fields) = value
        && (path.is_empty() || has_list_of_objects(value))
    {
        // Fields without a list share a line.
        let mut open = false;
        for (key, value) in fields.iter().filter(|(_, value)| !is_empty(value)) {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let is_list = has_list_of_objects(value);
            if open {
                text.push(if is_list { '\n' } else { ' ' });
            }
            open = !is_list;
            print_at(&path, value, text);
        }
        text.push_str(if open { "\n" } else { "" });
    } else {
        let key = path.rsplit('.').next().unwrap();
        write!(text, "{path}={}", inline(key, value)).unwrap();
    }
}

fn print_list(shared: &[&str], objects: &[Value], text: &mut String) {
    let mut heading = String::new();
    for object in objects.iter().map(|object| object.as_object().unwrap()) {
        let is_shared = |field: &(&String, &Value)| shared.contains(&field.0.as_str());
        let own = fields(object.iter().filter(|field| !is_shared(field)));
        let here = fields(object.iter().filter(is_shared));
        if here.is_empty() {
            writeln!(text, "  {own}").unwrap();
        } else {
            if here != heading {
                writeln!(text, "  [{here}]").unwrap();
            }
            writeln!(text, "    {own}").unwrap();
        }
        heading = here;
    }
}

fn fields<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let kept = fields.filter(|(_, value)| !is_empty(value));
    kept.map(|(key, value)| format!("{key}={}", inline(key, value))).collect::<Vec<_>>().join(" ")
}

fn inline(key: &str, value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if is_bare(text) => text.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| inline("", item)).collect::<Vec<_>>().join(" "))
        }
        Value::Object(object) => {
            if let Some(special) = special(key, object) {
                return format!("({special})");
            }
            let mut all = object.iter();
            match (all.next(), all.next()) {
                (Some((key, Value::Object(only))), None) => format!("{key}{{{}}}", fields(only.iter())),
                _ => format!("{{{}}}", fields(object.iter())),
            }
        }
        other => other.to_string(),
    }
}

/// Returns true if a string needs no quotes because it cannot be read as another value.
fn is_bare(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.:%/@+-".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(plain)
        && serde_json::from_str::<Value>(text).is_err()
}

/// The short form of an origin or of a selector's words.
fn special(key: &str, object: &Map<String, Value>) -> Option<String> {
    match key {
        "why" if object.keys().eq(["name", "what", "line"]) => {
            Some(object.values().map(|value| inline("", value)).collect::<Vec<_>>().join(" "))
        }
        "words" => {
            let word = |(offset, word): (&String, &Value)| {
                let word = word.as_object().filter(|word| word.keys().eq(["value", "mask"]))?;
                let (value, mask) = (word["value"].as_u64()?, word["mask"].as_u64()?);
                Some(format!("{value:x}/{mask:x}@{offset}"))
            };
            object.iter().map(word).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
        }
        _ => None,
    }
}

/// Parses a text into a value, without the fields that the text leaves out.
pub(crate) fn read(text: &str) -> Value {
    let mut all = Value::Object(Map::new());
    let (mut list, mut shared) = ("", "");
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("  [") {
            shared = heading.strip_suffix(']').expect("a heading ends with a bracket");
        } else if let Some(own) = line.strip_prefix("  ") {
            let shared = if own.starts_with("  ") { shared } else { "" };
            let object = Reader { rest: format!("{shared} {own}").as_str() }.fields("");
            at(&mut all, list).as_array_mut().expect("a list").push(object);
        } else if line.contains('=') {
            let fields = Reader { rest: line }.fields("");
            for (path, value) in fields.as_object().unwrap() {
                *at(&mut all, path) = value.clone();
            }
        } else {
            (list, shared) = (line, "");
            *at(&mut all, list) = Value::Array(Vec::new());
        }
    }
    all
}

/// Returns the value at a path and creates it if it is missing.
fn at<'a>(all: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(all, |value, key| {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        value.as_object_mut().expect("an object").entry(key).or_insert(Value::Null)
    })
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn take(&mut self, expected: char) -> bool {
        let after = self.rest.strip_prefix(expected);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find([' ', '=', '{', '}', '[', ']', '(', ')']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Reads values up to a closing bracket.
    fn values(&mut self, end: char) -> Vec<Value> {
        let mut values = Vec::new();
        while !self.take(end) {
            if !self.take(' ') {
                values.push(self.value(""));
            }
        }
        values
    }

    /// Reads fields up to a closing bracket or the end of the text.
    fn fields(&mut self, end: &str) -> Value {
        let mut fields = Map::new();
        while !(self.rest.is_empty() || end == "}" && self.take('}')) {
            if !self.take(' ') {
                let key = self.word();
                assert!(self.take('='), "`{key}` has no value");
                fields.insert(key.to_owned(), self.value(key.rsplit('.').next().unwrap()));
            }
        }
        Value::Object(fields)
    }

    fn value(&mut self, key: &str) -> Value {
        if self.rest.starts_with('"') {
            let mut strings = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
            let string = strings.next().expect("a string").expect("a string");
            self.rest = self.rest.split_at(strings.byte_offset()).1;
            return string;
        }
        if self.take('[') {
            return Value::Array(self.values(']'));
        }
        if self.take('{') {
            return self.fields("}");
        }
        if self.take('(') {
            return if key == "words" { self.words() } else { self.origin() };
        }
        let word = self.word();
        if self.take('{') {
            return Value::Object([(word.to_owned(), self.fields("}"))].into_iter().collect());
        }
        assert!(!word.is_empty(), "no value before `{}`", self.rest);
        match word {
            "-" => Value::Null,
            word => serde_json::from_str(word).unwrap_or_else(|_| word.into()),
        }
    }

    fn origin(&mut self) -> Value {
        let values = ["name", "what", "line"].map(str::to_owned).into_iter().zip(self.values(')'));
        pruned(&Value::Object(values.collect()))
    }

    fn words(&mut self) -> Value {
        let mut words = Map::new();
        while !self.take(')') {
            if !self.take(' ') {
                let (value, rest) = self.word().split_once('/').expect("a mask");
                let (mask, offset) = rest.split_once('@').expect("an offset");
                let number = |hex: &str| Value::from(u64::from_str_radix(hex, 16).expect("a number"));
                let word = [("value".to_owned(), number(value)), ("mask".to_owned(), number(mask))];
                words.insert(offset.to_owned(), Value::Object(word.into_iter().collect()));
            }
        }
        Value::Object(words)
    }
}
