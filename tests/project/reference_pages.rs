//! The pages of `docs/reference/` equal what the program knows: the keys of the schema, the help of every command, and the
//! built-in profiles. `QOSC_BLESS=1 cargo test --test project reference_pages` writes the pages.

#![cfg(test)]

use crate::made_files::assert_made;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

const KEYS: &str = "\
# All keys of the file

This page is made from the [schema](../../schema/qosc.schema.json).
[Configuration](../configuration.md) explains the keys with examples, and
[Numbers](../limits.md#numbers) lists the ranges of rates and times.

NAME stands for a name that you choose. \"Or per direction\" means that `{ up: .., down: .. }` may
replace the value.
";

const PROFILES: &str = "\
# Link profiles, applications and class sets

This page is made from the files in `profiles/`. `qosc profiles` prints the list, and
`qosc profiles NAME` prints one of them. [`link.profile`](../line.md#link) chooses a link
profile, and [`classes.preset`](../classes.md#classes) chooses a class set.
";

const CLI: &str = "\
# Commands and options

This page is made from the help of the program. `qosc COMMAND --help` prints the same text, and
[`qosc man`](../editor.md#read-the-manual-pages) prints it as manual pages.
";

fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn assert_page(name: &str, text: &str) {
    assert_made(&format!("docs/reference/{name}"), text, "cargo test --test project reference_pages");
}

/// The schema, and the sections that are still to be described.
struct Keys {
    schema: Value,
    waiting: Vec<(String, Value)>,
    /// The definitions that have a section already.
    described: BTreeSet<String>,
    /// The kinds of values that a table links to.
    used: BTreeSet<String>,
}

impl Keys {
    /// The schema itself, or the definition that it refers to, with its name.
    fn resolved(&self, schema: &Value) -> (Option<String>, Value) {
        let alone = schema["allOf"].as_array().filter(|all| all.len() == 1).and_then(|all| all.first());
        let reference = schema["$ref"].as_str().or_else(|| alone?["$ref"].as_str());
        let Some(name) = reference.and_then(|path| path.strip_prefix("#/definitions/")) else {
            return (None, schema.clone());
        };
        (Some(name.to_owned()), self.schema["definitions"][name].clone())
    }

    /// The value of a key in words. An object with keys of its own becomes a section that waits.
    fn value(&mut self, path: &str, schema: &Value) -> String {
        // `null` removes what another layer defines.
        let is_null = |form: &Value| *form == serde_json::json!({ "const": null });
        if let Some(forms) = schema["anyOf"].as_array().filter(|forms| forms.iter().any(is_null)) {
            let other = forms.iter().find(|form| !is_null(form)).unwrap();
            return self.value(path, other);
        }
        let (name, resolved) = self.resolved(schema);
        if let Some(fixed) = resolved.get("const") {
            return format!("`{}`", fixed.as_str().unwrap());
        }
        if let Some(words) = names(&resolved) {
            // A long list has a section of its own.
            if words.len() <= 12 {
                return words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            }
        }
        if is_per_direction(&resolved) {
            return "or per direction".to_owned();
        }
        let has_keys = resolved.get("properties").is_some();
        if let Some(name) = name.as_ref().filter(|name| !has_keys && *name != "Queue") {
            self.used.insert(name.clone());
            return format!("[{}](#{})", in_words(name), in_words(name).replace(' ', "-"));
        }
        if let Some(forms) = resolved["anyOf"].as_array().filter(|_| !has_keys) {
            let mut words: Vec<String> = Vec::new();
            for form in forms {
                // The form `kind: fq_codel` has the options of `fq_codel: { .. }`.
                let is_flat = form["properties"]["kind"].get("const").is_some();
                let word = if is_flat { String::new() } else { self.value(path, form) };
                if !word.is_empty() && !words.contains(&word) {
                    words.push(word);
                }
            }
            // A key that takes one value or a list of such values.
            let list = words.iter().position(|word| {
                word.strip_prefix("list of ").is_some_and(|one| words.contains(&one.to_owned()))
            });
            if let Some(list) = list {
                words[list] = "or a list".to_owned();
                let last = words.remove(list);
                words.push(last);
            }
            return words.join("; ").replace("; or per direction", ", or per direction");
        }
        // A number may be in quotes.
        let is_number = resolved["type"] == serde_json::json!(["integer", "string"]);
        match resolved["type"].as_str().or(is_number.then_some("integer")) {
            Some("array") => format!("list of {}", self.value(path, &resolved["items"])),
            Some("boolean") => "`true`, `false`".to_owned(),
            Some("integer") => {
                let described = schema["description"].as_str().unwrap_or_default().to_lowercase();
                let unit = ["bytes", "packets"].into_iter().find(|unit| described.contains(unit));
                let range = format!("{} to {}", resolved["minimum"], resolved["maximum"]);
                unit.map_or(range.clone(), |unit| format!("{range} {unit}"))
            }
            Some("object") if resolved.get("properties").is_none() => {
                self.value(&format!("{path}.NAME"), &resolved["additionalProperties"])
            }
            Some("object") => {
                // An object of one key that has no name of its own, such as `{ preset: home }`.
                let keys = resolved["properties"].as_object().filter(|_| name.is_none());
                let single = keys.filter(|keys| keys.len() == 1).and_then(|keys| keys.iter().next());
                if let Some((key, inner)) = single {
                    let value = self.value(&format!("{path}.{key}"), inner);
                    let is_queue = path.ends_with(".queue");
                    return if is_queue { value } else { format!("`{{ {key}: .. }}` with {value}") };
                }
                let section = self.described_at(path, schema, &resolved);
                format!("[keys](#{})", section.replace('.', "").to_lowercase())
            }
            _ if resolved["type"].is_array() => "name".to_owned(),
            _ => "text".to_owned(),
        }
    }

    /// The path of the section with the keys of an object, which is the first one that has this object.
    fn described_at(&mut self, path: &str, schema: &Value, resolved: &Value) -> String {
        let (name, _) = self.resolved(schema);
        let Some(name) = name else {
            self.waiting.push((path.to_owned(), resolved.clone()));
            return path.to_owned();
        };
        let known = self.described.iter().find_map(|known| known.strip_prefix(&format!("{name} ")));
        if let Some(known) = known {
            return known.to_owned();
        }
        self.described.insert(format!("{name} {path}"));
        self.waiting.push((path.to_owned(), resolved.clone()));
        path.to_owned()
    }

    /// The table of the keys of an object.
    fn table(&mut self, path: &str, object: &Value) -> String {
        let mut text = "| key | value | default | meaning |\n|---|---|---|---|\n".to_owned();
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, schema) in object["properties"].as_object().unwrap() {
            let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let value = self.value(&below, schema);
            let (_, resolved) = self.resolved(schema);
            let about = schema["description"].as_str().or_else(|| resolved["description"].as_str());
            let (meaning, default) =
                without_default(about.unwrap_or_else(|| panic!("{below} has no description")));
            let is_required = required.contains(&key.as_str());
            let default = default.unwrap_or_else(|| if is_required { "required" } else { "none" }.to_owned());
            let _ = writeln!(text, "| `{key}` | {value} | {default} | {meaning} |");
        }
        text
    }
}

/// The fixed words of a choice.
fn names(schema: &Value) -> Option<Vec<String>> {
    let consts = schema["oneOf"].as_array().map(|all| all.iter().map(|one| one["const"].clone()).collect());
    let listed: Vec<Value> = consts.or_else(|| schema["enum"].as_array().cloned())?;
    listed.into_iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

fn is_per_direction(schema: &Value) -> bool {
    let keys = schema["properties"].as_object();
    keys.is_some_and(|keys| keys.len() == 2 && keys.contains_key("up") && keys.contains_key("down"))
}

/// `TunnelKind` as `tunnel kind`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// A paragraph of lines with at most 100 columns, which ends with a full stop.
fn paragraph(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in format!("{}.", text.trim_end_matches('.')).split(' ') {
        if lines[lines.len() - 1].chars().count() + word.chars().count() >= 100 {
            lines.push(String::new());
        }
        let line = lines.last_mut().unwrap();
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.join("\n") + "\n"
}

/// Separates the clause with the default from a description.
fn without_default(about: &str) -> (String, Option<String>) {
    let mut default = None;
    let mut kept = Vec::new();
    for sentence in about.split(". ") {
        let mut clauses = Vec::new();
        for clause in sentence.split("; ") {
            let lower = clause.replacen("By default", "by default", 1);
            if let Some((before, after)) = lower.split_once("by default") {
                default = Some(format!("{}{after}", before.trim_end()).trim().to_owned());
            } else {
                clauses.push(clause);
            }
        }
        if !clauses.is_empty() {
            kept.push(clauses.join("; "));
        }
    }
    (kept.join(". "), default)
}

#[test]
fn the_page_of_the_keys_equals_the_schema() {
    let schema: Value = serde_json::from_str(&printed(&["schema"])).unwrap();
    let top = schema.clone();
    let mut keys = Keys { schema, waiting: Vec::new(), described: BTreeSet::new(), used: BTreeSet::new() };
    let mut text = format!("{KEYS}\n## The file\n\n{}", keys.table("", &top));
    let mut sections = 0;
    // The sections in the order of the file, each with those inside it.
    keys.waiting.reverse();
    while let Some((path, object)) = keys.waiting.pop() {
        let before = keys.waiting.len();
        let table = keys.table(&path, &object);
        keys.waiting[before..].reverse();
        let about = object["description"].as_str().map(|about| paragraph(about) + "\n");
        let _ = write!(text, "\n## `{path}`\n\n{}{table}", about.unwrap_or_default());
        sections += 1;
    }
    assert!(sections >= 12, "{sections}:\n{text}");
    text.push_str("\n## Values\n");
    for name in keys.used.clone() {
        let definition = keys.schema["definitions"][&name].clone();
        let about = paragraph(definition["description"].as_str().unwrap());
        let _ = write!(text, "\n### {}\n\n{about}", in_words(&name));
        let examples: Vec<String> =
            definition["examples"].as_array().into_iter().flatten().map(ToString::to_string).collect();
        if !examples.is_empty() {
            let examples = format!("Examples: `{}`", examples.join("`, `").replace('"', ""));
            let _ = write!(text, "\n{}", paragraph(&examples));
        }
        if let Some(choices) = definition["oneOf"].as_array().filter(|_| names(&definition).is_some()) {
            text.push_str("\n| value | meaning |\n|---|---|\n");
            for choice in choices {
                let (word, about) = (choice["const"].as_str().unwrap(), choice["description"].as_str());
                let _ = writeln!(text, "| `{word}` | {} |", about.unwrap_or_default());
            }
        }
    }
    assert_page("keys.md", &text);
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names = list.lines().filter(|line| !line.starts_with("   "));
    names
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

/// A code block without spaces at the ends of lines.
fn block(language: &str, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    format!("```{language}\n{lines}```\n")
}

#[test]
fn the_page_of_the_commands_equals_their_help() {
    let mut text = format!("{CLI}\n## `qosc`\n\n{}", block("text", &printed(&["--help"])));
    for command in commands() {
        let help = printed(&[&command, "--help"]);
        let _ = write!(text, "\n## `qosc {command}`\n\n{}", block("text", &help));
    }
    assert_page("cli.md", &text);
}

#[test]
fn the_page_of_the_profiles_equals_the_profiles() {
    let list = printed(&["profiles"]);
    let mut text = format!("{PROFILES}\n## List\n\n{}", block("text", &list));
    let mut heading = "";
    for line in list.lines() {
        if !line.starts_with(' ') {
            heading = line;
        } else if !heading.starts_with("keywords") && !line.starts_with("   ") {
            let name = line.split_whitespace().next().unwrap();
            let _ = write!(text, "\n## `{name}`\n\n{}", block("yaml", &printed(&["profiles", name])));
        }
    }
    assert_page("profiles.md", &text);
}
