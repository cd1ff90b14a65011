//! Writes a configuration as commented YAML.

use super::config::{Class, Config, Match};
use crate::diag::{ALLOW_MARK, wrapped};
use crate::harmless::{inline, is_harmful, shown};
use crate::terms::{Amount, Direction, PerDirection};
use crate::units::LengthRange;
use std::fmt::{Display, Write as _};

/// Words that some YAML readers take for a truth value or for nothing.
const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// Returns the YAML of a configuration. `notes` are the losses.
pub(super) fn text(config: &Config, notes: &[String]) -> String {
    let mut out = String::new();
    comments(&mut out, 0, &config.head);
    if !notes.is_empty() {
        out.push_str("#\n");
        comment(&mut out, 0, "Not converted, or converted to something else:");
        for note in notes {
            comment(&mut out, 0, &format!("- {note}"));
        }
    }
    if let Some(name) = &config.name {
        let _infallible = writeln!(out, "name: {}", quoted(name.as_str()));
    }
    link(&mut out, config);
    if let Some(nat) = config.nat {
        let _infallible = writeln!(out, "lan: {{ nat: {nat} }}");
    }
    out.push_str("classes:\n");
    for class in &config.classes {
        one_class(&mut out, 1, class);
    }
    out
}

fn link(out: &mut String, config: &Config) {
    out.push_str("link:\n");
    let charge = &config.charge;
    let number = |value: Option<u32>| value.map(|value| value.to_string());
    let keys = [
        ("device", Some(quoted(config.device.as_str()))),
        ("profile", Some(charge.profile.to_owned())),
        ("overhead", number(charge.overhead)),
        ("mpu", number(charge.mpu)),
        ("layer", charge.layer.map(|layer| layer.as_str().to_owned())),
        ("mtu", number(charge.mtu)),
    ];
    for (key, value) in keys {
        if let Some(value) = value {
            let _infallible = writeln!(out, "  {key}: {value}");
        }
    }
    comments(out, 1, &config.about_rates);
    let _infallible = writeln!(
        out,
        "  margin: 0% # {ALLOW_MARK} allow(Q0605) the margin is already in the rates\n  up: {}\n  down: {}",
        config.rates.up, config.rates.down
    );
    if config.polices_down {
        out.push_str("  ingress: police\n");
    } else if !config.shapes_down {
        out.push_str("  ingress: none # the source does not shape downloads\n");
    }
    let both = |both: PerDirection<bool>| match (both.up, both.down) {
        (true, true) => "both",
        (true, false) => "up",
        (false, true) => "down",
        (false, false) => "",
    };
    match both(config.cake) {
        "" => {}
        "both" => out.push_str("  engine: cake\n"),
        one => {
            let _infallible = writeln!(out, "  engine: {{ {one}: cake }}");
        }
    }
    if config.trust_dscp {
        out.push_str("  # As in the source: the DSCP of a download counts, and any sender can set one.\n");
        out.push_str("  trust_dscp: true\n");
    }
    match both(config.wash) {
        "" => {}
        directions => {
            let _infallible = writeln!(out, "  wash: {directions}");
        }
    }
}

fn one_class(out: &mut String, depth: usize, class: &Class) {
    comments(out, depth, &class.about);
    let indent = "  ".repeat(depth);
    let _infallible = writeln!(out, "{indent}{}:", quoted(&class.name));
    let mut line = |key: &str, value: &str| {
        let _infallible = writeln!(out, "{indent}  {key}: {value}");
    };
    if let Some(id) = class.id {
        line("id", &id.to_string());
    }
    if class.default {
        line("default", "true");
    }
    if let Some(priority) = class.priority {
        line("priority", &priority.to_string());
    }
    for (key, amounts) in [("guarantee", &class.guarantee), ("ceiling", &class.ceiling)] {
        if let Some(text) = per_direction(amounts) {
            line(key, &text);
        }
    }
    if let Some(share) = class.share {
        line("share", share);
    }
    if let Some(queue) = &class.queue {
        let options: Vec<String> =
            queue.options.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        match options.is_empty() {
            true => line("queue", queue.kind),
            false => line("queue", &format!("{{ {}: {{ {} }} }}", queue.kind, options.join(", "))),
        }
    }
    if let Some(dscp) = class.set_dscp {
        line("set_dscp", &dscp.to_string());
    }
    if !class.matches.is_empty() {
        let _infallible = writeln!(out, "{indent}  match:");
        for one in &class.matches {
            alternative(out, &indent, one);
        }
    }
    if !class.classes.is_empty() {
        let _infallible = writeln!(out, "{indent}  classes:");
        for inner in &class.classes {
            one_class(out, depth + 2, inner);
        }
    }
}

