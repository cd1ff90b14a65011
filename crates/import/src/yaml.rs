//! Writes a configuration as commented YAML.

use super::config::{Class, Config, Match, Queue};
use qosc_compiler::diag::{ALLOW_MARK, wrapped};
use qosc_compiler::harmless::{inline, is_harmful, shown};
use qosc_compiler::terms::{Amount, Direction, Layer, PerDirection};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Words that some YAML readers take for a truth value or for nothing.
const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// Returns the YAML of a configuration. `notes` are the losses.
pub(super) fn text(config: &Config, notes: &[String]) -> String {
    let mut out = String::new();
    comment(&mut out, "", &config.head);
    if !notes.is_empty() {
        out.push_str("#\n");
        comment(&mut out, "", "Not converted, or converted to something else:");
        for note in notes {
            comment(&mut out, "", &format!("- {note}"));
        }
    }
    let file = json!({
        "name": config.name.as_ref().map(|name| quoted(name.as_str())),
        "link": link(config),
        "lan": { "nat": config.nat },
        "classes": classes(&config.classes),
    });
    block(&mut out, "", &file, false);
    out
}

/// Returns the section `link`. A key that begins with `#` stands for comments.
fn link(config: &Config) -> Value {
    let Config { charge, rates, wash, .. } = config;
    let ingress = match (config.polices_down, config.shapes_down) {
        (true, _) => Some("police"),
        (false, false) => Some("none # the source does not shape downloads"),
        (false, true) => None,
    };
    let is_ptm = charge.layer == Some(Layer::Ptm);
    let trust = "As in the source: the DSCP of a download counts, and any sender can set one.";
    json!({
        "device": quoted(config.device.as_str()),
        "profile": charge.profile,
        "overhead": charge.overhead,
        "mpu": charge.mpu,
        "layer": charge.layer,
        "mtu": charge.mtu,
        "# rates": config.about_rates,
        "# ptm": is_ptm.then_some(["CAKE with `ptm` sends 64 of 65 bytes, so `shaped` is 64/65 of its rate."]),
        "shaped": both(PerDirection::from_fn(|one| Some(if is_ptm { rates.get(one).scale(64, 65) } else { *rates.get(one) }))),
        "ingress": ingress,
        "engine": both(config.cake),
        "# trust": config.trust_dscp.then_some([trust]),
        "trust_dscp": config.trust_dscp.then_some(true),
        "wash": match (wash.up, wash.down) {
            (true, true) => Some("both"),
            (up, down) => up.then_some("up").or(down.then_some("down")),
        },
    })
}

fn classes(classes: &[Class]) -> Value {
    let comment = |class: &Class| (format!("# {}", class.name), json!(class.about));
    classes.iter().flat_map(|class| [comment(class), (class.name.clone(), one_class(class))]).collect()
}

fn one_class(class: &Class) -> Value {
    // An alternative without any key holds for each packet of both directions, and the file needs a key.
    let everything = Direction::BOTH.map(|one| Match { direction: Some(one), ..Match::default() });
    let matches = class.matches.iter().flat_map(|one| match *one == Match::default() {
        true => everything.iter(),
        false => std::slice::from_ref(one).iter(),
    });
    let amounts = |of: PerDirection<Option<Amount>>| {
        both(PerDirection::from_fn(|one| of.get(one).map(|own| own.to_string())))
    };
    let queue = |queue: &Queue| match queue.options.is_empty() {
        true => json!(queue.kind),
        false => json!({ queue.kind: queue.options.iter().cloned().collect::<Value>() }),
    };
    json!({
        "id": class.id,
        "default": class.default.then_some(true),
        "priority": class.priority,
        "guarantee": amounts(class.guarantee),
        "ceiling": amounts(class.ceiling),
        "share": both(class.share),
        "queue": both(PerDirection::from_fn(|one| class.queue.get(one).as_ref().map(queue))),
        "match": matches.collect::<Vec<_>>(),
        "classes": (!class.classes.is_empty()).then(|| classes(&class.classes)),
    })
}

/// Returns one value for both directions if they have the same.
fn both<T: PartialEq + Serialize>(values: PerDirection<Option<T>>) -> Value {
    if values.up == values.down { json!(values.up) } else { json!(values) }
}

/// Writes a mapping with a line for each key. Keys without a value are left out. `named` says that it has the classes by
/// name, so that no key has a meaning of its own.
fn block(out: &mut String, indent: &str, mapping: &Value, named: bool) {
    for (key, value) in mapping.as_object().into_iter().flatten() {
        let name = quoted(key);
        match (key.as_str(), value) {
            (_, Value::Array(lines)) if key.starts_with('#') => {
                lines.iter().filter_map(Value::as_str).for_each(|line| comment(out, indent, line));
            }
            (_, Value::Object(_)) if named || matches!(key.as_str(), "link" | "classes") => {
                let _infallible = writeln!(out, "{indent}{name}:");
                block(out, &format!("{indent}  "), value, !named && key == "classes");
            }
            ("match", Value::Array(items)) if !items.is_empty() => {
                let _infallible = writeln!(out, "{indent}{name}:");
                for text in items.iter().filter_map(|item| flow(key, item)) {
                    let _infallible = writeln!(out, "{indent}  - {text}");
                }
            }
            _ => {
                if let Some(text) = flow(key, value) {
                    let _infallible = writeln!(out, "{indent}{name}: {text}");
                }
            }
        }
    }
}

/// Returns the value of a key in one line; `None` if there is nothing to write. A list with one item is the item.
fn flow(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        // An IPv6 address contains colons, and a length may begin with `>`.
        Value::String(text) if key == "length" || text.contains(':') => Some(format!("\"{text}\"")),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(|item| flow(key, item)).collect();
            match items.as_slice() {
                [] => None,
                [one] => Some(one.clone()),
                several => Some(format!("[{}]", several.join(", "))),
            }
        }
        Value::Object(keys) => {
            let keys = keys.iter().filter_map(|(key, value)| Some(format!("{key}: {}", flow(key, value)?)));
            let keys: Vec<String> = keys.collect();
            (!keys.is_empty()).then(|| format!("{{ {} }}", keys.join(", ")))
        }
        other => Some(other.to_string()),
    }
}

/// Returns a name for YAML, in quotes if a reader could take it for something else.
fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !WORDS.contains(&name.to_ascii_lowercase().as_str());
    if plain {
        return name.to_owned();
    }
    let inner = name.char_indices().map(|(at, c)| match shown(c) {
        c @ ('"' | '\\') => format!("\\{c}"),
        '#' if name.get(at..).is_some_and(is_harmful) => "\\x23".to_owned(),
        c => c.to_string(),
    });
    format!("\"{}\"", inner.collect::<String>())
}

/// Writes a comment. Text of the input can neither end it nor suppress a finding.
fn comment(out: &mut String, indent: &str, words: &str) {
    let words: String = words.chars().map(shown).collect();
    let words = inline(&words).replace(ALLOW_MARK, "qosc :");
    let mut text = String::new();
    wrapped(&mut text, "", &words, 2);
    // `wrapped` counts the columns without the indent, so a comment is narrower than the file.
    for line in text.lines() {
        let _infallible = writeln!(out, "{indent}# {line}");
    }
}