fn amount(amount: Amount) -> String {
    match amount {
        Amount::Rate(rate) => rate.to_string(),
        Amount::Share(share) => share.to_string(),
    }
}

fn per_direction(amounts: &PerDirection<Option<Amount>>) -> Option<String> {
    match (amounts.up, amounts.down) {
        (None, None) => None,
        (Some(up), Some(down)) if up == down => Some(amount(up)),
        (Some(up), Some(down)) => Some(format!("{{ up: {}, down: {} }}", amount(up), amount(down))),
        (Some(up), None) => Some(format!("{{ up: {} }}", amount(up))),
        (None, Some(down)) => Some(format!("{{ down: {} }}", amount(down))),
    }
}

fn list<T: Display>(keys: &mut Vec<String>, key: &str, values: impl IntoIterator<Item = T>) {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    match values.as_slice() {
        [] => {}
        [one] => keys.push(format!("{key}: {one}")),
        several => keys.push(format!("{key}: [{}]", several.join(", "))),
    }
}

/// Writes an alternative. One without any key holds for each packet of both directions, and the file needs a key.
fn alternative(out: &mut String, indent: &str, one: &Match) {
    if *one == Match::default() {
        for direction in Direction::BOTH {
            alternative(out, indent, &Match { direction: Some(direction), ..Match::default() });
        }
        return;
    }
    let mut keys = Vec::new();
    // An IPv6 address contains colons.
    let address = |address: &crate::units::Address| match address.to_string() {
        text if text.contains(':') => format!("\"{text}\""),
        text => text,
    };
    list(&mut keys, "local", one.local.iter().map(address));
    list(&mut keys, "remote", one.remote.iter().map(address));
    list(&mut keys, "protocol", &one.protocol);
    list(&mut keys, "local_port", &one.local_port);
    list(&mut keys, "remote_port", &one.remote_port);
    list(&mut keys, "port", &one.port);
    list(&mut keys, "dscp", &one.dscp);
    list(&mut keys, "mark", one.marks());
    let lengths = one.length.iter().map(|(min, max)| format!("\"{}\"", LengthRange { min: *min, max: *max }));
    list(&mut keys, "length", lengths);
    list(&mut keys, "tcp", &one.tcp);
    list(&mut keys, "family", one.family.map(|family| family.as_str()));
    list(&mut keys, "direction", one.direction.map(|direction| direction.as_str()));
    let _infallible = writeln!(out, "{indent}    - {{ {} }}", keys.join(", "));
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

fn comments(out: &mut String, depth: usize, lines: &[String]) {
    for line in lines {
        comment(out, depth, line);
    }
}

/// Writes a comment. Text of the input can neither end it nor suppress a finding.
fn comment(out: &mut String, depth: usize, words: &str) {
    let words: String = words.chars().map(shown).collect();
    let words = inline(&words).replace(ALLOW_MARK, "qosc :");
    let indent = "  ".repeat(depth);
    let mut text = String::new();
    wrapped(&mut text, "", &words, 2);
    // `wrapped` counts the columns without the indent, so a comment is narrower than the file.
    for line in text.lines() {
        let _infallible = writeln!(out, "{indent}# {line}");
    }
}
